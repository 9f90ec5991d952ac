import type { ReadStream, WriteStream } from 'node:tty';
import { isAnswered, questions, readReplies, type TerminalAnswers } from './terminalReplies.ts';

/** Maximum wait for replies, in milliseconds; a remote terminal may need that long for a round trip. */
const PATIENCE_MS = 2000;
/** Replies have some hundred characters; any more cannot be replies. */
const MAX_CHARACTERS = 10_000;
const CTRL_C = '\u0003';

/**
 * Queries the terminal's capabilities. Leaves the line empty and restores the terminal's state. Keys pressed meanwhile
 * are lost, except Ctrl+C, which calls `interrupt` and ends the wait.
 */
export async function queryTerminal(
  stdin: ReadStream,
  stdout: WriteStream,
  patienceMs = PATIENCE_MS,
  interrupt: () => void = () => process.kill(process.pid, 'SIGINT'),
): Promise<TerminalAnswers> {
  const wasRaw = stdin.isRaw;
  let replies = '';
  stdin.setRawMode(true);
  try {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      stdin.setEncoding('utf8').on('data', (chunk: string) => {
        replies += chunk;
        if (!isAnswered(replies) && replies.length < MAX_CHARACTERS && !chunk.includes(CTRL_C)) return;
        clearTimeout(timer);
        resolve();
      });
      stdin.resume();
      stdout.write(questions);
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(wasRaw);
    stdin.pause();
    stdout.write('\r\u001B[K');
  }
  if (replies.includes(CTRL_C)) interrupt();
  return readReplies(replies);
}
