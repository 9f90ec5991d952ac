/**
 * Finds files that a test opened and never closed. The garbage collector would close them, with a warning from Node.
 */
import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Files opened by `fs/promises`, with the place; closed ones are dropped on the next check. */
const opened = new Map<FileHandle, Error>();

const { open } = promises;
promises.open = async (path, ...rest) => {
  const here = new Error(`${String(path)} was opened and never closed`);
  const handle = await open(path, ...rest);
  opened.set(handle, here);
  return handle;
};
syncBuiltinESMExports();

/** One error for each open file, with the stack of where it was opened. */
export function openFiles(): readonly Error[] {
  for (const handle of opened.keys()) if (handle.fd === -1) opened.delete(handle);
  return [...opened.values()];
}

/** Forgets the files that are open now, so that the next test file is not blamed for them. */
export function forgetOpenFiles(): void {
  opened.clear();
}
