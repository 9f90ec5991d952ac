/** Every tool that comes with the program. */
import { accessSync, constants } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import type { CommandSandbox } from '../protocol/sandbox.ts';
import type { TaskPort } from '../protocol/tasks.ts';
import type { Tool } from '../protocol/tools.ts';
import { bashOutputTool, killBashTool } from './backgroundTasks.ts';
import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import type { Environment } from './environment.ts';
import { exitPlanModeTool } from './exitPlanMode.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { readTool } from './read.ts';
import { recallTool } from './recall.ts';
import { TaskRegistry } from './shell/TaskRegistry.ts';
import type { KnownSecret } from './shell/valueRedactor.ts';
import { todoWriteTool } from './todoWrite.ts';
import type { WebFetchDeps } from './web/readWebPage.ts';
import { webFetchTool } from './webFetch.ts';
import { writeTool } from './write.ts';

/** What the tools need of the process they live in. */
export interface ToolDeps {
  readonly env: Environment;
  /** The user's home directory, for `~`. */
  readonly home: string;
  /** Absolute path of the shell for Bash; without it, `$SHELL` when that is bash or zsh, else what there is. */
  readonly shell?: string;
  /** Further environment variables that commands must not see, besides our own keys. */
  readonly secretEnv?: readonly string[];
  /** Files that Grep leaves out unless a call names one; by default none. */
  readonly isSensitive?: (path: string) => boolean;
  /** Confines commands; absent = they run with the user's rights. */
  readonly sandbox?: CommandSandbox;
  /** Secrets of these folders that the model must not see in what commands print. */
  readonly knownSecrets?: (folders: readonly string[]) => readonly KnownSecret[];
  /** By default the public internet only. */
  readonly web?: WebFetchDeps;
}

export interface BuiltinTools {
  readonly tools: readonly Tool[];
  /** Ids of the calls of which a process still runs: it may change files after its call. */
  readonly runningCalls: () => readonly string[];
  /** What runs in the background, and what has ended there. */
  readonly tasks: TaskPort;
  /** Ends every command that still runs. The first signal is sent before this returns. */
  readonly dispose: () => Promise<void>;
}

/** Makes the tools; each call has its own background tasks. */
export function builtinTools(deps: ToolDeps): BuiltinTools {
  const { env, home } = deps;
  const tasks = new TaskRegistry();
  const shell = deps.shell ?? findShell(env);
  return {
    tools: [
      readTool(home),
      writeTool(home),
      editTool(home),
      globTool(home, env),
      grepTool({ home, env, isSensitive: deps.isSensitive ?? (() => false) }),
      bashTool({
        ...{ env, secretEnv: deps.secretEnv ?? [], shell, tasks },
        ...(deps.sandbox && { sandbox: deps.sandbox }),
        ...(deps.knownSecrets && { knownSecrets: deps.knownSecrets }),
      }),
      bashOutputTool(tasks),
      killBashTool(tasks),
      recallTool(),
      webFetchTool(deps.web ?? { allowPrivate: false }),
      todoWriteTool(),
      exitPlanModeTool(),
    ],
    runningCalls: () => tasks.callIds(),
    tasks,
    dispose: () => tasks.dispose().finally(() => deps.sandbox?.dispose()),
  };
}

/** Commands are written for bash or zsh; other shells of the user (fish, nu) would not understand them. */
function findShell(env: Environment): string {
  const own = env.SHELL ?? '';
  const candidates = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];
  if (isAbsolute(own) && ['bash', 'zsh'].includes(basename(own))) candidates.unshift(own);
  return candidates.find(isExecutable) ?? '/bin/sh';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
