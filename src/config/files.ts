import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner may read (0600, new directories 0700), atomically: a crash leaves the old one.
 * Follows a link, so that a file kept elsewhere stays there.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Far more than anyone writes by hand; a larger file is something else. */
const MAX_BYTES = 1_000_000;

/**
 * Reads a settings file. Rejects with system errors, and if it is not a regular file or far too large: a repository may
 * contain anything, including a pipe that never ends.
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
