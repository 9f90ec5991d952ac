/** Standard output that nobody takes: a pipe whose reader has left, a full disk. */
import { EXIT } from '../../headless/exitCodes.ts';

/**
 * Calls `stop` once when standard output can no longer be written, with the exit code and, where it is not the
 * reader's own doing, what to say. Errors of standard error are nobody's business any more.
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
