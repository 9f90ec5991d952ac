/**
 * Runs one hook as a process: JSON on its standard input, both outputs bounded, a timeout. It leads its own process
 * group, which ends with it, and with this program even if that is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { HookOutput } from './readOutput.ts';

/** Bytes of each output that are kept; the rest is read and dropped. */
export const MAX_OUTPUT_BYTES = 1_000_000;
/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 500;
/** Milliseconds to wait for remaining output; child processes left behind may hold it open. */
const DRAIN_MS = 100;

interface CommandHook {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** The JSON for its standard input. */
  readonly input: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of the shell. */
  readonly shell: string;
  readonly timeoutMs: number;
}

/** Never rejects. */
export function runCommand(hook: CommandHook, signal: AbortSignal): Promise<HookOutput> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(
        hook.shell,
        ['-c', scriptOf(hook), ...(hook.args === undefined ? [] : ['hook', ...hook.args])],
        {
          cwd: hook.cwd,
          env: { ...hook.env, PWD: hook.cwd },
          detached: true,
          stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        },
      );
    } catch (error) {
      resolve(notStarted(error as Error));
      return;
    }
    const [stdout, stderr] = [capture(child.stdout), capture(child.stderr)];
    let problem: string | undefined;
    let isCancelled = false;
    let killing: NodeJS.Timeout | undefined;
    const stop = (): void => {
      if (killing !== undefined) return;
      signalGroup(child, 'SIGTERM');
      killing = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const timer = setTimeout(() => {
      problem = `timed out after ${hook.timeoutMs / 1000} s`;
      stop();
    }, hook.timeoutMs);
    const onAbort = (): void => {
      isCancelled = true;
      stop();
    };
    const finish = (exitCode: number | undefined): void => {
      clearTimeout(timer);
      clearTimeout(killing);
      signal.removeEventListener('abort', onAbort);
      signalGroup(child, 'SIGKILL');
      for (const stream of [child.stdout, child.stderr, child.stdio[3] as Readable]) stream?.destroy();
      resolve({
        ...(exitCode === undefined ? {} : { exitCode }),
        stdout: stdout.text(),
        stderr: stderr.text(),
        isCut: stdout.isCut(),
        ...(problem === undefined ? {} : { problem }),
        ...(isCancelled && { isCancelled }),
      });
    };
    child.on('error', (error) => {
      if (child.pid !== undefined) return;
      problem = notStarted(error).problem;
      finish(undefined);
    });
    child.on('exit', (code, killedBy) => {
      if (killedBy !== null && !isCancelled) problem ??= `ended by ${killedBy}`;
      const drained = Promise.all([stdout.ended, stderr.ended]);
      const late = new Promise((done) => setTimeout(done, DRAIN_MS));
      void Promise.race([drained, late]).then(() => finish(code ?? undefined));
    });
    // A hook that does not read its input may have exited before it is written.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${hook.input}\n`);
    // Never written to: when it closes, the watcher in the script knows that this program is gone.
    child.stdio[3]?.on('error', () => {});
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * The script: a watcher in the background kills the group as soon as descriptor 3, whose other end this program holds,
 * is closed; the command itself does not inherit it.
 */
function scriptOf({ command, args }: CommandHook): string {
  const run = args === undefined ? `eval ${quoteWord(command)}` : `${quoteWord(command)} "$@"`;
  return `(read -r _ <&3; kill -KILL -$$) >/dev/null 2>&1 &\nexec 3<&-\n${run}`;
}

interface Captured {
  readonly text: () => string;
  readonly isCut: () => boolean;
  readonly ended: Promise<void>;
}

function capture(stream: Readable | null): Captured {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - bytes));
    bytes += chunk.length;
  });
  return {
    text: () => Buffer.concat(chunks).toString('utf8'),
    isCut: () => bytes > MAX_OUTPUT_BYTES,
    ended: new Promise((resolve) => {
      for (const event of ['end', 'close', 'error']) stream?.once(event, () => resolve());
    }),
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process group no longer exists.
  }
}

function notStarted(error: Error): HookOutput & { readonly problem: string } {
  return { stdout: '', stderr: '', isCut: false, problem: `could not be started: ${error.message}` };
}

/** Quotes a word so that a shell takes it literally. */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
