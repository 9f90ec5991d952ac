/** Runs git for reading only: none of its commands here writes, takes a lock, runs a hook or uses the network. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { OWN_GIT_ARGUMENTS, ownGitEnvironment } from '../../disk/ownPrograms.ts';
import { realpath } from '../../disk/realPath.ts';

export interface GitProgram {
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts processes started from now on, once their answer is no longer needed. */
  readonly signal?: () => AbortSignal;
}

/** If git takes longer, the repository is handled without it. */
const TIMEOUT_MS = 30_000;

/** Starts git. Errors on its stdin and its stderr output are ignored. */
export function startGit(
  git: GitProgram,
  cwd: string,
  args: readonly string[],
): ChildProcessWithoutNullStreams {
  const env = ownGitEnvironment(git.env, cwd, realpath);
  const child = spawn(git.program, [...OWN_GIT_ARGUMENTS, ...args], { cwd, env, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  child.stderr.resume();
  return child;
}

/** The output; undefined if git is missing, fails, or takes too long. */
export function runGit(
  git: GitProgram,
  cwd: string,
  args: readonly string[],
  input?: string,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const child = startGit(git, cwd, args);
    const chunks: Buffer[] = [];
    const stop = (): void => void child.kill('SIGKILL');
    const timer = setTimeout(stop, TIMEOUT_MS);
    const signal = git.signal?.();
    signal?.addEventListener('abort', stop, { once: true });
    const end = (result: Buffer | undefined): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(result);
    };
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', () => end(undefined));
    child.on('close', (code) => end(code === 0 ? Buffer.concat(chunks) : undefined));
    child.stdin.end(input ?? '');
  });
}
