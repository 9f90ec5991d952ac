/** Saves the session no matter how the program ends: by a signal, a crash, or a closed terminal or pipe. */
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { EXIT } from '../../headless/exitCodes.ts';

export interface SessionGuard {
  /** Registers the function that ends the session cleanly: it flushes the log and resolves when done. */
  onEnd(close: () => Promise<void>): void;
  /** Call when nothing needs saving any more. */
  release(): void;
}

interface GuardOptions {
  readonly stdout: Writable;
  readonly signals: readonly NodeJS.Signals[];
  /** Restores the terminal, right before the program ends or reports an error; may be called twice. */
  readonly restore?: () => void;
  /** True if a signal is currently meant for another program. */
  readonly isPassedOver?: (signal: NodeJS.Signals) => boolean;
}

/** Ends the process itself: with 128 + the signal's number, or 1 after a crash. */
export function guardSession(options: GuardOptions): SessionGuard {
  const { stdout, restore = () => undefined, isPassedOver = () => false } = options;
  let close: () => Promise<void> = () => Promise.resolve();
  let isEnding = false;
  const end = async (code: number): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    process.exitCode = code;
    await flush(close);
    restore();
    process.exit(code);
  };
  const codeOf = (signal: NodeJS.Signals): number => 128 + (constants.signals[signal] ?? 0);
  const signals = options.signals.map((signal) => {
    const handler = (): void => {
      if (!isPassedOver(signal)) void end(codeOf(signal));
    };
    // Not `once`: Ink's own handler kills the process immediately if it finds no other listeners.
    process.on(signal, handler);
    return { signal, handler };
  });
  let isCrashed = false;
  const onCrash = (error: unknown): void => {
    if (isCrashed) return;
    isCrashed = true;
    // The window or pipe was closed: only the log matters now.
    if (isPipeClosed(error)) {
      void end(codeOf('SIGHUP'));
      return;
    }
    restore();
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(
      `\nclawdcode crashed; the session is saved up to here (clawdcode --continue).\n${text}\n`,
    );
    void end(1);
  };
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  stdout.on('error', onCrash);
  return {
    onEnd(next) {
      close = next;
    },
    release() {
      for (const { signal, handler } of signals) process.off(signal, handler);
      process.off('uncaughtException', onCrash);
      process.off('unhandledRejection', onCrash);
      stdout.off('error', onCrash);
    },
  };
}

function isPipeClosed(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EIO' || code === 'EPIPE' || code === 'ENOTCONN';
}

// Ends the program: once the session is on disk and all output is written, waits for nothing else.

/** Maximum milliseconds to wait for the session to be flushed. */
const FLUSH_MS = 2000;

/** Resolves when the session is closed, or after `FLUSH_MS`; never rejects. */
export async function flush(close: () => Promise<void>): Promise<void> {
  await Promise.race([close().catch(() => undefined), new Promise((done) => setTimeout(done, FLUSH_MS))]);
}

/**
 * Ends the program as soon as all output is written; never resolves. Anything still running (a request to a server, an
 * open connection) is no longer needed, and a regular end would also tear down the heap, which can take longer than
 * printing the answer. Does nothing if `process.exitCode` is set, even while output is still being written, because the
 * program is then already ending for another reason.
 */
export function exitNow(code: number): Promise<never> {
  const exit = (): void => {
    if (process.exitCode === undefined) process.exit(code);
  };
  return new Promise(() => {
    if (process.exitCode !== undefined) return;
    // The error of a write is emitted after its callback, in the same turn of the event loop.
    process.stdout.write('', () => process.stderr.write('', () => setImmediate(exit)));
  });
}

/**
 * Calls `stop` once when standard output can no longer be written: with the exit code, and with a message unless the
 * reader just closed the pipe. Errors on standard error are ignored.
 */
export function guardOutput(stop: (code: number, message: string | undefined) => void): void {
  let isStopped = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isStopped) return;
    isStopped = true;
    // A reader like `head` has closed the pipe.
    if (error.code === 'EPIPE') stop(EXIT.readerLeft, undefined);
    else stop(EXIT.failed, `standard output cannot be written: ${error.message}.`);
  });
  process.stderr.on('error', () => undefined);
}
