/**
 * Whether git, only asked to look, would start programs that a repository's own files name. A clone brings no
 * such files; an unpacked archive does, and so does a bare repository that is hidden in a folder.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type IndexPaths, indexPaths } from './gitIndex.ts';
import { type Shown, shownFiles } from './gitShown.ts';

/** Settings that name a program for a command that looks, or another file with settings. */
const naming =
  /(?:^|\])\s*(?:\[include(?:if)?\b|(?:\w*command|external|textconv|clean|smudge|process|program|uploadpack|gitproxy)\s*(?:=|$))/im;
/** The monitor is a program unless it is only switched on or off. */
const monitor = /(?:^|\])\s*fsmonitor\s*=(?!\s*(?:true|false|yes|no|on|off|[01])\s*$)/im;
/** Where a partial clone fetches what it lacks: `ext::` and other helpers are programs. */
const helper = /(?:^|\])\s*(?:(?:push)?url\s*=\s*"?[\w+-]+::|vcs\s*=|\[protocol\b|\[url\s+"[\w+-]+::)/im;
const hooksPath = /(?:^|\])\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/im;
/** The one hook that a command that looks may start. */
const HOOK = 'post-index-change';
const MAX_BYTES = 1_000_000;

/**
 * Looks at the repository that git would find from the directory, and at its submodules. Errs towards yes, also where the
 * settings say that the worktree is somewhere else.
 */
export function gitRunsPrograms(directory: string): boolean {
  const repository = findRepository(resolve(directory));
  return repository !== undefined && runsPrograms(repository, new Set());
}

/** The folder with the settings of the repository that git would find from the directory. */
export function gitFolder(directory: string): string | undefined {
  return findRepository(resolve(directory))?.folder;
}

/** The files that git has in its index, absolute, in the repository found from the directory; undefined = not known. */
export function trackedFiles(directory: string): readonly string[] | undefined {
  const repository = findRepository(resolve(directory));
  if (repository === undefined) return [];
  const { folder, worktree } = repository;
  const settings = readText(join(folder, 'config'));
  return settings === undefined
    ? undefined
    : readIndex(folder, settings)?.files.map((path) => join(worktree, path));
}

/** How git is asked whose content a command shows, with the user's environment; see `shownFiles`. */
export const gitShows =
  (env: Readonly<Record<string, string | undefined>>, realpath: (path: string) => string) =>
  (directory: string, shown: Shown): readonly string[] | undefined => {
    const repository = findRepository(resolve(directory));
    return repository === undefined ? [] : shownFiles(env, directory, repository.worktree, shown, realpath);
  };

/** Repositories in repositories that are looked at. */
const MAX_REPOSITORIES = 200;

function runsPrograms(repository: Repository, seen: Set<string>): boolean {
  const { folder, worktree } = repository;
  if (seen.has(folder)) return false;
  seen.add(folder);
  if (seen.size > MAX_REPOSITORIES) return true;
  const common = readText(join(folder, 'commondir'))?.trim() ?? '';
  const texts: string[] = [];
  for (const place of new Set([folder, resolve(folder, common)])) {
    const own = ['config', 'config.worktree'].map((name) => readText(join(place, name)));
    if (own.some((text) => text === undefined)) return true;
    const settings = own.join('\n');
    texts.push(settings);
    const hooks = hooksPath.exec(settings)?.[1];
    const hookFolders = [join(place, 'hooks'), ...(hooks === undefined ? [] : [resolve(worktree, hooks)])];
    if (isElsewhere(settings, place, worktree)) return true;
    if (naming.test(settings) || helper.test(settings) || monitor.test(settings)) return true;
    if (hookFolders.some((at) => exists(join(at, HOOK)))) return true;
  }
  // Status and diff start a git of its own in each submodule, which obeys that one's settings.
  const paths = readIndex(folder, texts.join('\n'))?.submodules;
  return paths === undefined || paths.some((path) => submoduleRuns(join(worktree, path), seen));
}

/** The files of the worktree may be said to be elsewhere, and would be shown as if they belonged to the project. */
function isElsewhere(settings: string, place: string, worktree: string): boolean {
  const named = /(?:^|\])\s*worktree\s*=\s*"?([^"\n]*?)"?\s*$/im.exec(settings)?.[1];
  return named !== undefined && resolve(place, named) !== worktree;
}

function submoduleRuns(directory: string, seen: Set<string>): boolean {
  const inside = repositoryAt(directory);
  return inside !== undefined && runsPrograms(inside, seen);
}

/** What is tracked; undefined where that cannot be known. */
function readIndex(folder: string, settings: string): IndexPaths | undefined {
  try {
    const file = join(folder, 'index');
    const info = statSync(file, { throwIfNoEntry: false });
    if (info === undefined) return { files: [], submodules: [] };
    if (!info.isFile() || info.size > MAX_INDEX_BYTES) return undefined;
    return indexPaths(readFileSync(file), /objectformat\s*=\s*"?sha256/i.test(settings) ? 32 : 20);
  } catch {
    return undefined;
  }
}

const MAX_INDEX_BYTES = 200_000_000;

interface Repository {
  readonly folder: string;
  readonly worktree: string;
}

/** As git does: upwards, `.git` before the directory itself. */
function findRepository(start: string): Repository | undefined {
  for (let at = start; ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found !== undefined) return found;
    if (['HEAD', 'objects', 'refs'].every((name) => exists(join(at, name))))
      return { folder: at, worktree: at };
    if (at === dirname(at)) return undefined;
  }
}

/** The repository whose worktree begins here. */
function repositoryAt(at: string): Repository | undefined {
  const inside = join(at, '.git');
  if (exists(join(inside, 'HEAD'))) return { folder: inside, worktree: at };
  const target = /^gitdir:\s*(\S.*)$/.exec(readText(inside)?.trimEnd() ?? '')?.[1];
  return target === undefined ? undefined : { folder: resolve(at, target), worktree: at };
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Empty where there is no such file; undefined where there is something that cannot be read as one. */
function readText(path: string): string | undefined {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined) return '';
    return info.isFile() && info.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
