import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Much more than a handwritten file; a larger one is something else. */
export const MAX_SETTINGS_BYTES = 1_000_000;

/**
 * Reads a settings file. Rejects with system errors, and if it is not a regular file or far too large: a repository may
 * contain anything, including a pipe that never ends. `flags`: more flags for open(2).
 */
export async function readSettingsText(file: string, flags = 0): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw new Error('it is not a regular file');
    if (info.size > MAX_SETTINGS_BYTES)
      throw new Error(`it is larger than ${MAX_SETTINGS_BYTES / 1_000_000} MB`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
