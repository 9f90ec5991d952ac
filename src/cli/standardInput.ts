/** Milliseconds to wait for the first byte when there is a prompt without it: some callers leave a pipe open. */
const FIRST_BYTE_MS = 3000;

/**
 * Standard input when it is piped or a file; undefined at a terminal. With `optional`, a pipe that stays silent
 * counts as empty.
 */
export function standardInput(optional: boolean): AsyncIterable<Uint8Array> | undefined {
  const { stdin } = process;
  return stdin.isTTY ? undefined : read(stdin, optional);
}

async function* read(stdin: NodeJS.ReadStream, optional: boolean): AsyncGenerator<Uint8Array> {
  const patience = optional ? setTimeout(() => stdin.destroy(), FIRST_BYTE_MS) : undefined;
  try {
    for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
      clearTimeout(patience);
      yield chunk;
    }
  } catch {
    // A standard input that is closed, silent or cannot be read is the same as none.
  } finally {
    clearTimeout(patience);
  }
}
