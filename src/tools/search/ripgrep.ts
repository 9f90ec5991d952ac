/** Runs ripgrep: finding the program, bounding its output and its time. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { namesIn, textOf } from '../../disk/fileLookups.ts';
import { realpath } from '../../disk/realPath.ts';
import { pathOutside } from '../../protocol/ownPrograms.ts';
import type { Environment } from '../environment.ts';

/** More than this is not collected: the search is stopped and says so. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 2000;
const TIMEOUT_MS = 60_000;
/** How often it is looked at, and after how many times without any work it is ended. */
const LOOK_MS = 1000;
const MAX_STILL = 4;
/** Threads of ripgrep that have nothing to do look for work a thousand times a second. */
const IDLE_TICKS = 10;
const STOOD_STILL = 'it waited for something that never came, such as a pipe called .gitignore';

export interface SearchRun {
  /** `stopped`: the user's interrupt; `limit`: too much output or too long, what is there is a part. */
  readonly end: 'done' | 'stopped' | 'limit';
  /** What it printed, split at the separator. */
  readonly items: readonly string[];
  /** Ripgrep's own words: a bad pattern, unreadable directories. Empty when all went well. */
  readonly problem: string;
}

/** What to tell the model when there is no ripgrep. */
export const NO_RIPGREP =
  'ripgrep is not available: its package for this platform is missing and there is no `rg` on the PATH. Reinstall ClawdCode without --omit=optional, or install ripgrep. Meanwhile use Bash with find or grep.';

/** Runs `rg` with the arguments; undefined when there is no ripgrep on this machine. */
export async function runRipgrep(
  args: readonly string[],
  separator: '\n' | '\0',
  { cwd, root }: { readonly cwd: string; readonly root: string },
  env: Environment,
  signal: AbortSignal,
): Promise<SearchRun | undefined> {
  const program = await findRipgrep(env, root);
  if (program === undefined) return undefined;
  return new Promise((resolve) => {
    const child = spawn(program, ['--no-config', '--color=never', ...args], {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let problem = '';
    let end: SearchRun['end'] = 'done';
    const stop = (reason: SearchRun['end']): void => {
      if (end === 'done') end = reason;
      child.kill('SIGKILL');
    };
    const onAbort = (): void => stop('stopped');
    const timer = setTimeout(() => stop('limit'), TIMEOUT_MS);
    let [ticks, seen, still] = [0, 0, 0];
    const watch = setInterval(() => {
      const work = workOf(child.pid);
      const isStill = work?.isWaiting === true && work.ticks - ticks <= IDLE_TICKS && bytes === seen;
      still = isStill ? still + 1 : 0;
      [ticks, seen] = [work?.ticks ?? 0, bytes];
      if (still < MAX_STILL) return;
      problem = STOOD_STILL;
      stop('limit');
    }, LOOK_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) stop('limit');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (problem.length < MAX_ERROR_CHARACTERS) problem += chunk.toString('utf8');
    });
    child.on('error', (error) => {
      problem = `ripgrep could not be started in ${cwd} (is the directory gone?): ${error.message}`;
      settle();
    });
    const settle = (): void => {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      const items = Buffer.concat(chunks).toString('utf8').split(separator);
      // Empty after a last separator, a piece of an item when it was stopped.
      items.pop();
      resolve({ end, items, problem: problem.slice(0, MAX_ERROR_CHARACTERS).trim() });
    };
    child.on('close', settle);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/**
 * The processor time that a program has used, in hundredths of a second, and whether all its threads wait for something
 * that neither a processor nor a disk owes them; undefined where the kernel does not say. Source: proc_pid_stat(5).
 */
function workOf(
  pid: number | undefined,
): { readonly ticks: number; readonly isWaiting: boolean } | undefined {
  const tasks = `/proc/${pid}/task`;
  const threads = namesIn(tasks).map((task) => {
    // After the name, which may hold anything: the state first, the times 11 fields later.
    const fields = textOf(`${tasks}/${task}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    return { state: fields[0], ticks: Number(fields[11]) + Number(fields[12]) };
  });
  if (threads.length === 0) return undefined;
  return {
    ticks: threads.reduce((sum, { ticks }) => sum + ticks, 0),
    isWaiting: threads.every(({ state }) => state === 'S'),
  };
}

/** Never one that a project brings along. */
async function findRipgrep(env: Environment, root: string): Promise<string | undefined> {
  const packaged = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  const onPath = pathOutside(env, root, realpath)
    .split(delimiter)
    .map((directory) => join(directory, 'rg'));
  for (const program of packaged === undefined ? onPath : [packaged, ...onPath]) {
    const runs = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return program;
  }
  return undefined;
}
