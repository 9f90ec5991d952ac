/** What the index of a repository says, as far as the sandbox needs it. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDirectory, lstatOf, textOf } from '../../disk/fileLookups.ts';
import { indexPaths } from '../../disk/gitIndex.ts';
import { linkedGitFolder } from './gitFolders.ts';

const MAX_BYTES = 64 * 2 ** 20;

export interface IndexLook {
  /** Folders, absolute. */
  readonly submodules: readonly string[];
  /** Of the paths that were asked about, those that git has. Where that cannot be told, all of them. */
  readonly tracked: readonly string[];
}

/**
 * A function that looks into the index of the repository at a folder for some absolute paths in it. It reads again only
 * what has changed. Never throws.
 */
export function createIndexLook(): (repository: string, paths?: readonly string[]) => IndexLook {
  const known = new Map<string, { readonly state: string; readonly found: IndexLook }>();
  return (repository, paths = []) => {
    const own = join(repository, '.git');
    const folder = isDirectory(own) ? own : linkedGitFolder(repository)[0];
    const index = join(folder ?? own, 'index');
    const file = lstatOf(index);
    if (folder === undefined || file?.isFile() !== true) return { submodules: [], tracked: [] };
    if (file.size > MAX_BYTES) return { submodules: [], tracked: paths };
    const state = [file.ino, file.ctimeNs, ...paths].join('\n');
    const before = known.get(index);
    if (before?.state === state) return before.found;
    const found = readIndex(index, hashBytes(folder), repository, paths);
    known.set(index, { state, found });
    return found;
  };
}

const hashBytes = (folder: string): number =>
  /objectformat\s*=\s*"?sha256/i.test(textOf(join(folder, 'config'))) ? 32 : 20;

function readIndex(index: string, bytes: number, repository: string, paths: readonly string[]): IndexLook {
  try {
    const listed = indexPaths(readFileSync(index), bytes);
    if (listed === undefined) return { submodules: [], tracked: paths };
    const files = new Set(listed.files);
    return {
      submodules: listed.submodules.map((path) => join(repository, path)),
      tracked: paths.filter((path) => files.has(relative(repository, path))),
    };
  } catch {
    return { submodules: [], tracked: paths };
  }
}

/** The repository that a folder lies in, if it is none itself. */
export function repositoryAbove(folder: string): string | undefined {
  const above = dirname(folder);
  if (above === folder) return undefined;
  return lstatOf(join(above, '.git')) === undefined ? repositoryAbove(above) : above;
}
