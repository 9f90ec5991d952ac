/** Finds files that a test opened and never closed. The garbage collector would close them, with a warning of Node's. */
import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** What `fs/promises` opened, and where; closed ones are dropped when somebody looks. */
const opened = new Map<FileHandle, Error>();

const { open } = promises;
promises.open = async (path, ...rest) => {
  const here = new Error(`${String(path)} was opened and never closed`);
  const handle = await open(path, ...rest);
  opened.set(handle, here);
  return handle;
};
syncBuiltinESMExports();

/** One error for each file that is open, thrown where it was opened. */
export function openFiles(): readonly Error[] {
  for (const handle of opened.keys()) if (handle.fd === -1) opened.delete(handle);
  return [...opened.values()];
}

/** The next test file is not to blame for what is open now. */
export function forgetOpenFiles(): void {
  opened.clear();
}
