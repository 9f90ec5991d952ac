import { MAX_PROMPT_BYTES } from '../../headless/joinPrompt.ts';

/** Milliseconds to wait for the first byte if there is also a prompt argument: some callers leave a pipe open. */
const FIRST_BYTE_MS = 3000;

/**
 * Reads all of standard input if it is piped or a file; undefined at a terminal. With `optional`, a silent pipe counts
 * as empty. Stops just above the size limit of a prompt.
 */
export async function readStandardInput(optional: boolean): Promise<string | undefined> {
  const { stdin } = process;
  if (stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const patience = optional ? setTimeout(() => stdin.destroy(), FIRST_BYTE_MS) : undefined;
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      clearTimeout(patience);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_PROMPT_BYTES) break;
    }
  } catch {
    // A closed, silent or unreadable standard input counts as none.
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks).toString('utf8');
}
