/** Inputs of the checks. */
import type { LoadedSettings } from '../../config/types.ts';
import type { ModelProbe, ServerAnswer } from '../../protocol/models/server.ts';
import type { SandboxState } from '../../protocol/sandbox.ts';
import type { AppPaths } from '../process/appPaths.ts';
import type { ModelAccess } from '../startup.ts';
import type { TerminalFacts } from './terminalFacts.ts';

export interface DoctorPorts {
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  readonly isTrusted: boolean;
  /** Version and path of the running Node. */
  readonly node: { readonly version: string; readonly path: string; readonly platform: string };
  /** Undefined if the output is not a terminal. */
  readonly terminal: TerminalFacts | undefined;
  /** Null if no network requests may be sent. */
  readonly network: NetworkPorts | null;
  /** Returns the first line that a program prints; undefined if the program is missing or does not answer. */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
  /** Returns the state of the sandbox. */
  sandbox(): Promise<SandboxState>;
  /** Monotonic time in milliseconds. */
  now(): number;
}

export interface NetworkPorts {
  readonly access: ModelAccess;
  ask(apiKey: string | undefined): Promise<ServerAnswer>;
  /** Sends a few short prompts; undefined if that is disabled. */
  readonly probe: (() => Promise<ModelProbe>) | undefined;
}
