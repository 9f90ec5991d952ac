/** Walks a tree from the top; stats everything, opens nothing. */
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Coverage, YieldTimer } from './Coverage.ts';
import { type DiskEntry, statEntry, statEntrySafely } from './diskEntry.ts';

interface WalkDeps {
  readonly coverage: Coverage;
  readonly pace: YieldTimer;
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
      coverage.leaveOut(folder.path, 'a git repository');
    if (coverage.isLeftOut(folder.path)) continue;
    const prefix = folder.path === '/' ? '/' : `${folder.path}/`;
    for (const name of names) {
      if (isHistory(name)) continue;
      const path = prefix + name;
      if (exclude.has(path)) continue;
      const entry = statEntrySafely(path);
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
        await pace.pause();
      }
    }
  }
  return { isComplete: deps.signal?.aborted !== true, unreadable, unnameable };
}

/** Less than half a frame, so that the screen stays responsive during a scan. */
const SLICE_MS = 6;

export function createYieldTimer(): YieldTimer {
  let sliceEndsAt = performance.now() + SLICE_MS;
  return {
    isDue: () => performance.now() >= sliceEndsAt,
    pause: async () => {
      await setImmediate();
      sliceEndsAt = performance.now() + SLICE_MS;
    },
  };
}

// Recognizes where version control keeps its history. Restoring part of it, without the user's later commits in the
// rest, would damage the repository: such folders are neither scanned nor written to.

/** Names of such folders, or of the file that replaces one, and their owners. */
const OWNERS: Readonly<Record<string, string>> = {
  '.git': 'git',
  '.hg': 'Mercurial',
  '.svn': 'Subversion',
  '.jj': 'Jujutsu',
  '.sl': 'Sapling',
  '.bzr': 'Bazaar',
  '.pijul': 'Pijul',
  _darcs: 'Darcs',
};

/** Entries by which a git repository is recognized under any name: a bare one, a `--separate-git-dir`. */
const GIT_HOLDS = ['HEAD', 'objects', 'refs'];

/** In any capitalization, since some file systems ignore case. */
export function isHistory(name: string): boolean {
  return ownerOf(name) !== undefined;
}

/** True if a folder with these entries is a git repository. */
function isGitFolder(names: readonly string[]): boolean {
  return GIT_HOLDS.every((one) => names.includes(one));
}

/** The version control system whose history contains a path, if any. `known` caches results by folder. */
export function historyAround(path: string, known: Map<string, boolean>): string | undefined {
  const owner = path.split('/').map(ownerOf).find(Boolean);
  if (owner !== undefined) return owner;
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const isGit = known.get(at) ?? GIT_HOLDS.every((name) => isThere(`${at}/${name}`));
    known.set(at, isGit);
    if (isGit) return 'git';
  }
  return undefined;
}

function ownerOf(name: string): string | undefined {
  return name.length > 7 ? undefined : OWNERS[name.toLowerCase()];
}

function isThere(path: string): boolean {
  try {
    return statEntry(path) !== undefined;
  } catch {
    return false;
  }
}
