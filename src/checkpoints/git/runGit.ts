/** Starts git for reading only: nothing it is asked here writes, takes a lock, runs a hook or reaches a network. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

export interface GitProgram {
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A repository that takes longer is done without git. */
const TIMEOUT_MS = 30_000;

/**
 * `core.fsmonitor` would start a program that the repository names; without protocols a partial clone cannot fetch
 * what it lacks; without optional locks the index is not refreshed.
 */
const SAFE = [
  '--no-pager',
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'protocol.allow=never',
];

/** Settled however it ends; `input` is written while the output is read. */
export function startGit(
  git: GitProgram,
  cwd: string,
  args: readonly string[],
): ChildProcessWithoutNullStreams {
  const child = spawn(git.program, [...SAFE, ...args], { cwd, env: safeEnvironment(git.env), stdio: 'pipe' });
  child.stdin.on('error', () => {});
  child.stderr.resume();
  return child;
}

/** The output; undefined when git is not there, fails, or takes too long. */
export function runGit(
  git: GitProgram,
  cwd: string,
  args: readonly string[],
  input?: string,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const child = startGit(git, cwd, args);
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const end = (result: Buffer | undefined): void => {
      clearTimeout(timer);
      resolve(result);
    };
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', () => end(undefined));
    child.on('close', (code) => end(code === 0 ? Buffer.concat(chunks) : undefined));
    child.stdin.end(input ?? '');
  });
}

/** Without what would point git at another repository. */
function safeEnvironment(env: GitProgram['env']): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}
