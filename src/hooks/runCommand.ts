/**
 * Runs one hook as a process: JSON on its standard input, both outputs bounded, a timeout. It leads its own process
 * group, which ends with it, and with this program even if that is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { signalGroup } from '../disk/signalGroup.ts';
import { launchPipesOf, type StartedPipe } from '../protocol/sandbox.ts';
import { type ConfinedRun, scriptOf } from '../protocol/settingsPrograms.ts';
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
  /** Absent = it runs with the user's rights. */
  readonly confined?: ConfinedRun | undefined;
}

/** Never rejects. */
export function runCommand(hook: CommandHook, signal: AbortSignal): Promise<HookOutput> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    let watched: StartedPipe | undefined;
    let refused: Promise<string | undefined> | undefined;
    try {
      ({ child, watched, refused } = start(hook));
    } catch (error) {
      hook.confined?.release();
      resolve(notStarted(error as Error));
      return;
    }
    const [stdout, stderr] = [capture(child.stdout), capture(child.stderr)];
    let problem: string | undefined;
    let isCancelled = false;
    let killing: NodeJS.Timeout | undefined;
    const stop = (): void => {
      if (killing !== undefined) return;
      signalGroup(child.pid, 'SIGTERM');
      killing = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
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
      signalGroup(child.pid, 'SIGKILL');
      for (const stream of [child.stdout, child.stderr, watched]) stream?.destroy();
      hook.confined?.release();
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
    watched?.on('error', () => {});
    void refused?.then((why) => {
      if (why !== undefined) problem ??= `could not be started: ${why}`;
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

interface Started {
  readonly child: ChildProcess;
  /** Never written to: when it closes, the watcher in the script knows that this program is gone. */
  readonly watched?: StartedPipe;
  /** Resolves to why the sandbox did not let it start. */
  readonly refused?: Promise<string | undefined> | undefined;
}

function start(hook: CommandHook): Started {
  const { shell, confined, cwd } = hook;
  const script = scriptOf(hook);
  // Bubblewrap ends with this program; anything else is ended by a watcher.
  const isWatched = confined === undefined || process.platform !== 'linux';
  const text = isWatched ? `${WATCHER}\n${script}` : script;
  const launch = confined?.launch(shell, text) ?? {
    ...{ program: shell, args: ['-c', text], inherit: [], env: hook.env },
  };
  const child = spawn(launch.program, launch.args, {
    cwd,
    env: { ...launch.env, PWD: cwd },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(isWatched ? (['pipe'] as const) : launch.inherit)],
  });
  const pipes = launchPipesOf(child);
  for (const pipe of pipes) pipe.on('error', () => {});
  if (isWatched) return { child, ...(pipes[0] && { watched: pipes[0] }) };
  return { child, refused: child.pid === undefined ? undefined : launch.admit?.(child.pid, pipes) };
}

/** In the background: kills the group as soon as descriptor 3 is closed; the command itself does not inherit it. */
const WATCHER = '(read -r _ <&3; kill -KILL -$$) >/dev/null 2>&1 &\nexec 3<&-';

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

function notStarted(error: Error): HookOutput & { readonly problem: string } {
  return { stdout: '', stderr: '', isCut: false, problem: `could not be started: ${error.message}` };
}
