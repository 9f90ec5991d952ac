/**
 * Whether git, only asked to look, would start programs that a repository's own files name, or read files elsewhere, of
 * which its errors show lines. A clone brings no such files; an unpacked archive does, and so does a bare repository that
 * is hidden in a folder. What git would find in another place than we do (gitrepository-layout(5), setup.c) is no plain
 * repository, and counts as the worst.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { entriesOf } from '../../disk/fileLookups.ts';
import { type IndexPaths, indexPaths } from '../../disk/gitIndex.ts';
import { gitIncludes } from '../../protocol/files/gitIncludes.ts';
import { isSensitive } from '../files/sensitive.ts';
import { isMisread } from './filesBelow.ts';
import { type Shown, shownFiles } from './gitShown.ts';
import { readFileNow } from './readFileNow.ts';

/**
 * Settings that name a program for a command that looks, or another file with settings; `log.diffMerges` may have the
 * drivers of merges run.
 */
const naming =
  /(?:^|\])\s*(?:\[include(?:if)?\b|(?:\w*command|external|textconv|clean|smudge|process|program|uploadpack|gitproxy|diffmerges)\s*(?:=|$))/im;
/** The monitor is a program unless it is only switched on or off. */
const monitor = /(?:^|\])\s*fsmonitor\s*=(?![ \t]*(?:true|false|yes|no|on|off|[01])[ \t]*$)/im;
/** Characters that end a line for a regular expression but not for git, and invalid UTF-8. */
const unreadable = /\r(?!\n)|[\u2028\u2029\ufffd]/;
/** Where a partial clone fetches what it lacks: `ext::` and other helpers are programs. */
const helper = /(?:^|\])\s*(?:(?:push)?url\s*=\s*"?[\w+-]+::|vcs\s*=|\[protocol\b|\[url\s+"[\w+-]+::)/im;
/** Settings that name a file with patterns, names or commits: https://git-scm.com/docs/git-config */
const fileSettings = 'excludesfile|attributesfile|ignorerevsfile|orderfile|file';
/** The one hook that a command that looks may start. */
const HOOK = 'post-index-change';
const MAX_BYTES = 1_000_000;

/**
 * Looks at the repository that git would find from the directory, and at its submodules. Errs towards yes, also where the
 * settings, or links in the git folder, say that the worktree or a file is somewhere else.
 */
export function gitRunsPrograms(directory: string): boolean {
  const repository = findRepository(directory);
  return repository !== undefined && runsPrograms(repository, new Set());
}

/**
 * Whether the settings of the repository at a directory would have git start programs for a status of the one around it.
 * Unlike above, what makes git show files elsewhere does not count. What cannot be read counts.
 */
export function gitSettingsRunPrograms(directory: string): boolean {
  const at = realPathOf('/', directory);
  const repository = at === undefined ? undefined : repositoryAt(at);
  return repository !== undefined && settingsRun(repository, new Set());
}

/** The folder with the settings of the repository that git would find from the directory. */
export function gitFolder(directory: string): string | undefined {
  return findRepository(directory)?.folder;
}

/** The files that the settings include which git would use in the directory: the repository's and the user's. */
export function includedSettings(directory: string, home: string): readonly string[] {
  const repository = findRepository(directory);
  const places = new Set([repository?.folder, repository?.common].filter((place) => place !== undefined));
  const configurations = [
    ...[...places].flatMap((place) => ['config', 'config.worktree'].map((name) => join(place, name))),
    ...['.gitconfig', '.config/git/config'].map((name) => join(home, name)),
  ];
  return gitIncludes(configurations, home, readText);
}

/** The files that git has in its index, absolute, in the repository found from the directory; undefined = not known. */
export function trackedFiles(directory: string): readonly string[] | undefined {
  const repository = findRepository(directory);
  if (repository === undefined) return [];
  const { folder, worktree, common } = repository;
  if (common === undefined) return undefined;
  const settings = readText(join(common, 'config'));
  return settings === undefined
    ? undefined
    : readIndex(folder, settings)?.files.map((path) => join(worktree, path));
}

/** How git is asked whose content a command shows, with the user's environment; see `shownFiles`. */
export const gitShows =
  (env: Readonly<Record<string, string | undefined>>, realpath: (path: string) => string) =>
  (directory: string, shown: Shown): readonly string[] | undefined => {
    const repository = findRepository(directory);
    if (repository === undefined) return [];
    if (repository.common === undefined) return undefined;
    return shownFiles(env, directory, repository.worktree, shown, realpath);
  };

/** Repositories in repositories that are looked at. */
const MAX_REPOSITORIES = 200;

function runsPrograms(repository: Repository, seen: Set<string>): boolean {
  const { folder, worktree, common } = repository;
  if (seen.has(folder)) return false;
  seen.add(folder);
  if (common === undefined || seen.size > MAX_REPOSITORIES) return true;
  const texts: string[] = [];
  for (const place of new Set([folder, common])) {
    const own = ['config', 'config.worktree'].map((name) => readText(join(place, name)));
    if (own.some((text) => text === undefined)) return true;
    const settings = own.join('\n');
    texts.push(settings);
    if (unreadable.test(settings)) return true;
    const hooks = valuesOf(settings, 'hookspath');
    if (hooks.includes(undefined)) return true;
    const hookFolders = [join(place, 'hooks'), ...hooks.map((folder = '') => resolve(worktree, folder))];
    if (isElsewhere(settings, place, worktree) || namesFileElsewhere(settings, worktree)) return true;
    if (linksOut(place, [place, worktree]) || borrows(place)) return true;
    if (namesPrograms(settings, hookFolders)) return true;
  }
  // Status and diff start another git in each submodule, with the settings of that one.
  const paths = readIndex(folder, texts.join('\n'))?.submodules;
  return (
    paths === undefined || paths.some((path) => isMisread(path) || submoduleRuns(join(worktree, path), seen))
  );
}

const namesPrograms = (settings: string, hookFolders: readonly string[]): boolean =>
  [naming, helper, monitor].some((pattern) => pattern.test(settings)) ||
  hookFolders.some((at) => exists(join(at, HOOK)));

function settingsRun({ folder, worktree }: Repository, seen: Set<string>): boolean {
  if (seen.has(folder)) return false;
  seen.add(folder);
  if (seen.size > MAX_REPOSITORIES) return true;
  const named = pathIn(join(folder, 'commondir'), /^([^\r\n]+)[\r\n]*$/) ?? '.';
  const places = [...new Set([folder, realPathOf(folder, named) ?? folder])];
  const files = places.flatMap((place) => ['config', 'config.worktree'].map((name) => join(place, name)));
  const texts = files.map(readText);
  const settings = texts.join('\n');
  const hooks = valuesOf(settings, 'hookspath');
  if (texts.includes(undefined) || unreadable.test(settings) || hooks.includes(undefined)) return true;
  const hookFolders = [
    ...places.map((place) => join(place, 'hooks')),
    ...hooks.map((path = '') => resolve(worktree, path)),
  ];
  if (namesPrograms(settings, hookFolders)) return true;
  const paths = readIndex(folder, settings)?.submodules;
  return (
    paths?.some((path) => {
      const inside = isMisread(path) ? undefined : repositoryAt(join(worktree, path));
      return inside === undefined ? isMisread(path) : settingsRun(inside, seen);
    }) !== false
  );
}

/** The files of the worktree may be said to be elsewhere, and would be shown as if they belonged to the project. */
function isElsewhere(settings: string, place: string, worktree: string): boolean {
  return valuesOf(settings, 'worktree').some(
    (named) => named === undefined || realPathOf(place, named) !== worktree,
  );
}

/** All values of some settings; undefined = one with quotes, escapes or comments inside, which only git reads right. */
function valuesOf(settings: string, names: string): readonly (string | undefined)[] {
  return [...settings.matchAll(new RegExp(`(?:^|\\])\\s*(?:${names})\\s*=[ \\t]*(.*)$`, 'gim'))].map(
    ([, raw = '']) => {
      const value = /^(?:"([^"\\]*)"|([^"\\#;]*?))\s*$/.exec(raw);
      return value?.[1] ?? value?.[2];
    },
  );
}

function namesFileElsewhere(settings: string, worktree: string): boolean {
  return valuesOf(settings, fileSettings).some((name) => {
    if (name === undefined || /^[~%]/.test(name)) return true;
    const path = resolve(worktree, name);
    if (name === '') return false;
    return !path.startsWith(`${worktree}/`) || isSensitive(path) || leadsOut(path, [worktree]);
  });
}

/** Entries of a git folder of which git shows no line; submodules are looked at by themselves. */
const unread = /^(?:hooks|lfs|annex|modules)$/;
/** Entries of a git folder that are looked at; one with more of them counts as the worst. */
const MAX_ENTRIES = 50_000;

/**
 * Whether something in a git folder is a link to files elsewhere. Git shows lines of nearly every file in it, and with a
 * folder the commits of another repository.
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
        if (isFolder(path) || leadsOut(path, inside) || (isFile(path) && isSensitive(realpathSync(path))))
          return true;
      } else if (entry.isDirectory() && !/^objects\/[\da-f]{2}$/.test(name)) open.push(name);
    }
  }
  return false;
}

/** Whether objects of other repositories count as this one's: gitrepository-layout(5), objects/info/alternates. */
const borrows = (place: string): boolean =>
  readText(join(place, 'objects/info/alternates'))
    ?.split('\n')
    .some((line) => /^[^#]/.test(line)) !== false;

/** Whether there is something at a path, and it is in none of some folders. */
function leadsOut(path: string, inside: readonly string[]): boolean {
  if (!exists(path)) return false;
  try {
    const real = realpathSync(path);
    return !inside.some((folder) => `${real}/`.startsWith(`${realpathSync(folder)}/`));
  } catch {
    return true;
  }
}

function submoduleRuns(directory: string, seen: Set<string>): boolean {
  const at = realPathOf('/', directory);
  const inside = at === undefined ? undefined : repositoryAt(at);
  return inside !== undefined && runsPrograms(inside, seen);
}

/** What is tracked; undefined where that cannot be known. */
function readIndex(folder: string, settings: string): IndexPaths | undefined {
  const index = readFileNow(join(folder, 'index'), MAX_INDEX_BYTES);
  if (index === null) return { files: [], submodules: [] };
  try {
    return index && indexPaths(index, /objectformat\s*=\s*"?sha256/i.test(settings) ? 32 : 20);
  } catch {
    return undefined;
  }
}

/** Half a million files. */
const MAX_INDEX_BYTES = 50_000_000;

interface Repository {
  /** The folder of this worktree's own files, such as its index. */
  readonly folder: string;
  readonly worktree: string;
  /** The folder with what all worktrees share, the settings among it; absent = git may look elsewhere than we do. */
  readonly common: string | undefined;
}

/** As git does, from where the folder really is: upwards, `.git` before the directory itself. */
function findRepository(directory: string): Repository | undefined {
  const start = realPathOf('/', resolve(directory)) ?? resolve(directory);
  for (let at = start; ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found !== undefined) return found;
    if (isThere(join(at, 'HEAD')) && ['objects', 'refs'].every((name) => exists(join(at, name))))
      return { folder: at, worktree: at, common: holderOf(at) };
    if (at === dirname(at)) return undefined;
  }
}

/** The repository whose worktree begins here. Where git does not take what is there for one, it looks further up. */
function repositoryAt(at: string): Repository | undefined {
  const inside = join(at, '.git');
  if (!isThere(inside)) return undefined;
  const target = isFolder(inside) ? '.git' : pathIn(inside, /^gitdir: ([^\r\n]+)[\r\n]*$/);
  const folder = target === undefined ? undefined : realPathOf(at, target);
  if (folder === undefined) return { folder: inside, worktree: at, common: undefined };
  const isOwn = folder.startsWith(`${at}/`) || isNamedBack(folder, at);
  return { folder, worktree: at, common: isOwn ? holderOf(folder) : undefined };
}

/** Whether a repository elsewhere says that this is its worktree, as that of a linked worktree or a submodule does. */
function isNamedBack(folder: string, at: string): boolean {
  const link = pathIn(join(folder, 'gitdir'), /^([^\r\n]+)[\r\n]*$/);
  if (link !== undefined && realPathOf(folder, dirname(link)) === at) return true;
  const paths = valuesOf(readText(join(folder, 'config')) ?? '', 'worktree');
  return paths.some((path) => path !== undefined && realPathOf(folder, path) === at);
}

/** The folder with the settings of a repository; undefined where git would not take it for one. */
function commonOf(folder: string): string | undefined {
  const named = isThere(join(folder, 'commondir'))
    ? pathIn(join(folder, 'commondir'), /^([^\r\n]+)[\r\n]*$/)
    : '.';
  const common = named === undefined ? undefined : realPathOf(folder, named);
  if (common === undefined || !['objects', 'refs'].every((name) => isFolder(join(common, name))))
    return undefined;
  const head = pathIn(join(folder, 'HEAD'), /^(?:ref:\s*(refs\/\S+)|([\da-f]{40,64}))\s*$/);
  return head === undefined ? undefined : common;
}

/** The same, where that is the folder itself or holds it, as it holds those of its worktrees. */
function holderOf(folder: string): string | undefined {
  const common = commonOf(folder);
  return common !== undefined && `${folder}/`.startsWith(`${common}/`) ? common : undefined;
}

/** What a file that holds nothing but a path says, up to the line's end: blanks belong to it. */
function pathIn(file: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(readText(file) ?? '');
  return found?.slice(1).find((path) => path !== undefined);
}

/** Where a path really leads, `..` behind a link included; undefined where nothing is. */
function realPathOf(folder: string, path: string): string | undefined {
  try {
    return realpathSync.native(isAbsolute(path) ? path : `${folder}/${path}`);
  } catch {
    return undefined;
  }
}

/** Whether there is anything of that name, a link that leads nowhere included. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return true;
  }
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
  const found = readFileNow(path, MAX_BYTES);
  return found === null ? '' : found?.toString('utf8');
}
