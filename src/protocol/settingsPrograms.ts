/**
 * The port for starting programs that settings name: hooks, the status line, notifications, MCP servers. The user
 * approved the command, not what it finds in the project.
 */
import type { McpServerDefinition } from './extensions/mcp.ts';
import type { Launch } from './sandbox.ts';
import { quoteWord } from './text/quoteWord.ts';
import { visibleLine } from './text/visible.ts';

/** A program as settings define it: text for a shell, or a program with its arguments. */
export interface ProgramText {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Where it starts, as written; absent = in the project. */
  readonly cwd?: string | undefined;
  /** Its own variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Variables with the project's location, for all programs that settings name. These start in its root, so the approved
 * files are the ones that run, wherever the session was started.
 */
export const projectVariables = (root: string) =>
  ({ CLAUDE_PROJECT_DIR: root, CLAWDCODE_PROJECT_DIR: root, PWD: root }) as const;

export interface SettingsProgram {
  /** What the user calls it: `hook`, `MCP server "docs"`. */
  readonly role: string;
  /** Text for a shell; with `args`, a program that gets them as they are. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Absolute path of the folder in which it starts. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** As a settings file of the folder defines it; absent = it comes from elsewhere, such as the user's own settings. */
  readonly ofFolder?: ProgramText | undefined;
  /** It comes from the user and starts in an empty folder. */
  readonly isApart?: boolean;
  /** Withdraws a question about it. */
  readonly signal?: AbortSignal | undefined;
}

/** How such a program must be started now. */
export type SettingsRun =
  /** With the user's rights; in this environment instead of its own, if given. */
  { readonly type: 'outside'; readonly env?: Readonly<Record<string, string>> } | ConfinedRun | HeldRun;

/** Not at all. `isUnasked`: the user was not asked. `problem`: a sentence for the user. */
export interface HeldRun {
  readonly type: 'held';
  readonly problem: string;
  readonly isUnasked: boolean;
}

/** In the sandbox of the model's commands: what it runs may be the model's work. Its answers grant nothing. */
export interface ConfinedRun {
  readonly type: 'confined';
  /** Starts a POSIX shell with a script. */
  launch(shell: string, script: string): Launch;
  /** Why it failed, if the sandbox may be the reason, and what to do: sentences for the user. */
  advice(output: string, exitCode: number): string;
  /** Call when it has ended. */
  release(): void;
}

export interface SettingsPrograms {
  /** Decides for one start. Never rejects. */
  admit(program: SettingsProgram): Promise<SettingsRun>;
}

/** Changes to files that the user neither approved nor reviewed. */
export interface UnapprovedChanges {
  /** Milliseconds since the epoch; absent if not known. */
  readonly since?: number;
  /** The files that calls named; absolute. */
  readonly paths: readonly string[];
  /** True if commands or other calls may have changed more files. */
  readonly hasOthers: boolean;
}

/** A command of the model, or a confined program of the settings, that may change files while it runs. */
export interface RunningProgram {
  /** As in `SettingsProgram`; absent for a command of the model. */
  readonly role?: string;
  readonly command: string;
}

/** The program that an MCP server runs; undefined for one that is reached by an address. */
export function serverProgram({
  command,
  args = [],
  cwd,
  env,
}: McpServerDefinition): ProgramText | undefined {
  return command === undefined ? undefined : { command, args, cwd, env };
}

/** The role of an MCP server. */
export const serverRole = (name: string): string => `MCP server "${visibleLine(name, 60)}"`;

/** Lets the user confirm that such changes have been reviewed. */
export interface ChangeReview {
  /** Undefined if there are none. */
  list(): Promise<UnapprovedChanges | undefined>;
  /** What this program has started and may still change files. Waits a moment for what is about to end. */
  running(): Promise<readonly RunningProgram[]>;
  /** Starts a review of what it returns; later changes are not part of it. Rejects if the data folder cannot be written. */
  begin(): Promise<
    { readonly changes: UnapprovedChanges; readonly confirm: () => Promise<void> } | undefined
  >;
}

/** The script that runs such a program in a shell. */
export function scriptOf({ command, args }: Pick<SettingsProgram, 'command' | 'args'>): string {
  return args === undefined ? `eval ${quoteWord(command)}` : [command, ...args].map(quoteWord).join(' ');
}
