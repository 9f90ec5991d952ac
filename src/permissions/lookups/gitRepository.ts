/** Finds the repository that git would use for a folder, and reads its settings: gitrepository-layout(5), setup.c. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { readFileNow } from '../../disk/fileLookups.ts';
import { isDirectory } from './filesBelow.ts';

/** Larger files are not read. */
const MAX_BYTES = 1_000_000;

export interface Repository {
  /** The folder of this worktree's own files, such as its index. */
  readonly folder: string;
  readonly worktree: string;
  /**
   * The folder shared by all worktrees, which contains the settings; absent if git may look elsewhere than this code.
   */
  readonly common: string | undefined;
}

/** Searches upwards from the resolved folder, as git does: in each folder, first `.git`, then the folder itself. */
export function findRepository(directory: string): Repository | undefined {
  const start = realPathOf('/', resolve(directory)) ?? resolve(directory);
  for (let at = start; ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found !== undefined) return found;
    if (entryExists(join(at, 'HEAD')) && ['objects', 'refs'].every((name) => exists(join(at, name))))
      return { folder: at, worktree: at, common: holderOf(at) };
    if (at === dirname(at)) return undefined;
  }
}

/** The repository whose worktree is this directory; undefined if git would search further up. */
export function repositoryAt(at: string): Repository | undefined {
  const inside = join(at, '.git');
  if (!entryExists(inside)) return undefined;
  const target = isDirectory(inside) ? '.git' : pathIn(inside, /^gitdir: ([^\r\n]+)[\r\n]*$/);
  const folder = target === undefined ? undefined : realPathOf(at, target);
  if (folder === undefined) return { folder: inside, worktree: at, common: undefined };
  const isOwn = folder.startsWith(`${at}/`) || isNamedBack(folder, at);
  return { folder, worktree: at, common: isOwn ? holderOf(folder) : undefined };
}

/**
 * True if a git folder elsewhere names this directory as its worktree, as those of linked worktrees and submodules do.
 */
function isNamedBack(folder: string, at: string): boolean {
  const link = pathIn(join(folder, 'gitdir'), /^([^\r\n]+)[\r\n]*$/);
  if (link !== undefined && realPathOf(folder, dirname(link)) === at) return true;
  const paths = valuesOf(readText(join(folder, 'config')) ?? '', 'worktree');
  return paths.some((path) => path !== undefined && realPathOf(folder, path) === at);
}

/** The folder with the settings of a repository; undefined if git would not accept it as one. */
function commonOf(folder: string): string | undefined {
  const named = entryExists(join(folder, 'commondir'))
    ? pathIn(join(folder, 'commondir'), /^([^\r\n]+)[\r\n]*$/)
    : '.';
  const common = named === undefined ? undefined : realPathOf(folder, named);
  if (common === undefined || !['objects', 'refs'].every((name) => isDirectory(join(common, name))))
    return undefined;
  const head = pathIn(join(folder, 'HEAD'), /^(?:ref:\s*(refs\/\S+)|([\da-f]{40,64}))\s*$/);
  return head === undefined ? undefined : common;
}

/** The same, if it is the folder itself or contains it, as a main repository contains the folders of its worktrees. */
function holderOf(folder: string): string | undefined {
  const common = commonOf(folder);
  return common !== undefined && `${folder}/`.startsWith(`${common}/`) ? common : undefined;
}

/** The path in a file that contains nothing else, including trailing spaces. */
function pathIn(file: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(readText(file) ?? '');
  return found?.slice(1).find((path) => path !== undefined);
}

/** Where a path really leads, resolving links before `..`; undefined if nothing exists there. */
export function realPathOf(folder: string, path: string): string | undefined {
  try {
    return realpathSync.native(isAbsolute(path) ? path : `${folder}/${path}`);
  } catch {
    return undefined;
  }
}

/** True if there is an entry of that name, including a dangling link. */
function entryExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return true;
  }
}

export function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Empty if there is no such file; undefined if there is something that cannot be read as a file. */
export function readText(path: string): string | undefined {
  const found = readFileNow(path, MAX_BYTES);
  return found === null ? '' : found?.toString('utf8');
}

/** The folders whose settings git reads, even if the repository is not in a usual place. */
export function settingsFolders({ folder }: Pick<Repository, 'folder'>): readonly string[] {
  const named = pathIn(join(folder, 'commondir'), /^([^\r\n]+)[\r\n]*$/) ?? '.';
  return [...new Set([folder, realPathOf(folder, named) ?? folder])];
}

/**
 * All values of some settings; undefined for a value with quotes, escapes or comments, which only git reads correctly.
 */
export function valuesOf(settings: string, names: string): readonly (string | undefined)[] {
  return [...settings.matchAll(new RegExp(`(?:^|\\])[^\\S\\n]*(?:${names})\\s*=[ \\t]*(.*)$`, 'gim'))].map(
    ([, raw = '']) => {
      const value = /^(?:"([^"\\]*)"|([^"\\#;]*?))\s*$/.exec(raw);
      return value?.[1] ?? value?.[2];
    },
  );
}
