/** Walks a tree from the top, looking at everything and opening nothing. */
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Coverage, Pace } from './Coverage.ts';
import { type DiskEntry, look } from './diskEntry.ts';
import { isGitFolder, isHistory } from './histories.ts';

export interface WalkDeps {
  readonly coverage: Coverage;
  readonly pace: Pace;
  /** Paths that are never looked at. */
  readonly exclude: ReadonlySet<string>;
  readonly signal: AbortSignal | undefined;
  /** May answer a promise where it has more to do than to look; false for a path that is one too many. */
  readonly visit: (path: string, entry: DiskEntry) => boolean | Promise<boolean>;
}

export interface Walked {
  /** False when it was aborted. */
  readonly isComplete: boolean;
  /** Folders whose contents are unknown this time, and are to be taken as they were. */
  readonly unreadable: readonly string[];
  /** Names that are not UTF-8: they cannot be looked at. */
  readonly unnameable: number;
}

/** A larger folder is listed by a thread; the unit is what the file system calls a folder's size. */
const LARGE_FOLDER_BYTES = 128 * 1024;

export async function walk(root: string, deps: WalkDeps): Promise<Walked> {
  const { coverage, pace, exclude, visit } = deps;
  const unreadable: string[] = [];
  let unnameable = 0;
  const folders = [{ path: root, isWeighed: false, size: Number.POSITIVE_INFINITY }];
  // The list grows while it is walked through: what lies near the top comes first.
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
      const entry = lookOrSkip(path);
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

function lookOrSkip(path: string): DiskEntry | undefined {
  try {
    return look(path);
  } catch {
    return undefined;
  }
}

/** Less than half a frame, so that what is drawn beside a scan is drawn in time. */
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
