/** Most that is read from standard input, in bytes: more than any window holds, less than would hurt. */
export const MAX_INPUT_BYTES = 10 * 1024 * 1024;

/** Milliseconds to wait for the first byte when there is a prompt without it: some callers leave a pipe open. */
const FIRST_BYTE_MS = 3000;

/**
 * All of standard input when it is piped or a file; undefined at a terminal, or when a pipe stays silent and
 * `optional` says that one can do without. Stops just above the limit.
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
      if (bytes > MAX_INPUT_BYTES) break;
    }
  } catch {
    // A standard input that is closed, silent or cannot be read is the same as none.
    return undefined;
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks).toString('utf8');
}
