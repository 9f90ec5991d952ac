/** Looks at the disk without exceptions: what is not there, or cannot be seen, is nothing. */
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

/** The path with its links resolved; empty where there is nothing. */
export function resolved(path: string): readonly string[] {
  // Most are not there, and an exception for each would take longer than all the rest.
  if (lstatOf(path) === undefined) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** The names in a folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The same with what they are. */
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

/** Whether a folder stands there, and no link to one. */
export const isDirectory = (path: string): boolean => lstatOf(path)?.isDirectory() === true;

const MAX_TEXT_BYTES = 64 * 1024;

/** The content of a small file that is no link. */
export function textOf(path: string): string {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= MAX_TEXT_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}
