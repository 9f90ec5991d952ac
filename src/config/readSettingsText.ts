import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Far more than anyone writes by hand; beyond it the file is something else. */
const MAX_BYTES = 1_000_000;

/**
 * The text of a settings file. Rejects with the system's error, and for what is no regular file or far too
 * large: a repository may put anything there, a pipe that never ends included.
 */
export async function readSettingsText(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw new Error('it is not a regular file');
    if (info.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1_000_000} MB`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
