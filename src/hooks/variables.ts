/**
 * Variables that hooks set for commands, as in Claude Code: a hook appends `export NAME=value` to the file that
 * `CLAUDE_ENV_FILE` names. A shell reads the file once; later commands get the variables that it has set, so nothing else
 * of it runs with them.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './runCommand.ts';

/** Set by the shell itself, or about this one hook. */
const ownNames = /^(?:_|SHLVL|PWD|OLDPWD|BASH_.*|CLAUDE_.*|CLAWDCODE.*)$/;
const MAX_VARIABLES = 500;
const TIMEOUT_MS = 10_000;

interface Shell {
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface VariableFile {
  readonly path: string;
  /** Returns what the file sets, and deletes it. Never rejects. */
  read(shell: Shell, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

/** Creates an empty file of this name, which only the user can read; undefined if that fails. */
export async function createVariableFile(folder: string, name: string): Promise<VariableFile | undefined> {
  const path = join(folder, `${name}.sh`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await (await open(path, 'wx', 0o600)).close();
  } catch {
    return undefined;
  }
  return {
    path,
    async read(shell, signal) {
      const set = await variablesIn(path, shell, signal).catch(() => ({}));
      await rm(path, { force: true }).catch(() => undefined);
      return set;
    },
  };
}

async function variablesIn(
  path: string,
  { shell, cwd, env }: Shell,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const file = await open(path, 'r');
  const { size } = await file.stat().finally(() => file.close());
  if (size === 0) return {};
  const command = 'set -a; . "$CLAUDE_ENV_FILE" >/dev/null 2>&1; env -0';
  const given = { ...env, CLAUDE_ENV_FILE: path };
  const { exitCode, stdout, isCut } = await runCommand(
    { command, input: '', cwd, env: given, shell, timeoutMs: TIMEOUT_MS },
    signal,
  );
  if (exitCode !== 0 || isCut) return {};
  const set = stdout.split('\0').flatMap((line): [string, string][] => {
    const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || ownNames.test(name)) return [];
    return env[name] === value ? [] : [[name, value]];
  });
  return Object.fromEntries(set.slice(0, MAX_VARIABLES));
}
