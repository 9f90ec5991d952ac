import { MAX_PROMPT_BYTES } from '../../headless/joinPrompt.ts';

/** Milliseconds to wait for the first byte when there is a prompt without it: some callers leave a pipe open. */
const FIRST_BYTE_MS = 3000;

/**
 * All of standard input when it is piped or a file; undefined at a terminal. With `optional`, a pipe that stays
 * silent counts as empty. Reads no further than just above the limit of a prompt.
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
    // A standard input that is closed, silent or cannot be read is the same as none.
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks).toString('utf8');
}
