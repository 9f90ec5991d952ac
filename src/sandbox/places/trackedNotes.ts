/**
 * Remembers, for all projects, which folders have been searched for denied files, and which of these files git tracked:
 * what an index says later may come from a command.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lstatOf, readFileNow } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import type { KnownFiles } from './deniedScan.ts';

interface Notes {
  /** Folders, absolute. */
  readonly searched: readonly string[];
  /** Files, absolute. */
  readonly tracked: ReadonlySet<string>;
}

export interface TrackedNotes {
  /** What is known now; later calls of `save` do not change it. */
  read(): KnownFiles;
  /**
   * Adds searched folders and the denied files in them that git tracks; these replace earlier ones that the same rules
   * cover. Never throws.
   */
  save(roots: readonly string[], tracked: readonly string[], isDenied: (path: string) => boolean): void;
}

const MAX_BYTES = 64 * 2 ** 20;

/** `file`: where the notes are, in a folder that commands cannot see; undefined = only in memory. */
export function createTrackedNotes(file: string | undefined): TrackedNotes {
  let notes: Notes = { searched: [], tracked: new Set() };
  let stamp = '';
  const load = (): Notes => {
    const found = file === undefined ? undefined : lstatOf(file);
    const now = found === undefined ? '' : `${found.ino} ${found.ctimeNs}`;
    if (file !== undefined && now !== '' && now !== stamp) notes = readNotes(file);
    stamp = now;
    return notes;
  };
  return {
    read() {
      const { searched, tracked } = load();
      return {
        isNew: (path) => !searched.some((folder) => isInside(path, folder)),
        isTracked: (path) => tracked.has(path),
      };
    },
    save(roots, tracked, isDenied) {
      const before = load();
      const isSearched = (path: string): boolean => roots.some((root) => isInside(path, root));
      const others = [...before.tracked].filter((path) => !isSearched(path) || !isDenied(path));
      const all = new Set([...others, ...tracked]);
      const isSame =
        roots.every((root) => before.searched.includes(root)) &&
        all.size === before.tracked.size &&
        tracked.every((path) => before.tracked.has(path));
      if (isSame) return;
      notes = { searched: [...new Set([...before.searched, ...roots])], tracked: all };
      if (file === undefined) return;
      writeNotes(file, notes);
      const written = lstatOf(file);
      stamp = written === undefined ? '' : `${written.ino} ${written.ctimeNs}`;
    },
  };
}

/** Of damaged notes: everything has been searched, and nothing was tracked. */
function readNotes(file: string): Notes {
  try {
    const { searched, tracked } = JSON.parse(readFileNow(file, MAX_BYTES)?.toString('utf8') ?? '');
    if (Array.isArray(searched) && Array.isArray(tracked)) return { searched, tracked: new Set(tracked) };
  } catch {
    // Damaged.
  }
  return { searched: ['/'], tracked: new Set() };
}

function writeNotes(file: string, { searched, tracked }: Notes): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify({ searched, tracked: [...tracked] }), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // Disk full: known in this session only.
  }
}
