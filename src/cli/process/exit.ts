/** How the program ends: the session is on disk, what was written has been taken, and nothing else is waited for. */
import { EXIT } from '../../headless/exitCodes.ts';

/** Milliseconds that an end waits for the session to be flushed. */
const FLUSH_MS = 2000;

/** Resolves once the session is closed, or has had its time; never rejects. */
export async function flush(close: () => Promise<void>): Promise<void> {
  await Promise.race([close().catch(() => undefined), new Promise((done) => setTimeout(done, FLUSH_MS))]);
}

/**
 * Ends the program as soon as everything it has written was taken; never resolves. What is still running is of no use by
 * then (a question to a server, an open connection), and a program that ends of its own accord also takes its heap apart,
 * which can take longer than the answer took to print. An end that has begun for another reason, with its code in
 * `process.exitCode`, is left to itself.
 */
export function exitNow(code: number): Promise<never> {
  return new Promise(() => {
    if (process.exitCode !== undefined) return;
    process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
  });
}

/**
 * Calls `stop` once when standard output can no longer be written, with the exit code and, where it is not the
 * reader's own doing, what to say. Errors of standard error are ignored by then.
 */
export function guardOutput(stop: (code: number, message: string | undefined) => void): void {
  let isStopped = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isStopped) return;
    isStopped = true;
    // `| head` has seen enough.
    if (error.code === 'EPIPE') stop(EXIT.readerLeft, undefined);
    else stop(EXIT.failed, `standard output cannot be written: ${error.message}.`);
  });
  process.stderr.on('error', () => undefined);
}
