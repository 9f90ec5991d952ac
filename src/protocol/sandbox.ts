/** The port between the tool that runs commands and the sandbox that confines them. */
import type { SandboxRecord } from './entries/fields.ts';
import type { Grant } from './permissions.ts';

/** Sandbox modes as in the settings; `danger-full-access` means no sandbox. */
export const sandboxModes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export type SandboxMode = (typeof sandboxModes)[number];

/** Whether a command may change git folders. */
export type GitUse =
  /**
   * It runs nothing but git, so it may change the git folders of the repositories in which it works. `folders`: those git
   * folders, or folders around them; absolute, without links. `isForeign`: it works in a single repository that is not the
   * workspace's own. Commands may have created that one, so no hooks run there. `place`: the working directory of all its
   * git commands; absent if they have several.
   */
  | {
      readonly type: 'only';
      readonly folders: readonly string[];
      readonly isForeign: boolean;
      readonly place?: string;
    }
  /** It runs git among other programs, or in several repositories of which one is foreign, or writes files besides. */
  | { readonly type: 'mixed' }
  /** It does not run git, or together with what only git is told to run. */
  | { readonly type: 'none' };

/** A part of a command line that runs in a separate shell. */
export interface CommandStep {
  readonly command: string;
  /** True if it runs only after a step that succeeded. */
  readonly isConditional: boolean;
  /** Absolute paths of the folders in which it may leave the shell. Absent = any: nothing follows it. */
  readonly endsIn?: readonly string[];
}

/** What settings and rules say about a host. `always ask`: even in modes that otherwise never ask. */
export type HostVerdict = 'allow' | 'ask' | 'always ask' | 'deny';

export interface CommandRequest {
  readonly command: string;
  /** Absolute path. */
  readonly cwd: string;
  readonly grant: Grant;
  /** The user's environment plus the variables that every command gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The command's own folder for exchanging data between the tool and its shell; always writable. */
  readonly scratch: string;
  /** Exclusions in the settings do not apply: they were decided before. */
  readonly isKeptInside?: true;
  /**
   * It usually ends at once. If it only reads, it starts sooner, but is stopped if another program replaces a hidden
   * file while it runs, because the new file would not be hidden.
   */
  readonly isBrief?: boolean;
  /**
   * Asks the user about a host that no rule allows; `verdict` says what applies at the moment. Absent = there is no user
   * to ask, so the host is denied.
   */
  readonly askHost?: (host: string, port: number, verdict: () => HostVerdict) => Promise<boolean>;
}

/** The program to start so that a command is confined. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** New pipes that the program inherits as descriptors 3, 4, …; this program's ends are passed to `admit`. */
  readonly inherit: readonly 'pipe'[];
  readonly env: Readonly<Record<string, string>>;
  /**
   * Lets the waiting command start once its sandbox has been verified. Resolves to the reason if the command was
   * stopped instead. `group`: its process group id; `pipes`: this program's ends. Absent = the command starts at once.
   */
  readonly admit?: (group: number, pipes: readonly LaunchPipe[]) => Promise<string | undefined>;
  /** Another way to start the command, in less time. Absent = there is none. */
  readonly early?: EarlyStart;
}

/**
 * A process that is started before its command is known, and waits for it. It is the same for most commands of a session,
 * and nothing is confined, mounted or run until `send`.
 */
export interface EarlyStart {
  readonly program: string;
  readonly args: readonly string[];
  /** As in `Launch`; this program's ends are passed to `send`. */
  readonly inherit: Launch['inherit'];
  /** Makes the waiting process start this command; returns the pipes for `admit`. */
  send(pipes: readonly LaunchPipe[]): readonly LaunchPipe[];
}

/** This program's end of a pipe to the started process: the part of a `Duplex` that a sandbox needs. */
export interface LaunchPipe {
  on(event: 'data' | 'end' | 'close' | 'error', listener: (chunk: unknown) => void): unknown;
  end(content: string | Uint8Array): unknown;
}

/** A pipe of a process that this program has started itself. */
export interface StartedPipe extends LaunchPipe {
  destroy(): unknown;
  /** Whether it keeps this program running. */
  ref(): unknown;
  unref(): unknown;
}

/**
 * This program's ends of the pipes that a `Launch` adds to the three standard streams, for its `admit`. `stdio`: as in
 * Node's `ChildProcess`.
 */
export function launchPipesOf({ stdio }: { readonly stdio: readonly unknown[] }): readonly StartedPipe[] {
  return stdio.slice(3).filter((end) => end !== null && end !== undefined) as StartedPipe[];
}

/** Why the sandbox made a command fail. */
export interface Blockage {
  /** Completes "The sandbox blocked it: …". */
  readonly reason: string;
  /** The user's settings hide what the command needs: nothing offers to run it outside the sandbox. */
  readonly isHidden?: boolean;
  /** What the model should do instead, as a sentence: nothing offers to run it outside the sandbox. */
  readonly instead?: string;
}

/** How one command is run, confined or not. */
export interface Confinement {
  /** True if the operating system confines the command. */
  readonly isConfined: boolean;
  /**
   * Why the command must not run outside its sandbox, even if the user approves that: managed settings, or it was allowed
   * only because it reads. Absent = the user may be asked.
   */
  readonly stays?: 'managed' | 'read-only' | undefined;
  /** Why nothing may be launched, as a sentence for the user without its full stop; absent = it may. `launch` throws. */
  readonly refusal?: string;
  /**
   * The pid of the first process in the sandbox, once the command has started: all others in it end before it does.
   * Absent = there is no such process.
   */
  firstProcess?(): number | undefined;
  /** `program` is a shell, and the last of `args` is its script. */
  launch(program: string, args: readonly string[]): Launch;
  /** Returns what the sandbox allowed, for the log; complete once the command has ended. */
  record(): SandboxRecord;
  /**
   * Returns why the sandbox made the command fail. Undefined if something else failed, or if the cause is a host in
   * `declined` (with port), which the user has just denied.
   */
  blocked(output: string, exitCode: number, declined: ReadonlySet<string>): Blockage | undefined;
  /**
   * Looks for what the command has changed, without keeping the thread busy throughout. Call it when the command has
   * ended: `changedProtectedFiles` and `release` then take less time. Never rejects. Absent = they are quick anyway.
   */
  lookForChanges?(): Promise<void>;
  /**
   * Returns, ready to show, files that control other programs and that the command created or changed since the last
   * call.
   */
  changedProtectedFiles(): readonly string[];
  /**
   * Returns folders of the project that are hidden as a whole, although rules may deny reading only a part of them; each
   * once per session. Absent = none.
   */
  hiddenFolders?(): readonly string[];
  /**
   * Returns protected or hidden files that another program replaced while the command ran, so that for a moment the
   * command could change or read them; each once. Absent = none.
   */
  exposedFiles?(): readonly string[];
  /** Absent = the command was not allowed because of what is hidden from it. */
  readonly exposure?: Exposure;
  /**
   * True if the sandbox of a search could not be built because a file to hide has disappeared in the meantime: nothing has
   * run, and the search can be started again. Absent = false.
   */
  mayRetry?(): boolean;
  /**
   * Why the sandbox stopped the command after its start, and what to do, as a sentence without its full stop; undefined
   * if it did not.
   */
  whyStopped?(): string | undefined;
  /**
   * Makes documents, and what command lines name, visible in this machine's temporary folders: files at once, folders by
   * the time the result resolves. Never rejects.
   */
  share(): Promise<void>;
  /** The command continues in the background as this process: makes its servers reachable from this machine. */
  keep(pid: number): void;
  /** Releases its resources. */
  release(): void;
}

/**
 * Whether a command may have seen what is hidden from it, because another program has replaced, moved or removed a hidden
 * file, or created one, while it ran. Its output must not reach the model then.
 */
export interface Exposure {
  /** True if it is known already. Quick. */
  isKnown(): boolean;
  /**
   * Returns these files, ready to show. They explain all output that was received before the call; once there is one, also
   * all later output. Rejects if the files cannot be searched.
   */
  check(): Promise<readonly string[]>;
}

export type SandboxState =
  /** Commands are confined. */
  | { readonly type: 'on'; readonly mode: 'read-only' | 'workspace-write' }
  /** Switched off by the user. */
  | { readonly type: 'off'; readonly reason: string; readonly isFullAccess?: boolean }
  /** Wanted, but not available on this machine; `reason` says why, `fix` what to do. */
  | { readonly type: 'unavailable'; readonly reason: string; readonly fix: string };

/** The sandbox for the commands of one session. */
export interface CommandSandbox {
  /** Probes this machine once; later calls return the same result. Never rejects. */
  state(): Promise<SandboxState>;
  /** True if the settings ask for a sandbox in which only git commands change git folders; absent = they do not. */
  readonly closesGit?: boolean;
  /** Starts preparations that the first command would otherwise wait for. */
  prepare(): void;
  /** True if the settings let the command run outside the sandbox once the user has approved it. */
  isExcluded(command: string): Promise<boolean>;
  /**
   * Divides a command line so that its git commands can change git folders although other programs of the line cannot.
   * One step if that is not needed, or not possible without changing what the line does.
   */
  steps(request: Pick<CommandRequest, 'command' | 'cwd' | 'grant'>): Promise<readonly CommandStep[]>;
  confine(request: CommandRequest): Promise<Confinement>;
  /**
   * Registers a file created or changed by a tool of the session: in a temporary folder, commands may change it like
   * their own files.
   */
  adopt(path: string, kind: 'created' | 'modified'): void;
  /** Where a file is that only commands see at this path, in a temporary folder. Absolute. Absent = nowhere. */
  sandboxPathOf?(path: string): string | undefined;
  /** Runs the command without a sandbox, because the user approved that; refuses one that must stay. */
  outside(request: CommandRequest, reason: string): Confinement | Promise<Confinement>;
  /** Never rejects. */
  dispose(): void | Promise<void>;
}
