/**
 * Recognizes where version control keeps its history. Restoring part of it, without the user's later commits in the
 * rest, would damage the repository: such folders are neither scanned nor written to.
 */
import { dirname } from 'node:path';
import { statEntry } from './diskEntry.ts';

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
export function isGitFolder(names: readonly string[]): boolean {
  return GIT_HOLDS.every((one) => names.includes(one));
}

/**
 * The version control system whose history contains a path; undefined for all others. `known` caches results by folder.
 */
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
