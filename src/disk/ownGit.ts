/**
 * Starts the git processes that are our own: hardened, and so that none waits forever, prints without end, or outlives
 * us. Each has a process group, which is ended as a whole.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { statOf } from './fileLookups.ts';
import { blockingFile } from './gitFiles.ts';
import { OWN_GIT_ARGUMENTS, ownGitEnvironment } from './ownPrograms.ts';
import { realpath } from './paths.ts';

/** Which git, and for whom. */
export interface OwnGit {
  /** The user's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders from which no program is started. */
  readonly workspace: readonly string[];
}

/** One run of git. */
interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** Of its output; git is stopped if it prints more. */
  readonly maxBytes: number;
  readonly input?: string;
  /** Stops it. */
  readonly signal?: AbortSignal | undefined;
}

/** How git ended. */
interface GitEnd {
  /** Null if it could not be started, or was stopped. */
  readonly code: number | null;
  readonly stdout: Buffer;
  /** Why it could not be started or was stopped, otherwise the end of what it wrote to stderr. As it was written. */
  readonly problem: string;
}

/** Runs git once. Never rejects. */
export function runGit(git: OwnGit, call: GitCall): Promise<GitEnd> {
  const { cwd, args, timeoutMs, maxBytes, input = '', signal } = call;
  const blocking = blockingFile(cwd);
  if (blocking !== undefined) return Promise.resolve(failure(unreadable(blocking)));
  if (signal?.aborted === true) return Promise.resolve(failure(STOPPED));
  return new Promise((resolve) => {
    const child = startGit(git, cwd, args);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let errors = '';
    /** Why it was stopped by us. */
    let stopped: string | undefined;
    const end = (code: number | null, problem: string): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve({ code, stdout: Buffer.concat(chunks), problem });
    };
    const stop = (why: string): void => {
      if (stopped !== undefined) return;
      stopped = why;
      void stopGit(child).then(() => end(null, why));
    };
    const abort = (): void => stop(STOPPED);
    const timer = setTimeout(() => stop(tooSlow(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return stop('Git printed too much.');
      chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_PROBLEM);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      end(null, error.code === 'ENOENT' ? NOT_INSTALLED : error.message),
    );
    child.on('close', (code) => {
      if (stopped !== undefined) return;
      if (code === NO_GIT) end(null, NOT_INSTALLED);
      else end(code, errors);
    });
    child.stdin.end(input);
  });
}

/** Maximum characters of a problem. */
const MAX_PROBLEM = 500;
const STOPPED = 'Git was stopped.';
const NOT_INSTALLED = 'git is not installed.';

const failure = (problem: string): GitEnd => ({ code: null, stdout: Buffer.alloc(0), problem });

const unreadable = (path: string): string =>
  `Git would read ${path.slice(0, MAX_PROBLEM)}, which is a pipe, a device or a huge file. Replace it with a small file, or remove it from the git settings.`;

const tooSlow = (timeoutMs: number): string =>
  `Git did not finish within ${timeoutMs / 1000} seconds and was stopped. Check whether \`git status\` works in this repository.`;

/** Starts git. Errors on its stdin are ignored. */
function startGit(
  { env, workspace }: OwnGit,
  cwd: string,
  args: readonly string[],
): ChildProcessWithoutNullStreams {
  const git = ownGit(args);
  const child = spawn(git.program, git.args, {
    cwd,
    env: ownGitEnvironment(env, workspace, realpath),
    detached: true,
    stdio: 'pipe',
  });
  child.stdin.on('error', () => {});
  return child;
}

/** Until git is killed: on SIGTERM it removes its locks and what it has half made. */
const GRACE_MS = 1000;

/** Ends git and all that it has started. Resolves when it has ended, or when a disk keeps even a killed process waiting. */
async function stopGit(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  // Always both: git may have ended, and what it has started may ignore the first.
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(child, signal);
    await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
  }
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}

/**
 * The program and arguments that run git so that it is killed when the thread that started it ends, where the machine
 * can do that: setpriv(1) of util-linux. `program`: git, as a name or path.
 */
export function ownGit(
  args: readonly string[],
  program = 'git',
): { readonly program: string; readonly args: readonly string[] } {
  const all = [...OWN_GIT_ARGUMENTS, ...args];
  setpriv ??= findSetpriv();
  return setpriv === ''
    ? { program, args: all }
    : { program: setpriv, args: [...KILLED_WITH_US, program, ...all] };
}

/** Exit code of setpriv if git is not installed. */
const NO_GIT = 127;

const KILLED_WITH_US = ['--pdeathsig', 'KILL', '--'];

/** Its path; empty if there is none. */
let setpriv: string | undefined;

function findSetpriv(): string {
  if (process.platform !== 'linux') return '';
  const found = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => statOf(path)?.isFile() === true);
  // That of busybox has no such option.
  return found === undefined || /busybox|toybox/.test(realpathSync(found)) ? '' : found;
}
