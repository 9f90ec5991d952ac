import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Reads a regular file synchronously: null if it does not exist, undefined if it is too large, a pipe, a device, or
 * unreadable. Never blocks on a pipe, even if one replaces the file in the meantime.
 */
export function readFileNow(path: string, maxBytes: number): Buffer | null | undefined {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : undefined;
  }
  try {
    const info = fstatSync(file);
    return info.isFile() && info.size <= maxBytes ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
