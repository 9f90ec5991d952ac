import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The text of a small, untrusted regular file; undefined if it is missing, too large, unreadable, a pipe or a device.
 * Never blocks on a pipe, even if one is put there in the meantime.
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<string | undefined> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= maxBytes ? await file.readFile('utf8') : undefined;
  } catch {
    // A disk error.
    return undefined;
  } finally {
    await file.close().catch(() => undefined);
  }
}
