/**
 * Records, for all projects, which folders have been searched for denied files and which of these files git tracked
 * then, since a command may change the index later.
 */
import { isInside } from '../../disk/paths.ts';
import type { KnownFiles } from './deniedScan.ts';
import { createPathNotes } from './pathNotes.ts';

export interface TrackedNotes {
  /** A snapshot; later calls of `save` do not change it. */
  read(): KnownFiles;
  /**
   * Adds searched folders and the denied files in them that git tracks, which replace those that the same rules covered
   * before. Never throws.
   */
  save(roots: readonly string[], tracked: readonly string[], isDenied: (path: string) => boolean): void;
}

/** `file`: as for `createPathNotes`. */
export function createTrackedNotes(file: string | undefined): TrackedNotes {
  // If the notes are damaged, everything counts as searched and nothing as tracked.
  const notes = createPathNotes(file, { searched: ['/'] });
  return {
    read() {
      const { searched = [], tracked = [] } = notes.read();
      const all = new Set(tracked);
      return {
        isNew: (path) => !searched.some((folder) => isInside(path, folder)),
        isTracked: (path) => all.has(path),
      };
    },
    save(roots, tracked, isDenied) {
      const { searched = [], tracked: before = [] } = notes.read();
      const isSearched = (path: string): boolean => roots.some((root) => isInside(path, root));
      const others = before.filter((path) => !isSearched(path) || !isDenied(path));
      const all = new Set([...others, ...tracked]);
      const known = new Set(before);
      const isSame =
        roots.every((root) => searched.includes(root)) &&
        all.size === known.size &&
        tracked.every((path) => known.has(path));
      if (!isSame) notes.write({ searched: [...new Set([...searched, ...roots])], tracked: [...all] });
    },
  };
}
