import { entriesOf } from '../../disk/fileLookups.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { type CheckpointLimits, describePath, describeSize } from '../types.ts';
import { statEntry } from './diskEntry.ts';

/** Yields to other work at regular intervals in a long loop. */
export interface YieldTimer {
  /** True when `pause` should be awaited now; cheap enough to call for every file. */
  readonly isDue: () => boolean;
  readonly pause: () => Promise<void>;
}

/** Folders that programs fill. In a git repository, a folder without tracked files is treated the same. */
const FILLED_BY_PROGRAMS = new Set(
  'node_modules bower_components vendor .venv venv env .tox target dist build out .gradle .next .nuxt .cache .yarn .pnpm-store __pycache__ Pods .terraform .svelte-kit coverage DerivedData'.split(
    ' ',
  ),
);

/** Counting stops here; the number is only for the note. */
const MAX_COUNTED = 500_000;

export interface Coverage {
  /** Decides whether to scan this folder. `isInside`: the decision about a parent folder has already been made. */
  covers(folder: string, isInside: boolean): Promise<'covered' | 'weighed' | 'left out'>;
  /** Leaves the folder out from now on. */
  leaveOut(folder: string, reason: string): void;
  /** Forgets the decision about a folder that has disappeared. */
  forget(folder: string): void;
  isLeftOut(folder: string): boolean;
  /** Returns the folders left out since the last call, ready to show. */
  takeNotes(): readonly string[];
}

interface CoverageDeps {
  readonly root: string;
  readonly limits: CheckpointLimits;
  readonly pace: YieldTimer;
  /**
   * Folders with tracked files somewhere inside, of the repository that contains this folder; undefined without one.
   */
  readonly trackedFolders: (folder: string) => ReadonlySet<string> | undefined;
}

export function createCoverage({ root, limits, pace, trackedFolders }: CoverageDeps): Coverage {
  const decided = new Map<string, 'weighed' | 'left out'>();
  let notes: string[] = [];

  const leaveOut = (folder: string, reason: string): void => {
    decided.set(folder, 'left out');
    notes.push(`${describePath(root, folder)} (${reason}) is not covered`);
  };

  return {
    covers: async (folder, isInside) => {
      if (isInside) return decided.get(folder) ?? 'weighed';
      const before = decided.get(folder);
      if (before !== undefined) return before;
      const tracked = trackedFolders(folder);
      const name = folder.slice(folder.lastIndexOf('/') + 1);
      if (tracked?.has(folder) === true) return 'covered';
      if (tracked === undefined && !FILLED_BY_PROGRAMS.has(name)) return 'covered';
      const weight = await weigh(folder, limits, pace);
      if (weight.files > limits.maxFolderFiles) {
        const more = weight.files >= MAX_COUNTED ? 'more than ' : '';
        leaveOut(folder, `${more}${grouped(weight.files)} files`);
      } else if (weight.bytes > limits.maxFolderBytes) {
        leaveOut(folder, `more than ${describeSize(limits.maxFolderBytes)}`);
      } else decided.set(folder, 'weighed');
      return decided.get(folder) ?? 'covered';
    },
    leaveOut,
    forget: (folder) => void decided.delete(folder),
    isLeftOut: (folder) => decided.get(folder) === 'left out',
    takeNotes: () => {
      const taken = notes;
      notes = [];
      return taken;
    },
  };
}

/** The number of files in a folder, and their total size if there are few enough for it to matter. */
async function weigh(
  folder: string,
  limits: CheckpointLimits,
  pace: YieldTimer,
): Promise<{ readonly files: number; readonly bytes: number }> {
  let [files, bytes] = [0, 0];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && files < MAX_COUNTED; next = folders.pop()) {
    for (const entry of entriesOf(next)) {
      const path = `${next}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else {
        files += 1;
        if (files <= limits.maxFolderFiles) bytes += sizeOf(path, limits.maxFileBytes);
      }
      if (pace.isDue()) await pace.pause();
    }
    if (pace.isDue()) await pace.pause();
  }
  return { files, bytes };
}

/** The size that would be copied: larger files are left out individually. */
function sizeOf(path: string, maxFileBytes: number): number {
  try {
    const size = statEntry(path)?.size ?? 0;
    return size > maxFileBytes ? 0 : size;
  } catch {
    return 0;
  }
}
