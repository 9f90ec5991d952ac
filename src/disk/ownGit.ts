/**
 * Starts the git processes that are our own: hardened, and so that none waits forever, prints without end, or outlives
 * us. Each has a process group, which is ended as a whole.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { statOf } from './fileLookups.ts';
import { blockingFile } from './gitFiles.ts';
import { openIgnorePipes } from './ignorePipes.ts';
import { OWN_GIT_ARGUMENTS, ownGitEnvironment } from './ownPrograms.ts';
import { realpath } from './paths.ts';
import { signalGroup } from './signalGroup.ts';

/** Which git, and for whom. */
export interface OwnGit {
  /** The user's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders from which no program is started. */
  readonly workspace: readonly string[];
  /** A name or path. Default: `git`. */
  readonly program?: string | undefined;
  /** Variables that are added to its environment once that is safe. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** One run of git. */
interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** Of its output; git is stopped if it prints more. */
  readonly maxBytes: number;
  readonly input?: string | undefined;
  /** A folder with another repository that it reads. */
  readonly from?: string | undefined;
}

/** How git ended. */
interface GitEnd {
  /** Null if it could not be started, or was stopped. */
  readonly code: number | null;
  readonly stdout: Buffer;
  /** Why it could not be started or was stopped, otherwise the end of what it wrote to stderr. As it was written. */
  readonly problem: string;
}

/** Runs git once; `signal` stops it. Never rejects. */
export function runGit(git: OwnGit, call: GitCall, signal?: AbortSignal): Promise<GitEnd> {
  const { timeoutMs, maxBytes, input = '' } = call;
  if (signal?.aborted === true) return Promise.resolve(failure(STOPPED));
  const child = startGit(git, call);
  if (typeof child === 'string') return Promise.resolve(failure(child));
  openIgnorePipes(child, call.cwd);
  return new Promise((resolve) => {
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
      if (bytes > maxBytes) return stop(TOO_MUCH);
      chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_PROBLEM);
    });
    child.on('error', (error) => end(null, problemOf(error)));
    child.on('close', (code) => {
      if (stopped !== undefined) return;
      if (code === NO_GIT) end(null, NOT_INSTALLED);
      else end(code, errors);
    });
    child.stdin.end(input);
  });
}

/** Runs a git that only reads, while this thread waits. */
export function runGitNow(git: OwnGit, call: GitCall): GitEnd {
  const { timeoutMs, maxBytes, input = '' } = call;
  const start = prepared(git, call);
  if (typeof start === 'string') return failure(start);
  // It is killed on its own: git starts no others for reading, and a group is not possible here.
  const { status, stdout, stderr, error } = spawnSync(start.program, start.args, {
    ...start.options,
    input,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxBytes,
  });
  // Git may have ended well, without its input being read, and also with only a part of its output.
  const isUnread = (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
  if (error !== undefined && !isUnread) return failure(problemOf(error, timeoutMs));
  if (status === NO_GIT) return failure(NOT_INSTALLED);
  return { code: status, stdout, problem: stderr.toString().slice(-MAX_PROBLEM) };
}

function problemOf({ code, message }: NodeJS.ErrnoException, timeoutMs = 0): string {
  if (code === 'ENOENT') return NOT_INSTALLED;
  if (code === 'ETIMEDOUT') return tooSlow(timeoutMs);
  return code === 'ENOBUFS' ? TOO_MUCH : message;
}

/** Maximum characters of a problem. */
const MAX_PROBLEM = 500;
const STOPPED = 'Git was stopped.';
const TOO_MUCH = 'Git printed too much.';
const NOT_INSTALLED = 'git is not installed.';

const failure = (problem: string): GitEnd => ({ code: null, stdout: Buffer.alloc(0), problem });

const unreadable = (path: string): string =>
  `Git would read ${path.slice(0, MAX_PROBLEM)}, which is a pipe, a device or a huge file. Replace it with a small file, or remove it from the git settings.`;

/** What to do about a run that was not started or was stopped; empty if its problem says that. */
export function adviceFor(problem: string, timeoutMs: number): string {
  if (problem === NOT_INSTALLED) return 'Install it.';
  const isLimit = problem === TOO_MUCH || problem === tooSlow(timeoutMs);
  return isLimit ? 'Name fewer commits or files: -n 20, -- src.' : '';
}

const tooSlow = (timeoutMs: number): string =>
  `Git did not finish within ${timeoutMs / 1000} seconds and was stopped.`;

/** What to start, and where. */
type GitStart = Pick<GitCall, 'cwd' | 'args' | 'from'>;

/**
 * Starts git for a caller that limits its time and output, and ends it with `stopGit`. Returns a string, which says why,
 * if a file would block it. Errors on its stdin are ignored.
 */
export function startGit(git: OwnGit, call: GitStart): ChildProcessWithoutNullStreams | string {
  const start = prepared(git, call);
  if (typeof start === 'string') return start;
  const child = spawn(start.program, start.args, { ...start.options, detached: true, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  return child;
}

interface Prepared {
  readonly program: string;
  readonly args: readonly string[];
  readonly options: { readonly cwd: string; readonly env: Record<string, string> };
}

/** What every git of ours has in common. A string says why it must not be started. */
function prepared(
  { env, workspace, program, variables }: OwnGit,
  { cwd, args, from }: GitStart,
): Prepared | string {
  const own = { ...ownGitEnvironment(env, workspace, realpath), ...variables };
  const blocking = blockingFile(cwd, own) ?? (from === undefined ? undefined : blockingFile(from, own));
  if (blocking !== undefined) return unreadable(blocking);
  return { ...endsWithUs(args, program), options: { cwd, env: own } };
}

/** On SIGTERM, git removes its locks and what it has half made. After this time it is killed. */
const GRACE_MS = 1000;

/**
 * Ends git and all that it has started. Resolves when git has ended; if a disk keeps even a killed process waiting, after
 * the same time once more.
 */
export async function stopGit(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  // Always both: git may have ended, and what it has started may ignore the first.
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(child.pid, signal);
    await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
  }
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
}

/**
 * The program and arguments that run git so that it is killed when the thread that started it ends, where the machine
 * can do that: setpriv(1) of util-linux. `program`: git, as a name or path.
 */
function endsWithUs(
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
