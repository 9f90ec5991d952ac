/**
 * File system lookups without exceptions: a missing or inaccessible entry gives an empty result. A `stat` detects what is
 * missing, since an exception takes ten times as long.
 */
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';

/** The path with its links resolved; empty if it does not exist. */
export function resolved(path: string): readonly string[] {
  if (lstatOf(path) === undefined) return [];
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

/** The names in a folder; empty if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  if (statOf(folder) === undefined) return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The entries of a folder with their types; empty if it cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  if (statOf(folder) === undefined) return [];
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * The entries of a folder with their types: empty if it does not exist or this user may not read it, so that no other
 * program finds something there either; undefined if they are unknown. A path may be too long for this program only.
 */
export function entriesForAll(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return isClosed(error) ? [] : undefined;
  }
}

/** True if an error means that there is nothing, or nothing that this user may read. */
export const isClosed = (error: unknown): boolean =>
  /^(?:ENOENT|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '');

/** `stat` that never throws. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** `lstat` that never throws. */
export function lstatOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** True for a regular file that this process may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** True for a folder, false for a link to one. */
export const isDirectory = (path: string): boolean => lstatOf(path)?.isDirectory() === true;

/**
 * Reads a regular file synchronously: null if it does not exist, undefined if it is too large, a pipe, a device, or
 * unreadable. `flags`: more flags for open(2). Never blocks on a pipe, even if one replaces the file in the meantime.
 */
export function readFileNow(path: string, maxBytes: number, flags = 0): Buffer | null | undefined {
  return readNow(path, flags, (file, size) => (size <= maxBytes ? readFileSync(file) : undefined));
}

/**
 * The content of a regular file, or of a large one `bytes` of its beginning and of its end. Null and undefined as for
 * `readFileNow`.
 */
export function readEndsNow(path: string, bytes: number): readonly Buffer[] | null | undefined {
  return readNow(path, 0, (file, size) => {
    if (size <= 2 * bytes) return [readFileSync(file)];
    return [0, size - bytes].map((at) => {
      const buffer = Buffer.alloc(bytes);
      return buffer.subarray(0, readSync(file, buffer, 0, bytes, at));
    });
  });
}

function readNow<T>(
  path: string,
  flags: number,
  read: (file: number, size: number) => T,
): T | null | undefined {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    file = openSync(path, O_RDONLY | O_NONBLOCK | flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : undefined;
  }
  try {
    const info = fstatSync(file);
    return info.isFile() ? read(file, info.size) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

const MAX_TEXT_BYTES = 64 * 1024;

/** The content of a small file; empty for a link, a pipe, a large file, or if it cannot be read. */
export const readSmallText = (path: string): string => {
  const { O_NOFOLLOW = 0 } = constants;
  return readFileNow(path, MAX_TEXT_BYTES, O_NOFOLLOW)?.toString('utf8') ?? '';
};
