import { randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner may read (0600, new directories 0700), atomically: a crash leaves the old one.
 * Follows a link, so that a file kept elsewhere stays there; with `isLinkReplaced`, the link is replaced.
 */
export async function writePrivateFile(
  file: string,
  text: string,
  { isLinkReplaced = false } = {},
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const target = isLinkReplaced ? file : await realpath(file).catch(() => file);
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
