import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf } from '../../disk/fileLookups.ts';

export interface TreeEntry {
  /** Relative to the path that was asked about; empty for itself. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** Whether a name is no UTF-8: what it names cannot be looked at under what is left of it. */
export const isMisread = (name: string): boolean => name.includes('\ufffd');

/** A larger tree is a question anyway. */
const MAX_ENTRIES = 1000;

/**
 * What stands at a path and, in a folder, below it; links are not followed. Nothing where nothing stands; undefined
 * where that is too much to look at, or cannot be seen. Never throws.
 */
export function listTree(top: string): readonly TreeEntry[] | undefined {
  try {
    const info = lstatSync(top, { throwIfNoEntry: false });
    if (info === undefined) return [];
    const found: TreeEntry[] = [{ path: '', kind: kindOf(info) }];
    for (const { path, kind } of found) {
      if (kind !== 'folder') continue;
      const entries = readdirSync(join(top, path), { withFileTypes: true });
      for (const entry of entries) found.push({ path: join(path, entry.name), kind: kindOf(entry) });
      if (found.length > MAX_ENTRIES || entries.some(({ name }) => isMisread(name))) return undefined;
    }
    return found;
  } catch (error) {
    // Below a file there is nothing.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? [] : undefined;
  }
}

/** The links in a folder, absolute. Nothing where there is no such folder. Never throws. */
export const linksIn = (folder: string): readonly string[] =>
  entriesOf(folder)
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(folder, entry.name));

function kindOf(entry: { isSymbolicLink(): boolean; isDirectory(): boolean }): TreeEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'folder' : 'file';
}
