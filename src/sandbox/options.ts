/** What a session's sandbox needs to know about the machine, the settings and the rules. */
import type { CommandStep, GitUse } from '../protocol/sandbox.ts';
import type { EnvironmentRules } from './environment.ts';
import type { NetworkRules } from './network/commandNetwork.ts';
import type { PlaceOptions } from './places/findPlaces.ts';
import type { ProbedMachine, ProbeOptions } from './probe.ts';
import type { TemporaryOptions } from './temporary/temporaryFolders.ts';

/** What rules deny reading. */
export interface DeniedPlaces {
  /** Files and folders to hide, absolute. */
  readonly paths: readonly string[];
  /** Folders among them that are hidden although rules may cover only a part of them. */
  readonly whole: readonly string[];
  /** Why no command can run, as for `Confinement`. */
  readonly refusal?: string;
}

export interface SandboxOptions extends ProbeOptions {
  /** Tests what this machine supports; `probeMachine` unless it was tested before. */
  readonly probe?: (options: ProbeOptions) => Promise<ProbedMachine>;
  /** The Node binary that runs this program, absolute. */
  readonly node: string;
  /** Called for each command, since directories may be added. */
  readonly places: () => Omit<
    PlaceOptions,
    | 'denyWrite'
    | 'scratchParent'
    | 'repositories'
    | 'projectSecrets'
    | 'secretFolders'
    | 'emptyFile'
    | 'privateTemporary'
    | 'closedGitFolders'
  >;
  /** What rules currently deny editing: paths in writable places, absolute. */
  readonly denyWrite?: () => Promise<readonly string[]>;
  /** True if rules currently let the model read a file; absent = they open no secret. */
  readonly isReadable?: (path: string) => boolean;
  /** What rules currently deny reading; hidden in addition to `denyRead` of `places`. */
  readonly denied?: () => Promise<DeniedPlaces>;
  /** The session's private folders that replace shared temporary ones. */
  readonly temporary: TemporaryOptions;
  /** The folder that contains the scratch folders of all commands. */
  readonly scratchParent: (scratch: string) => string | undefined;
  readonly environment: EnvironmentRules;
  /** Changes the environment of a command that leaves the sandbox; absent = it does not. */
  readonly outside?: (env: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** Folder in which sessions note the git folders they have completed; commands cannot write to it. */
  readonly gitNotes: string;
  /** File in which sessions note the repositories found in projects; commands cannot write to it. */
  readonly repositoryNotes: string;
  /** File in which sessions note the files with secrets that git tracks; commands cannot write to it. */
  readonly secretNotes: string;
  /** Path of an empty file, created when needed, that commands see in place of a secret; commands cannot write to it. */
  readonly emptyFile: string;
  /** Folder in which sessions note submodules they have renamed and not yet reported; commands cannot write to it. */
  readonly setAsideNotes: string;
  /** Folder in which sessions note commands that may change git folders, while these run; commands cannot write to it. */
  readonly commandNotes: string;
  /** Variables that move caches of package managers to a folder that commands may write to. */
  readonly caches: Readonly<Record<string, string>>;
  readonly network: NetworkRules;
  /** Limits for each command; null = none. */
  readonly limits: { readonly memoryBytes: number | null; readonly processes: number | null };
  /** Managed settings confine commands: not even the user's approval runs one outside the sandbox. */
  readonly isBinding: boolean;
  /** True if the user's settings run this command outside the sandbox. */
  readonly isExcluded: (command: string) => boolean | Promise<boolean>;
  /** Whether a command, run in a folder, may change git folders. */
  readonly gitUse: (command: string, cwd: string) => GitUse | Promise<GitUse>;
  /** True if a command does nothing but install or remove dependencies: it replaces files rather than writing into them. */
  readonly replacesPackages: (command: string, cwd: string) => boolean | Promise<boolean>;
  /** See `CommandSandbox.steps`. */
  readonly steps: (command: string, cwd: string) => Promise<readonly CommandStep[]>;
  /** True if the settings of the repository in this folder would make git start programs. */
  readonly gitRunsPrograms: (folder: string) => boolean;
}
