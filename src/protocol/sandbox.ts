/** The port between the tool that runs commands and whatever confines them. */
import type { SandboxRecord } from './entries/fields.ts';
import type { Grant } from './permissions.ts';

/** As users name them; `danger-full-access` is no sandbox. */
export const sandboxModes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export type SandboxMode = (typeof sandboxModes)[number];

export interface CommandRequest {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly grant: Grant;
  /** The user's environment with what every command gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The command's own folder for what the tool and its shell tell each other; stays writable. */
  readonly scratch: string;
  /**
   * Asks the user about a host that no rule allows; `isAlways` in a mode that asks nothing as well. Absent = nobody can be
   * asked, so it is refused.
   */
  readonly askHost?: (host: string, port: number, isAlways: boolean) => Promise<boolean>;
}

/** What to start instead of a program, so that it is confined. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** File descriptors that it inherits as 3, 4, …; the caller closes nothing. `pipe`: a new one, for `admit`. */
  readonly inherit: readonly (number | 'pipe')[];
  readonly env: Readonly<Record<string, string>>;
  /**
   * Lets the command begin, once its sandbox is what was planned; until then it waits. Resolves with why it was ended
   * instead. `group`: the number of its process group; `pipes`: this program's ends. Absent = it begins at once.
   */
  readonly admit?: (group: number, pipes: readonly LaunchPipe[]) => Promise<string | undefined>;
}

/** This program's end of a pipe to what it has started: as much of a `Duplex` as a sandbox needs. */
export interface LaunchPipe {
  on(event: 'data' | 'end' | 'close' | 'error', listener: (chunk: unknown) => void): unknown;
  end(text: string): unknown;
}

/** One command, confined or not. */
export interface Confinement {
  /** True when the operating system confines the command. */
  readonly isConfined: boolean;
  /** It is not let out of its sandbox, whatever the user would say. */
  readonly isBinding?: boolean;
  /** `program` is a shell, and the last of `args` its script. */
  launch(program: string, args: readonly string[]): Launch;
  /** What the command was let do, for the record; complete when it has ended. */
  record(): SandboxRecord;
  /**
   * Why the sandbox made the command fail, in a sentence for the user; undefined when something else did, or a host
   * among `declined` (with its port), which the user has just said no to.
   */
  blocked(output: string, exitCode: number, declined: ReadonlySet<string>): string | undefined;
  /** Files that other programs obey and that it has made or changed since the last call, ready to show. */
  obeyedChanges(): readonly string[];
  /** Shows in the temporary folders of this machine what the command has left in its own. */
  share(): void;
  /** It goes on in the background as this process: servers in it are to be reached from this machine. */
  keep(pid: number): void;
  /** Lets go of what it holds. */
  release(): void;
}

export type SandboxState =
  /** Commands are confined. */
  | { readonly type: 'on'; readonly mode: 'read-only' | 'workspace-write' }
  /** The user wants none. */
  | { readonly type: 'off'; readonly reason: string; readonly isFullAccess?: boolean }
  /** Wanted, but this machine has none that works; `reason` says why, `fix` what to do. */
  | { readonly type: 'unavailable'; readonly reason: string; readonly fix: string };

/** Confines the commands of one session. */
export interface CommandSandbox {
  /** Looks once what this machine can do; later calls return the same. Never rejects. */
  state(): Promise<SandboxState>;
  /** Begins what the first command would wait for. */
  prepare(): void;
  /** Whether the settings have a command run outside, once the user has allowed it. */
  isExcluded(command: string): Promise<boolean>;
  confine(request: CommandRequest): Promise<Confinement>;
  /** A tool of the session has made this file: in a temporary folder commands may change it like their own. */
  adopt(path: string): void;
  /** The same without a sandbox, because the user said so. */
  outside(request: CommandRequest, reason: string): Confinement;
  dispose(): void;
}
