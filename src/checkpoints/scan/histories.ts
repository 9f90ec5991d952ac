/**
 * Where version control keeps its history. Half of it put back, with the user's later commits in the other half, is
 * a damaged repository: such folders are neither looked at nor written to.
 */
import { dirname } from 'node:path';
import { look } from './diskEntry.ts';

/** Folders of that name, or the file that stands for one, and whose they are. */
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

/** What a repository of git is told by, whatever its folder is called: a bare one, a `--separate-git-dir`. */
const GIT_HOLDS = ['HEAD', 'objects', 'refs'];

/** In any spelling that some file system takes for it. */
export function isHistory(name: string): boolean {
  return ownerOf(name) !== undefined;
}

/** Whether a folder with these names in it is a repository of git. */
export function isGitFolder(names: readonly string[]): boolean {
  return GIT_HOLDS.every((one) => names.includes(one));
}

/** Whose history a path belongs to; undefined for all others. `known` keeps the answers, by folder. */
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
    return look(path) !== undefined;
  } catch {
    return false;
  }
}
