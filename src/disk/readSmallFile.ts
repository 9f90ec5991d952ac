import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The text of a small regular file of somebody else's; undefined for what is missing, too large, a pipe or a device, and
 * for what cannot be read. Never waits for a pipe's other end, whatever is put there meanwhile.
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<string | undefined> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= maxBytes ? await file.readFile('utf8') : undefined;
  } catch {
    // A disk that fails.
    return undefined;
  } finally {
    await file.close().catch(() => undefined);
  }
}
