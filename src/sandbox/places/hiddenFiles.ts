/**
 * Tells whether files that are hidden from a command may have become visible to it: another program may replace, move
 * or remove a file and thereby its mount, and a new file was never hidden. Writing into a hidden file keeps it hidden.
 * Compares the files from outside, so it also works after the sandbox has ended.
 */
import { opendirSync } from 'node:fs';
import { dirname } from 'node:path';
import { lstatOf } from '../../disk/fileLookups.ts';

/** Paths are absolute. */
export interface HiddenFiles {
  has(path: string): boolean;
  /** Returns those that may have been visible since they were hidden. Rejects if `find` does. */
  exposed(): Promise<readonly string[]>;
}

/** Call this before the files and folders are hidden. `find` finds those to hide now. */
export function watchHiddenFiles(
  hidden: readonly string[],
  find: () => Promise<readonly string[]>,
): HiddenFiles {
  const stamps = new Map(hidden.map((path) => [path, stampOf(path)]));
  return {
    has: (path) => stamps.has(path),
    async exposed() {
      new Set(hidden.map((path) => dirname(path))).forEach(waitForRename);
      const changed = hidden.filter((path) => !isSame(stamps.get(path), stampOf(path)));
      const now = await find();
      return [...changed, ...now.filter((path) => !stamps.has(path))];
    },
  };
}

type Stamp = ReturnType<typeof stampOf>;

function stampOf(path: string) {
  const found = lstatOf(path);
  return found && { found, folderChangedAt: lstatOf(dirname(path))?.mtimeNs };
}

function isSame(before: Stamp, now: Stamp): boolean {
  if (before === undefined || now === undefined) return before === now;
  const [a, b] = [before.found, now.found];
  // A new file may get the inode of the old one.
  if (a.dev !== b.dev || a.ino !== b.ino || a.birthtimeNs !== b.birthtimeNs) return false;
  // It was elsewhere for a while: a rename changes the file's change time and its folder, but not its content.
  const isBack =
    a.ctimeNs !== b.ctimeNs && a.mtimeNs === b.mtimeNs && before.folderChangedAt !== now.folderChangedAt;
  return !isBack;
}

/**
 * Waits for a rename or removal in a folder that has begun: for some milliseconds, the kernel shows the old file
 * without what was mounted over it. Listing the folder takes the same lock.
 */
function waitForRename(folder: string): void {
  try {
    const listing = opendirSync(folder, { bufferSize: 1 });
    listing.readSync();
    listing.closeSync();
  } catch {
    // A missing folder is noticed through its files.
  }
}
