/** Runs ripgrep: finds the program, and limits its output and time. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { openIgnorePipes, workOf } from '../../disk/ignorePipes.ts';
import { pathOutside } from '../../disk/ownPrograms.ts';
import { realpath } from '../../disk/paths.ts';
import type { Environment } from '../shell/childEnvironment.ts';

/** The search stops at this size, and the result says so. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 2000;
const TIMEOUT_MS = 60_000;
/** How often progress is checked, and after how many checks without progress the search is stopped. */
const PROGRESS_CHECK_MS = 1000;
const MAX_IDLE_CHECKS = 4;
/** Idle threads of ripgrep poll for work a thousand times a second. */
const IDLE_TICKS = 10;
const STALLED = 'it waited for input that never came, such as from a pipe.';
/** More than any search needs. */
const MAX_MEMORY_BYTES = 2 ** 30;
const ENDLESS = 'it read without an end, such as from a device.';

export interface SearchRun {
  /** `stopped`: interrupted by the user; `limit`: too much output or too slow, so the items are incomplete. */
  readonly end: 'done' | 'stopped' | 'limit';
  /** The output, split at the separator. */
  readonly items: readonly string[];
  /** Ripgrep's error messages: a bad pattern, unreadable directories. Empty on success. */
  readonly problem: string;
  /** True if it waited for input, or read without an end. */
  readonly isStuck: boolean;
  /** Pipes in place of ignore files, which it read as empty files. */
  readonly pipes: readonly string[];
}

/** The message for the model if there is no ripgrep. */
export const NO_RIPGREP =
  'ripgrep is not available: its package for this platform is missing and there is no `rg` on the PATH. Reinstall ClawdCode without --omit=optional, or install ripgrep. Meanwhile use Bash with find or grep.';

/** Runs `rg` with the arguments, which search `place`; undefined if ripgrep is not available. */
export async function runRipgrep(
  args: readonly string[],
  separator: '\n' | '\0',
  { cwd, root, place }: { readonly cwd: string; readonly root: string; readonly place: string },
  env: Environment,
  signal: AbortSignal,
): Promise<SearchRun | undefined> {
  const program = await findRipgrep(env, root);
  if (program === undefined) return undefined;
  return new Promise((resolve) => {
    const child = spawn(program, ['--no-config', '--color=never', '--no-ignore-messages', ...args], {
      cwd,
      env: { ...env },
      // Without a terminal, from which a link .gitignore to /dev/tty would take the user's keys.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const pipesRead = openIgnorePipes(child, place);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let problem = '';
    let end: SearchRun['end'] = 'done';
    let isStuck = false;
    const stop = (reason: SearchRun['end']): void => {
      if (end === 'done') end = reason;
      child.kill('SIGKILL');
    };
    const onAbort = (): void => stop('stopped');
    const timer = setTimeout(() => stop('limit'), TIMEOUT_MS);
    let [ticks, seenBytes, idleChecks] = [0, 0, 0];
    const watch = setInterval(() => {
      const work = workOf(child.pid);
      const isIdle = work?.isWaiting === true && work.ticks - ticks <= IDLE_TICKS && bytes === seenBytes;
      idleChecks = isIdle ? idleChecks + 1 : 0;
      [ticks, seenBytes] = [work?.ticks ?? 0, bytes];
      const isEndless = work !== undefined && work.bytes > MAX_MEMORY_BYTES;
      if (idleChecks < MAX_IDLE_CHECKS && !isEndless) return;
      problem = isEndless ? ENDLESS : STALLED;
      isStuck = true;
      stop('limit');
    }, PROGRESS_CHECK_MS);
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
      // Empty after a final separator, otherwise part of an item because the search was stopped.
      items.pop();
      const shown = withoutPatterns(problem).slice(0, MAX_ERROR_CHARACTERS).trim();
      resolve({ end, items, problem: shown, isStuck, pipes: pipesRead() });
    };
    child.on('close', settle);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/**
 * Removes messages about lines of ignore files, which quote them: such a file may be a link to a secret. The option of
 * ripgrep leaves those of the folders above.
 */
function withoutPatterns(messages: string): string {
  return messages
    .split(/^(?=rg: )/m)
    .filter((message) => !/: line \d+: /.test(message))
    .join('');
}

/** Never uses a program from the project. */
async function findRipgrep(env: Environment, root: string): Promise<string | undefined> {
  const packaged = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  const onPath = pathOutside(env, [root], realpath)
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
