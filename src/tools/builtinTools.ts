/** All built-in tools. */
import { basename, isAbsolute } from 'node:path';
import { isExecutable } from '../disk/fileLookups.ts';
import { ownProgramEnvironment } from '../disk/ownPrograms.ts';
import { realpath } from '../disk/paths.ts';
import type { LanguageServerPort } from '../protocol/diagnostics.ts';
import type { CommandSandbox } from '../protocol/sandbox.ts';
import type { TaskPort } from '../protocol/tasks.ts';
import type { Tool } from '../protocol/tools.ts';
import { askUserQuestionTool } from './askUserQuestion.ts';
import { bashOutputTool, killBashTool } from './backgroundTasks.ts';
import { bashTool, type CommandStarted } from './bash.ts';
import { editTool } from './edit.ts';
import { exitPlanModeTool } from './exitPlanMode.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { readTool } from './read.ts';
import { recallTool } from './recall.ts';
import type { TextRedactor } from './redaction.ts';
import type { Environment } from './shell/childEnvironment.ts';
import { TaskRegistry } from './shell/TaskRegistry.ts';
import type { KnownSecret } from './shell/valueRedactor.ts';
import { todoWriteTool } from './todoWrite.ts';
import type { WebFetchDeps } from './web/readWebPage.ts';
import { webFetchTool } from './webFetch.ts';
import { writeTool } from './write.ts';

/** Dependencies of the tools. */
export interface ToolDeps {
  readonly env: Environment;
  /** Folders of the workspace in addition to the root: no program there runs without approval. */
  readonly addedDirectories?: () => readonly string[];
  /** The user's home directory, for `~`. */
  readonly home: string;
  /**
   * Absolute path of the shell for Bash; default: `$SHELL` if it is bash or zsh, otherwise the first bash found, or
   * /bin/sh.
   */
  readonly shell?: string;
  /** Environment variables to hide from commands, in addition to our own keys. */
  readonly secretEnv?: readonly string[];
  /** Environment variables for commands that hooks have set so far. */
  readonly variables?: (() => Readonly<Record<string, string>>) | undefined;
  /** Files that Grep skips unless a call names one; by default none. */
  readonly isSensitive?: (path: string) => boolean;
  readonly onStarted?: CommandStarted | undefined;
  /** Confines commands; absent = they run with the user's rights. */
  readonly sandbox?: CommandSandbox;
  /** Secrets in these folders that are removed from command output before the model sees it. */
  readonly knownSecrets?: (folders: readonly string[]) => readonly KnownSecret[];
  /** Opens a redactor for what tools show without approval: keys, tokens and random passwords. */
  readonly openRedactor?: () => Promise<TextRedactor>;
  /** Whether the model gets a tool; by default it gets all. */
  readonly isOffered?: (name: string) => boolean;
  /** Default: public internet only. */
  readonly web?: WebFetchDeps;
  /** Checks edits; absent = edits are not checked. */
  readonly languageServers?: LanguageServerPort | undefined;
}

export interface BuiltinTools {
  readonly tools: readonly Tool[];
  /** Ids of the tool calls that still have a running process, which may change files after the call. */
  readonly runningCalls: () => readonly string[];
  /** Background tasks, running and finished. */
  readonly tasks: TaskPort;
  /** Returns, once each, problems found in edits after their results were reported; for the model. */
  readonly lateNotes: () => readonly string[];
  /** Stops every running command. Sends the first signal before returning. */
  readonly dispose: () => Promise<void>;
}

/** Creates the tools; each call of this function has its own background tasks. */
export function builtinTools(deps: ToolDeps): BuiltinTools {
  const { env, home, addedDirectories = () => [] } = deps;
  // Searches remove programs of the root.
  const searchEnv = ownProgramEnvironment(env, addedDirectories(), realpath);
  const tasks = new TaskRegistry();
  const shell = deps.shell ?? findShell(env);
  const checks = deps.languageServers?.open();
  const sandboxPathOf = deps.sandbox?.sandboxPathOf;
  const all = [
    readTool(home, sandboxPathOf, deps.openRedactor),
    writeTool(home, checks),
    editTool(home, checks, deps.openRedactor),
    globTool(home, searchEnv),
    grepTool({
      ...{ home, env: searchEnv, isSensitive: deps.isSensitive ?? (() => false) },
      ...(deps.openRedactor && { openRedactor: deps.openRedactor }),
    }),
    bashTool({
      ...{ env, addedDirectories, secretEnv: deps.secretEnv ?? [], shell, tasks },
      ...(deps.sandbox && { sandbox: deps.sandbox }),
      onStarted: deps.onStarted,
      ...(deps.variables && { variables: deps.variables }),
      ...(deps.knownSecrets && { knownSecrets: deps.knownSecrets }),
      ...(deps.openRedactor && { openRedactor: deps.openRedactor }),
    }),
    bashOutputTool(tasks),
    killBashTool(tasks),
    recallTool(),
    webFetchTool(deps.web ?? { allowPrivate: false }),
    todoWriteTool(),
    exitPlanModeTool(),
    askUserQuestionTool(),
  ];
  return {
    tools: all.filter(({ name }) => deps.isOffered?.(name) ?? true),
    runningCalls: () => tasks.callIds(),
    tasks,
    lateNotes: () => checks?.takeLate() ?? [],
    dispose: () => tasks.dispose().finally(() => deps.sandbox?.dispose()),
  };
}

/** The model writes commands for bash or zsh; the user's own shell (fish, nu) might not understand them. */
export function findShell(env: Environment): string {
  const userShell = env.SHELL ?? '';
  const candidates = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];
  if (isAbsolute(userShell) && ['bash', 'zsh'].includes(basename(userShell))) candidates.unshift(userShell);
  return candidates.find(isExecutable) ?? '/bin/sh';
}
