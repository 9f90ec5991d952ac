/** Starts a command from the settings for the screen: the status line or a notification. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { launchPipesOf } from '../../protocol/sandbox.ts';
import { type SettingsPrograms, type SettingsRun, scriptOf } from '../../protocol/settingsPrograms.ts';
import { findShell } from '../../tools/builtinTools.ts';

type Stdio = 'pipe' | 'ignore';

interface ProgramCommand {
  readonly role: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: Stdio;
  readonly options?: SpawnOptions;
  /** A settings file of the folder names it. */
  readonly isOfFolder: boolean;
  /** Absent = it runs with the user's rights. */
  readonly programs?: SettingsPrograms | undefined;
}

type SpawnedProgram =
  | { readonly child: ChildProcess; readonly advice?: (output: string, exitCode: number) => string }
  /** It must not run; a sentence for the user. */
  | { readonly problem: string };

export async function spawnProgram({
  role,
  command,
  cwd,
  env,
  stdio,
  options = {},
  isOfFolder,
  programs,
}: ProgramCommand): Promise<SpawnedProgram> {
  const ofFolder = isOfFolder ? { command } : undefined;
  const run: SettingsRun = (await programs?.admit({ role, command, cwd, env, ofFolder })) ?? {
    type: 'outside',
  };
  if (run.type === 'held') return { problem: run.problem };
  if (run.type === 'outside')
    return { child: spawn(command, { ...options, shell: true, cwd, env: run.env ?? env, stdio }) };
  try {
    const launch = run.launch(findShell(env), scriptOf({ command }));
    const child = spawn(launch.program, launch.args, {
      ...options,
      cwd,
      env: { ...launch.env, PWD: cwd },
      stdio: [stdio, stdio, stdio, ...launch.inherit],
    });
    const pipes = launchPipesOf(child);
    for (const pipe of pipes) pipe.on('error', () => {});
    if (child.pid !== undefined) void launch.admit?.(child.pid, pipes);
    child.once('close', run.release);
    return { child, advice: run.advice };
  } catch (error) {
    run.release();
    throw error;
  }
}
