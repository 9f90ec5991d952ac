/** Finds all git folders in which a command may have prepared something, however many there are. */
import { dirname, join } from 'node:path';
import { entriesOf, isDirectory, statOf } from '../../../disk/fileLookups.ts';
import { createFolderWalk } from '../../../disk/folderWalk.ts';
import type { Steps } from '../../../disk/slices.ts';
import { isEnteredInModule, isGitFolder, ownGitFolders } from './gitFolders.ts';

/** More than any real project has; git accepts submodule names of any length. */
const REACH = { skipped: /^$/, maxDepth: 40, maxFolders: 20_000 };

export interface AllGitFolders {
  /** The git folders of a repository: its own first, those of its linked worktrees and of submodules. */
  readonly folders: readonly string[];
  /** Those of submodules, checked out or not. */
  readonly modules: readonly string[];
  /** Links in place of folders; git never creates any. */
  readonly links: readonly string[];
  /** Folders of submodules that are too large to search. */
  readonly unsearched: readonly string[];
}

/**
 * Creates a function that finds them for the repository at a folder. It reads only folders that have changed. Never
 * throws.
 */
export function createModuleWalk(): (repository: string) => Steps<AllGitFolders> {
  const walks = new Map<string, ReturnType<typeof walkOf>>();
  const walked = (top: string) => {
    const walk = walks.get(top) ?? walkOf();
    walks.set(top, walk);
    return walk.steps(top);
  };
  return function* (repository) {
    const own = ownGitFolders(repository);
    const linked = own.flatMap(worktreeFolders);
    const tops = [...new Set([...own, ...linked])].map((folder) => join(folder, 'modules'));
    const found: (WalkedModules & { readonly top: string })[] = [];
    for (const top of tops.filter(isDirectory)) found.push({ top, ...(yield* walked(top)) });
    const modules = found.flatMap(({ top, folders }) =>
      folders.flatMap(({ path, found: { isModule } }) => (isModule && path !== top ? [path] : [])),
    );
    return {
      folders: [...new Set([...own, ...linked, ...modules, ...modules.flatMap(worktreeFolders)])],
      modules,
      links: found.flatMap(({ folders }) => folders.flatMap(({ found: { links } }) => links)),
      unsearched: found.flatMap(({ top, left }) => (left.length > 0 ? [top] : [])),
    };
  };
}

type WalkedModules = ReturnType<ReturnType<typeof walkOf>>;

const walkOf = () =>
  createFolderWalk((path, entries) => {
    const isModule = isGitFolder(path);
    const enters = (name: string): boolean => !isModule || isEnteredInModule(join(path, name));
    const links = entries
      .filter((entry) => entry.isSymbolicLink() && enters(entry.name))
      .map(({ name }) => join(path, name))
      .filter((link) => statOf(link)?.isDirectory() === true);
    return { found: { isModule, links }, enters };
  }, REACH);

const worktreeFolders = (folder: string): readonly string[] =>
  entriesOf(join(folder, 'worktrees')).flatMap((entry) =>
    // Git follows links here.
    entry.isDirectory() || entry.isSymbolicLink() ? [join(folder, 'worktrees', entry.name)] : [],
  );

/**
 * The folder to which a submodule's folder is moved so that no submodule uses it: the git folder around all of them. In
 * `modules`, it would belong to a submodule with its new name.
 */
export function outsideModules(path: string): string {
  const parts = path.split('/');
  const at = parts.findIndex(
    (part, index) => part === 'modules' && isGitFolder(parts.slice(0, index).join('/')),
  );
  return at === -1 ? dirname(path) : parts.slice(0, at).join('/');
}
