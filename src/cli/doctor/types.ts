/** What the checks are given. */
import type { LoadedSettings } from '../../config/types.ts';
import type { SandboxState } from '../../protocol/sandbox.ts';
import type { ModelProbe, ServerAnswer } from '../../protocol/server.ts';
import type { AppPaths } from '../process/appPaths.ts';
import type { ModelAccess } from '../startup.ts';
import type { TerminalFacts } from './terminalFacts.ts';

export interface DoctorPorts {
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  readonly isTrusted: boolean;
  /** Version and path of the running Node. */
  readonly node: { readonly version: string; readonly path: string; readonly platform: string };
  /** Undefined where there is no terminal to look at. */
  readonly terminal: TerminalFacts | undefined;
  /** Null: nothing may be sent anywhere. */
  readonly network: NetworkPorts | null;
  /** First line that a program prints, or undefined where it is not there or does not answer. */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
  /** What confines commands here. */
  sandbox(): Promise<SandboxState>;
  /** Monotonic, in milliseconds. */
  now(): number;
}

export interface NetworkPorts {
  readonly access: ModelAccess;
  ask(apiKey: string | undefined): Promise<ServerAnswer>;
  /** Sends a few short prompts; undefined where that is not wanted. */
  readonly probe: (() => Promise<ModelProbe>) | undefined;
}
