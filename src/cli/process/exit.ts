/** Ends the program: once the session is on disk and all output is written, waits for nothing else. */
import { EXIT } from '../../headless/exitCodes.ts';

/** Maximum milliseconds to wait for the session to be flushed. */
const FLUSH_MS = 2000;

/** Resolves when the session is closed, or after `FLUSH_MS`; never rejects. */
export async function flush(close: () => Promise<void>): Promise<void> {
  await Promise.race([close().catch(() => undefined), new Promise((done) => setTimeout(done, FLUSH_MS))]);
}

/**
 * Ends the program as soon as all output is written; never resolves. Anything still running (a request to a server, an
 * open connection) is no longer needed, and a regular end would also tear down the heap, which can take longer than
 * printing the answer. Does nothing if `process.exitCode` is set, because the program is then already ending for
 * another reason.
 */
export function exitNow(code: number): Promise<never> {
  return new Promise(() => {
    if (process.exitCode !== undefined) return;
    process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
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
