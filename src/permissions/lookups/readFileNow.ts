import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * The content of a regular file, at once: null where there is none, undefined where it is too large, a pipe, a device, or
 * cannot be read. Never waits for the other end of a pipe, even if one takes the place of the file meanwhile.
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
