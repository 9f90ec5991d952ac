import type { ReadStream, WriteStream } from 'node:tty';
import { isAnswered, questions, readReplies, type TerminalAnswers } from './terminalReplies.ts';

/** A remote terminal may take that long for a round trip, in milliseconds. */
const PATIENCE_MS = 2000;
/** Replies are some hundred characters; whoever sends more is not answering. */
const MAX_CHARACTERS = 10_000;
const CTRL_C = '\u0003';

/**
 * Asks the terminal about itself. Leaves the line empty and the terminal as it was; keys pressed meanwhile are lost, but
 * for Ctrl+C, which calls `interrupt` instead of waiting on.
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
