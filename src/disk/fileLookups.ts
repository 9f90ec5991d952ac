/** File system lookups without exceptions: a missing or inaccessible entry gives an empty result. */
import {
  type BigIntStats,
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';

/** The path with its links resolved; empty if it does not exist. */
export function resolved(path: string): readonly string[] {
  // Most do not exist, and an exception for each would take longer than everything else.
  if (lstatOf(path) === undefined) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** The names in a folder; empty if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The entries of a folder with their types; empty if it cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

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

/** True for a folder, false for a link to one. */
export const isDirectory = (path: string): boolean => lstatOf(path)?.isDirectory() === true;

const MAX_TEXT_BYTES = 64 * 1024;

/** The content of a small file; empty for a link, a large file, or if it cannot be read. */
export function textOf(path: string): string {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= MAX_TEXT_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}
