/**
 * Determines whether a read-only git command would start programs that a repository's own files name, or show lines of
 * files outside it in error messages. A clone contains no such files, but an unpacked archive or a bare repository
 * hidden in a folder may. If git might look in a different place than this code (gitrepository-layout(5), setup.c), the
 * repository is unsafe.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { entriesOf, lstatOf, readFileNow } from '../../disk/fileLookups.ts';
import {
  changedPaths,
  type IndexPaths,
  indexPaths,
  isAsIndexed,
  sharedIndexPaths,
} from '../../disk/gitIndex.ts';
import { atOnce } from '../../disk/slices.ts';
import { gitIncludes } from '../../protocol/files/gitIncludes.ts';
import { contains } from '../files/filePattern.ts';
import { isSensitive } from '../files/sensitive.ts';
import { holdsCredentials } from './credentialSettings.ts';
import { isDirectory, isMisread } from './filesBelow.ts';
import { type ShownPlace, shownFiles, shownVersions } from './gitContent.ts';
import { gitIn, type OnGitProblem } from './gitObjects.ts';
import {
  exists,
  findRepository,
  isFile,
  type Repository,
  readText,
  realPathOf,
  repositoryAt,
  settingsFolders,
  valuesOf,
} from './gitRepository.ts';
import type { Shown } from './gitShown.ts';
import { heldCredentials } from './pastCredentials.ts';
import { realpathForAll } from './realpathForAll.ts';
import { messagesHoldSecret, secretsAmong } from './shownSecrets.ts';

/**
 * Settings that name another settings file or a program that read-only commands start; `log.diffMerges` may run merge
 * drivers.
 */
const naming =
  /(?:^|\])[^\S\n]*(?:\[include(?:if)?\b|(?:\w*command|external|textconv|clean|smudge|process|program|uploadpack|gitproxy|diffmerges)\s*(?:=|$))/im;
/** `fsmonitor` names a program unless it is just a boolean. */
const monitor = /(?:^|\])[^\S\n]*fsmonitor\s*=(?![ \t]*(?:true|false|yes|no|on|off|[01])[ \t]*$)/im;
/** Characters that end a line in a regular expression but not in git settings, and invalid UTF-8. */
const unreadable = /\r(?!\n)|[\u2028\u2029\ufffd]/;
/** Sources of missing objects in a partial clone that are programs: `ext::` and other helpers. */
const helper = /(?:^|\])[^\S\n]*(?:(?:push)?url\s*=\s*"?[\w+-]+::|vcs\s*=|\[protocol\b|\[url\s+"[\w+-]+::)/im;
/** A partial clone, whose missing objects git fetches with the user's credential helpers. */
const partial = /(?:^|\])[^\S\n]*(?:promisor|partialclone\w*)[^\S\n]*(?:=|$)/im;
/** Settings that name a file with patterns, names or commits: https://git-scm.com/docs/git-config */
export const FILE_SETTINGS = 'excludesfile|attributesfile|ignorerevsfile|orderfile|file';
/** The only hook that read-only commands run. */
export const HOOK = 'post-index-change';

/**
 * Checks the repository that git would find from the directory, and its submodules. Errs on the side of true, including
 * when the settings or links in the git folder place the worktree or a file elsewhere.
 */
export function gitRunsPrograms(directory: string): boolean {
  const repository = findRepository(directory);
  return repository !== undefined && runsPrograms(repository, new Set());
}

/**
 * True if parts of that repository may be elsewhere: its git folder, worktree or objects, or files behind links in its
 * git folder. Its commits may then be those of another repository.
 */
export function gitIsElsewhere(directory: string): boolean {
  const repository = findRepository(directory);
  if (repository === undefined) return false;
  const { folder, worktree, common } = repository;
  if (common === undefined) return true;
  return [...new Set([folder, common])].some(
    (place) => isPlacedElsewhere(place, worktree) || linksOut(place, [place, worktree]) || borrows(place),
  );
}

/** True if that repository or one of its submodules is a partial clone, or if `gitRunsPrograms` is true. */
export function gitFetches(directory: string): boolean {
  const repository = findRepository(directory);
  return repository !== undefined && runsPrograms(repository, new Set(), partial);
}

/**
 * True if the settings of the repository at a directory are unreadable, or would make `git status` start programs there
 * or in the repository around it. Unlike `gitRunsPrograms`, ignores submodules, and settings that make git show files
 * from elsewhere.
 */
export function gitSettingsRunPrograms(directory: string): boolean {
  const at = realPathOf('/', directory);
  const repository = at === undefined ? undefined : repositoryAt(at);
  return repository !== undefined && settingsRun(repository);
}

/** The settings folder of the repository that git would find from the directory. */
export function gitFolder(directory: string): string | undefined {
  return findRepository(directory)?.folder;
}

/** The top folder of that repository; lookups of its files have the same result there. */
export const repositoryTop = (directory: string): string | undefined => findRepository(directory)?.worktree;

/** The files included by the settings that git would use in the directory: the repository's and the user's. */
export function includedSettings(directory: string, home: string): readonly string[] {
  const repository = findRepository(directory);
  const places = new Set([repository?.folder, repository?.common].filter((place) => place !== undefined));
  const configurations = [
    ...[...places].flatMap((place) => ['config', 'config.worktree'].map((name) => join(place, name))),
    ...['.gitconfig', '.config/git/config'].map((name) => join(home, name)),
  ];
  return gitIncludes(configurations, home, readText);
}

/** The files in the index of the repository found from the directory, absolute; undefined if unknown. */
export const trackedFiles = (directory: string): readonly string[] | undefined =>
  trackedPaths(directory)?.files;

/**
 * The files and submodules in that index, absolute; undefined if unknown, or if the index contains paths such as
 * `../x`, which git itself never writes.
 */
export function trackedPaths(directory: string): IndexPaths | undefined {
  const repository = findRepository(directory);
  if (repository === undefined) return { files: [], submodules: [] };
  const { folder, worktree, common } = repository;
  if (common === undefined) return undefined;
  const settings = readText(join(common, 'config'));
  const paths = settings === undefined ? undefined : readIndex(folder, settings);
  if (paths === undefined) return undefined;
  const top = worktree === '/' ? '' : worktree;
  if ([...paths.files, ...paths.submodules].some((path) => join(worktree, path) !== `${top}/${path}`))
    return undefined;
  const absolute = (path: string): string => `${top}/${path}`;
  return { files: paths.files.map(absolute), submodules: paths.submodules.map(absolute) };
}

/** Asks git, in the user's environment, which files' content a command shows; see `shownFiles`. */
export const gitShows =
  (env: Readonly<Record<string, string | undefined>>, onProblem: OnGitProblem) =>
  (directory: string, shown: Shown, workspace: readonly string[]): readonly string[] | undefined => {
    onProblem(undefined);
    const repository = findRepository(directory);
    if (repository === undefined) return [];
    const place = shownPlace(repository, directory, shown, workspace, onProblem);
    return place && shownFiles(env, directory, place, shown);
  };

/** undefined if it is unknown what a command shows there. */
function shownPlace(
  repository: Repository,
  directory: string,
  shown: Shown,
  workspace: readonly string[],
  onProblem: OnGitProblem,
): ShownPlace | undefined {
  if (repository.common === undefined || shown.kind === 'unknown') return undefined;
  const { worktree, folder, common } = repository;
  if ([...new Set([common, folder])].some((at) => isPlacedElsewhere(at, worktree))) return undefined;
  const changed = (): readonly string[] | undefined => {
    const now = shown.touched === null ? [] : changedFiles(repository);
    const later = shown.touched === undefined ? [] : touchedFiles(directory, worktree, shown.touched);
    return now && later && [...new Set([...now, ...later])];
  };
  return { worktree, workspace, changed, onProblem };
}

/** True if files at these absolute paths held a credential in any version that git may show; see `heldCredentials`. */
export const gitHeldCredentials =
  (env: Readonly<Record<string, string | undefined>>, onProblem: OnGitProblem) =>
  (directory: string, paths: readonly string[], shown: Shown, workspace: readonly string[]): boolean => {
    onProblem(undefined);
    const worktree = findRepository(directory)?.worktree;
    if (worktree === undefined) return true;
    const place = { worktree, prefix: relative(worktree, directory) };
    return heldCredentials(
      gitIn(env, directory, [worktree, ...workspace], onProblem),
      place,
      paths,
      shown.objects,
    );
  };

/**
 * The files, absolute, of which a command shows a version with a secret: among its objects and the `named` files as for
 * files on disk, otherwise any secret in all files. undefined if not all of them can be searched.
 */
export const gitSecrets =
  (env: Readonly<Record<string, string | undefined>>, onProblem: OnGitProblem) =>
  (
    directory: string,
    shown: Shown,
    workspace: readonly string[],
    named: readonly string[] | undefined,
  ): readonly string[] | undefined => {
    onProblem(undefined);
    const repository = findRepository(directory);
    if (repository === undefined) return [];
    const place = shownPlace(repository, directory, shown, workspace, onProblem);
    if (place === undefined) return undefined;
    const { worktree } = place;
    const only = named?.map((path) => relative(worktree, path));
    const versions = shownVersions(env, directory, place, shown, only);
    const git = gitIn(env, directory, [worktree, ...workspace], onProblem);
    return versions && secretsAmong(git, versions, worktree, named === undefined);
  };

/** True if a message of a commit, tag or note contains a secret; undefined if not all of them can be searched. */
export const gitMessagesHoldSecret =
  (env: Readonly<Record<string, string | undefined>>, onProblem: OnGitProblem) =>
  (directory: string, workspace: readonly string[]): boolean | undefined => {
    onProblem(undefined);
    const worktree = findRepository(directory)?.worktree;
    return worktree === undefined
      ? undefined
      : messagesHoldSecret(gitIn(env, directory, [worktree, ...workspace], onProblem));
  };

/** Tracked files at or below these paths, relative to the worktree; undefined if unknown. */
function touchedFiles(
  directory: string,
  worktree: string,
  touched: readonly string[] | null,
): readonly string[] | undefined {
  const among = touched?.flatMap((path) => [path, realpathForAll(path)]);
  return trackedFiles(directory)
    ?.filter((file) => among?.some((path) => contains(path, file)) !== false)
    .map((file) => relative(worktree, file));
}

/** Tracked files whose times or sizes differ from the index; undefined if unknown. */
function changedFiles({ folder, common, worktree }: Repository): readonly string[] | undefined {
  const settings = readText(join(common ?? folder, 'config'));
  const index = readFileNow(join(folder, 'index'), MAX_INDEX_BYTES);
  if (index === null) return [];
  if (settings === undefined || index === undefined) return undefined;
  const written = lstatSync(join(folder, 'index'), { throwIfNoEntry: false, bigint: true })?.mtimeNs ?? 0n;
  const real = new Map<string, boolean>([['.', true]]);
  /** Git does not look for a file behind a link. */
  const isRealFolder = (path: string): boolean => {
    const known =
      real.get(path) ?? (isRealFolder(dirname(path)) && lstatOf(join(worktree, path))?.isDirectory());
    real.set(path, known === true);
    return known === true;
  };
  return changedPaths(index, hashBytes(settings), (path, stat) => {
    if (!isRealFolder(dirname(path))) return undefined;
    const found = lstatOf(join(worktree, path));
    if (found === undefined) return undefined;
    // A file that changes while the index is written may keep its times.
    return found.mtimeNs < written && isAsIndexed(found, stat);
  });
}

/** Maximum number of nested repositories to check. */
const MAX_REPOSITORIES = 200;

/** `also`: further settings for which the result is true. */
function runsPrograms(repository: Repository, seen: Set<string>, also?: RegExp): boolean {
  const { folder, worktree, common } = repository;
  if (seen.has(folder)) return false;
  seen.add(folder);
  if (common === undefined || seen.size > MAX_REPOSITORIES) return true;
  const texts: string[] = [];
  for (const place of new Set([folder, common])) {
    const configs = ['config', 'config.worktree'].map((name) => readText(join(place, name)));
    if (configs.some((text) => text === undefined)) return true;
    const settings = configs.join('\n');
    texts.push(settings);
    if (unreadable.test(settings) || also?.test(settings)) return true;
    const hooks = valuesOf(settings, 'hookspath');
    if (hooks.includes(undefined)) return true;
    const hookFolders = [join(place, 'hooks'), ...hooks.map((folder = '') => resolve(worktree, folder))];
    if (isElsewhere(settings, place, worktree) || namesFileElsewhere(settings, worktree)) return true;
    if (linksOut(place, [place, worktree]) || borrows(place)) return true;
    if (namesPrograms(settings, hookFolders)) return true;
  }
  // Status and diff start another git process in each submodule, with that submodule's settings.
  const paths = readIndex(folder, texts.join('\n'))?.submodules;
  return (
    paths === undefined ||
    paths.some((path) => isMisread(path) || submoduleRuns(join(worktree, path), seen, also))
  );
}

const namesPrograms = (settings: string, hookFolders: readonly string[]): boolean =>
  [naming, helper, monitor].some((pattern) => pattern.test(settings)) ||
  hookFolders.some((at) => exists(join(at, HOOK)));

function settingsRun({ folder, worktree }: Repository): boolean {
  const places = settingsFolders({ folder });
  const files = places.flatMap((place) => ['config', 'config.worktree'].map((name) => join(place, name)));
  const texts = files.map(readText);
  const settings = texts.join('\n');
  const hooks = valuesOf(settings, 'hookspath');
  if (texts.includes(undefined) || unreadable.test(settings) || hooks.includes(undefined)) return true;
  const hookFolders = [
    ...places.map((place) => join(place, 'hooks')),
    ...hooks.map((path = '') => resolve(worktree, path)),
  ];
  return namesPrograms(settings, hookFolders);
}

function isPlacedElsewhere(place: string, worktree: string): boolean {
  const texts = ['config', 'config.worktree'].map((name) => readText(join(place, name)));
  return texts.includes(undefined) || isElsewhere(texts.join('\n'), place, worktree);
}

/** True if the settings place the worktree elsewhere: its files would be shown as if they belonged to the project. */
function isElsewhere(settings: string, place: string, worktree: string): boolean {
  return valuesOf(settings, 'worktree').some(
    (named) => named === undefined || realPathOf(place, named) !== worktree,
  );
}

function namesFileElsewhere(settings: string, worktree: string): boolean {
  return valuesOf(settings, FILE_SETTINGS).some((name) => {
    if (name === undefined || /^[~%]/.test(name)) return true;
    const path = resolve(worktree, name);
    if (name === '') return false;
    if (!path.startsWith(`${worktree}/`) || leadsOut(path, [worktree])) return true;
    // Git prints lines that it does not understand.
    const real = realPathOf('/', path) ?? path;
    return isSensitive(path) || isSensitive(real) || holdsCredentials(real);
  });
}

/** Entries of a git folder whose content git never shows; submodules are checked separately. */
const unread = /^(?:hooks|lfs|annex|modules)$/;
/** Maximum entries checked in a git folder; with more it is unsafe. */
const MAX_ENTRIES = 50_000;

/**
 * True if something in a git folder is a link to files elsewhere. Git shows lines of nearly every file in it, and
 * through a linked folder the commits of another repository.
 */
function linksOut(place: string, inside: readonly string[]): boolean {
  const open = [''];
  let looked = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(join(place, folder))) {
      looked += 1;
      if (looked > MAX_ENTRIES) return true;
      const name = join(folder, entry.name);
      const path = join(place, name);
      if (unread.test(name)) continue;
      if (entry.isSymbolicLink()) {
        if (isDirectory(path) || leadsOut(path, inside) || (isFile(path) && isSensitive(realpathSync(path))))
          return true;
      } else if (entry.isDirectory() && !/^objects\/[\da-f]{2}$/.test(name)) open.push(name);
    }
  }
  return false;
}

/** True if the repository borrows objects from another: gitrepository-layout(5), objects/info/alternates. */
const borrows = (place: string): boolean =>
  readText(join(place, 'objects/info/alternates'))
    ?.split('\n')
    .some((line) => /^[^#]/.test(line)) !== false;

/** True if a path exists and is outside all of these folders. */
function leadsOut(path: string, inside: readonly string[]): boolean {
  if (!exists(path)) return false;
  try {
    const real = realpathSync(path);
    return !inside.some((folder) => `${real}/`.startsWith(`${realpathSync(folder)}/`));
  } catch {
    return true;
  }
}

function submoduleRuns(directory: string, seen: Set<string>, also?: RegExp): boolean {
  const inside = submoduleAt(directory);
  return inside !== undefined && runsPrograms(inside, seen, also);
}

function submoduleAt(directory: string): Repository | undefined {
  const at = realPathOf('/', directory);
  return at === undefined ? undefined : repositoryAt(at);
}

/** The submodules in the index that are checked out; undefined if they cannot be determined. */
export function submodulesOf(repository: Repository): readonly Repository[] | undefined {
  const { folder, worktree } = repository;
  const index = readFileNow(join(folder, 'index'), MAX_INDEX_BYTES);
  if (index === null) return [];
  const texts = settingsFolders(repository).map((place) => readText(join(place, 'config')) ?? '');
  const read = (name: string): Buffer | null | undefined => readFileNow(join(folder, name), MAX_INDEX_BYTES);
  try {
    const found = index && atOnce(sharedIndexPaths(index, hashBytes(texts.join('\n')), read));
    return found === undefined || found.isAnySubmodule || found.submodules.some(isMisread)
      ? undefined
      : found.submodules.flatMap((path) => submoduleAt(join(worktree, path)) ?? []);
  } catch {
    return undefined;
  }
}

/** The tracked paths; undefined if they cannot be determined. */
function readIndex(folder: string, settings: string): IndexPaths | undefined {
  const index = readFileNow(join(folder, 'index'), MAX_INDEX_BYTES);
  if (index === null) return { files: [], submodules: [] };
  try {
    return index && indexPaths(index, hashBytes(settings));
  } catch {
    return undefined;
  }
}

const hashBytes = (settings: string): number => (/objectformat\s*=\s*"?sha256/i.test(settings) ? 32 : 20);

/** Enough for half a million files. */
const MAX_INDEX_BYTES = 50_000_000;
