/** Walks a tree from the top; stats everything, opens nothing. */
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Coverage, Pace } from './Coverage.ts';
import { type DiskEntry, statEntry } from './diskEntry.ts';
import { isGitFolder, isHistory } from './histories.ts';

interface WalkDeps {
  readonly coverage: Coverage;
  readonly pace: Pace;
  /** Paths that are never scanned. */
  readonly exclude: ReadonlySet<string>;
  readonly signal: AbortSignal | undefined;
  /** May return a promise if there is more to do; returns false for a path beyond the limit. */
  readonly visit: (path: string, entry: DiskEntry) => boolean | Promise<boolean>;
}

interface Walked {
  /** False if it was aborted. */
  readonly isComplete: boolean;
  /** Folders that cannot be read this time; their contents are assumed to be unchanged. */
  readonly unreadable: readonly string[];
  /** Number of names that are not UTF-8, which cannot be looked up. */
  readonly unnameable: number;
}

/** Larger folders are listed asynchronously; compared with the size that the file system reports for a folder. */
const LARGE_FOLDER_BYTES = 128 * 1024;

export async function walk(root: string, deps: WalkDeps): Promise<Walked> {
  const { coverage, pace, exclude, visit } = deps;
  const unreadable: string[] = [];
  let unnameable = 0;
  const folders = [{ path: root, isWeighed: false, size: Number.POSITIVE_INFINITY }];
  // The list grows during the loop, so entries near the top come first.
  for (const folder of folders) {
    let names: readonly string[];
    try {
      names = folder.size > LARGE_FOLDER_BYTES ? await readdir(folder.path) : readdirSync(folder.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') unreadable.push(folder.path);
      continue;
    }
    if (isGitFolder(names) && !coverage.isLeftOut(folder.path))
      coverage.leaveOut(folder.path, 'a repository of git');
    if (coverage.isLeftOut(folder.path)) continue;
    const prefix = folder.path === '/' ? '/' : `${folder.path}/`;
    for (const name of names) {
      if (isHistory(name)) continue;
      const path = prefix + name;
      if (exclude.has(path)) continue;
      const entry = statOrSkip(path);
      if (entry === undefined) {
        if (name.includes('\uFFFD')) unnameable += 1;
        continue;
      }
      const visited = visit(path, entry);
      const isWelcome = typeof visited === 'boolean' ? visited : await visited;
      if (entry.kind === 'folder') {
        if (!isWelcome) continue;
        const decision = await coverage.covers(path, folder.isWeighed);
        if (decision !== 'left out')
          folders.push({ path, isWeighed: decision === 'weighed', size: entry.size });
      }
      if (pace.isDue()) {
        if (deps.signal?.aborted === true) return { isComplete: false, unreadable, unnameable };
        await pace.breathe();
      }
    }
  }
  return { isComplete: deps.signal?.aborted !== true, unreadable, unnameable };
}

function statOrSkip(path: string): DiskEntry | undefined {
  try {
    return statEntry(path);
  } catch {
    return undefined;
  }
}

/** Less than half a frame, so that the screen stays responsive during a scan. */
const SLICE_MS = 6;

export function createPace(): Pace {
  let sliceEndsAt = performance.now() + SLICE_MS;
  return {
    isDue: () => performance.now() >= sliceEndsAt,
    breathe: async () => {
      await setImmediate();
      sliceEndsAt = performance.now() + SLICE_MS;
    },
  };
}
