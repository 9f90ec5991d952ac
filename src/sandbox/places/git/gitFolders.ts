/**
 * Finds the git folders of a workspace (of its repository, submodules, linked worktrees and nested repositories), and
 * what git runs or reads as settings in each. Nothing here depends on what a command can change: a folder is recognized
 * by entries that commands cannot remove, and if there are too many folders, the one around them is protected as a
 * whole.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { entriesOf, isDirectory, lstatOf, readSmallText, resolved } from '../../../disk/fileLookups.ts';
import { isInside, linkAt } from '../../../disk/paths.ts';
import { gitHookFolders, gitIncludes } from '../../../protocol/files/gitIncludes.ts';
import { linksOn } from '../linkGuard.ts';

/**
 * Files that git itself never writes in an existing repository: they select filters and diff programs by path, and name
 * folders with more objects. Source: gitattributes, gitrepository-layout.
 */
export const obeyedNames = ['info/attributes', 'objects/info/alternates'];

/**
 * Files from which git reads settings, hooks or remote URLs, or which tell it to look for them elsewhere. Source:
 * gitrepository-layout.
 */
const protectedNames = [
  ...['hooks', 'config', 'config.worktree', 'commondir', 'remotes', 'branches'],
  ...obeyedNames,
];

/** Each submodule needs six mounts, each linked worktree two; the time for mounts grows with the square. */
const MAX_FOUND = 150;
/** Maximum folders read to find the submodules. */
const MAX_LOOKED_AT = 1000;

/**
 * Every git folder has at least one of these entries. Protected ones, which commands cannot remove, come first: a
 * command may rename HEAD to hide the folder from the next scan.
 */
const signs = ['config', 'commondir', 'HEAD', 'objects', 'refs'];

/** True if a folder looks like a git folder, even a damaged one. */
export const isGitFolder = (path: string): boolean =>
  signs.some((name) => lstatOf(join(path, name)) !== undefined);

/** The git folders that belong to a folder with a `.git`; resolved. Empty if it has none. */
export function gitFoldersOf(root: string): readonly string[] {
  return ownGitFolders(root).flatMap((folder) => [folder, ...modulesIn(folder).found]);
}

/**
 * The git folders of the repositories at these roots, each including its submodules and linked worktrees: only git
 * commands may write there. Leaves out folders that contain, or are inside, an `opened` path, which settings or a
 * workspace open. Resolved, none inside another.
 */
export function closedGitFolders(roots: readonly string[], opened: readonly string[]): readonly string[] {
  const all = [
    ...new Set(roots.flatMap((root) => [...resolved(join(root, '.git')), ...ownGitFolders(root)])),
  ];
  const open = all.filter((folder) => opened.some((path) => isInside(path, folder)));
  const closed = all.filter((path) => !open.some((folder) => isInside(path, folder)));
  return closed.filter((path) => !closed.some((other) => other !== path && isInside(path, other)));
}

/** The folders that git uses for a worktree, as its `.git` says now: its own, and the one it shares with others. */
export function ownGitFolders(root: string): readonly string[] {
  const path = join(root, '.git');
  const own = resolved(path).flatMap((real) => (isDirectory(real) ? [real] : namedByFile(real, root)));
  return [...new Set(own.flatMap((folder) => [folder, ...commonOf(folder)]))];
}

function namedByFile(file: string, root: string): readonly string[] {
  const written = gitdirIn(file);
  return written === undefined ? [] : resolved(resolve(root, written)).filter(isDirectory);
}

/** The folder that a `.git` file, or one like it, names. */
export const gitdirIn = (file: string): string | undefined =>
  /^gitdir: (.+)$/m.exec(readSmallText(file))?.[1];

/** The folder with the settings of a git folder, if it is a different one. */
function commonOf(folder: string): readonly string[] {
  const written = readSmallText(join(folder, 'commondir')).trim();
  return written === '' ? [] : resolved(resolve(folder, written)).filter(isDirectory);
}

interface FoundFolders {
  readonly found: readonly string[];
  /** If true, none is listed, and the folder around them is protected instead. */
  readonly isTooMany: boolean;
}

const tooMany: FoundFolders = { found: [], isTooMany: true };

/** Folders in a git folder that contain no submodules, although a submodule may have such a name. */
const internal = new Set([
  'objects',
  'refs',
  'logs',
  'hooks',
  'info',
  'branches',
  'lfs',
  'annex',
  'worktrees',
]);

/**
 * Submodules are in `modules` under their names, which may have several parts: `modules/libs/json`. Also searches
 * inside what looks like a git folder, since a command may make `libs` look like one.
 */
function modulesIn(folder: string): FoundFolders {
  const tops = modulesFolders(folder);
  const waiting = [...tops];
  const found: string[] = [];
  // The loop also visits folders appended in its body.
  for (const [looked, at] of waiting.entries()) {
    const isModule = looked >= tops.length && isGitFolder(at);
    if (isModule) found.push(at);
    if (looked >= MAX_LOOKED_AT || found.length > MAX_FOUND) return tooMany;
    for (const entry of entriesOf(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && (!isModule || isEnteredInModule(path))) waiting.push(path);
    }
  }
  return { found, isTooMany: false };
}

/** Each linked worktree has its own submodules. */
const modulesFolders = (folder: string): readonly string[] =>
  [folder, ...worktreesIn(folder).found].map((at) => join(at, 'modules')).filter(isDirectory);

/** True for a folder inside a submodule's git folder that may be or contain that of another submodule. */
export const isEnteredInModule = (path: string): boolean =>
  !internal.has(basename(path)) || hasSettings(path);

const hasSettings = (path: string): boolean =>
  ['config', 'commondir'].some((name) => lstatOf(join(path, name)) !== undefined);

/** The folders of the linked worktrees in a git folder. */
export function worktreesIn(folder: string): FoundFolders {
  const top = join(folder, 'worktrees');
  const found = entriesOf(top).filter((entry) => entry.isDirectory());
  if (found.length > MAX_FOUND) return tooMany;
  return { found: found.map(({ name }) => join(top, name)), isTooMany: false };
}

/**
 * The paths in a git folder, and those its settings include, that commands must not change. Resolved, as mounts
 * require.
 */
export function protectedInGit(folder: string, home: string): readonly string[] {
  const worktrees = worktreesIn(folder);
  const crowded = [
    ...(worktrees.isTooMany ? [join(folder, 'worktrees')] : []),
    ...(modulesIn(folder).isTooMany ? modulesFolders(folder) : []),
  ];
  return [
    ...[
      ...crowded,
      ...protectedNames.map((name) => join(folder, name)),
      ...worktrees.found.flatMap((at) => ['commondir', 'config.worktree'].map((name) => join(at, name))),
      ...linkedHooks(join(folder, 'hooks')),
    ].flatMap(resolved),
    ...existing(gitIncludes(configurationsIn(folder), home, textAt)),
  ];
}

const configurationsIn = (folder: string): readonly string[] => [
  ...['config', 'config.worktree'].map((name) => join(folder, name)),
  ...worktreesIn(folder).found.map((at) => join(at, 'config.worktree')),
];

/**
 * The hook folders that the settings of the repository at a folder, or the user's settings, name; resolved. A folder
 * that contains the git folder itself cannot be protected.
 */
export function hookFoldersOf(root: string, home: string): readonly string[] {
  const own = ownGitFolders(root);
  return namedHookFolders(root, own, home)
    .flatMap((folder) => [folder, ...linkedHooks(folder)])
    .flatMap(resolved)
    .filter((path) => !own.some((folder) => isInside(folder, path)));
}

const MAX_HOOKS = 100;

/** Hooks that are links: protecting their folder does not protect their targets. */
const linkedHooks = (folder: string): readonly string[] =>
  resolved(folder)
    .flatMap((real) => entriesOf(real).map((entry) => ({ entry, path: join(real, entry.name) })))
    .filter(({ entry }) => entry.isSymbolicLink())
    .slice(0, MAX_HOOKS)
    .map(({ path }) => path);

/** `own`: the git folders of the repository at `root`. */
function namedHookFolders(
  root: string,
  own: readonly string[],
  home: string,
  read = textAt,
): readonly string[] {
  if (own.length === 0) return [];
  const configurations = [...own.flatMap(configurationsIn), ...userSettings(home)];
  return (
    gitHookFolders(configurations, { home, worktree: root }, read)
      // The files in `_` run those in its parent. Source: Husky, How it works.
      .map((path) => (basename(path) === '_' ? dirname(path) : path))
  );
}

const userSettings = (home: string): readonly string[] =>
  ['.gitconfig', '.config/git/config'].map((name) => join(home, name));

const textAt = (path: string): string => resolved(path).map(readSmallText).join('');

/** The files that the user's own git settings include, for example from a dotfiles project. Resolved. */
export const includedByUser = (home: string): readonly string[] =>
  existing(gitIncludes(userSettings(home), home, textAt));

const existing = (files: readonly string[]): readonly string[] =>
  files.flatMap(resolved).filter((path) => !isDirectory(path));

interface ObeyedPlaces {
  /** Missing files that settings include, or that links in place of settings or hooks lead to. */
  readonly files: readonly string[];
  /** The same for folders of hooks. */
  readonly folders: readonly string[];
  /** The links that git follows to settings and hooks. */
  readonly links: readonly string[];
  /** Places that exist only because a session has created them. */
  readonly made: readonly string[];
}

/**
 * What git reads as settings or runs for the repositories at these roots beyond existing files, which are protected
 * anyway; missing places as they would be created. `folders`: the git folders of all these repositories.
 */
export function obeyedPlaces(
  roots: readonly string[],
  folders: readonly string[],
  home: string,
  isMade: (path: string) => boolean,
): ObeyedPlaces {
  const texts = new Map<string, string>();
  const read = (path: string): string => {
    const text = texts.get(path) ?? textAt(path);
    texts.set(path, text);
    return text;
  };
  const configurations = folders.flatMap(configurationsIn);
  const files = gitIncludes([...configurations, ...userSettings(home)], home, read);
  const hookFolders = roots.flatMap((root) => namedHookFolders(root, ownGitFolders(root), home, read));
  const missing = (paths: readonly string[]): readonly string[] => [
    ...new Set(paths.flatMap((path) => missingPath(path))),
  ];
  const inFolders = (names: readonly string[]) =>
    folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const settings = inFolders(protectedNames.filter((name) => name !== 'hooks'));
  const ownHooks = inFolders(['hooks']);
  const hooks = [...ownHooks, ...hookFolders].flatMap(linkedHooks);
  // What is missing without being a link is created in the git folder itself.
  const linked = (paths: readonly string[]) => paths.filter((path) => linkAt(path) !== undefined);
  const all = [...roots.map((root) => join(root, '.git')), ...settings, ...ownHooks, ...hooks];
  return {
    files: missing([...files, ...linked(settings), ...hooks]),
    folders: missing([...hookFolders, ...linked(ownHooks)]),
    links: [...new Set([...all, ...files, ...hookFolders].flatMap(linksOn))],
    made: [...files, ...hookFolders].flatMap(resolved).filter(isMade),
  };
}

const MAX_LINKS = 20;

/** The path, without links, that creating a missing file would create; empty if it exists. */
function missingPath(path: string, links = 0): readonly string[] {
  if (resolved(path).length > 0 || links > MAX_LINKS || path === dirname(path)) return [];
  const [parent] = [...resolved(dirname(path)), ...missingPath(dirname(path), links + 1)];
  if (parent === undefined) return [];
  const target = linkAt(path);
  return target === undefined
    ? [join(parent, basename(path))]
    : missingPath(resolve(parent, target), links + 1);
}

/** The worktree that the settings of a git folder name. */
const worktreeIn = (folder: string): string | undefined =>
  /^[^\S\n]*worktree[^\S\n]*=(.+)$/m.exec(readSmallText(join(folder, 'config')))?.[1]?.trim();

/** The worktree that a git folder says it belongs to; it may not exist. */
export function worktreeOf(folder: string): string {
  const linked = readSmallText(join(folder, 'gitdir')).trimEnd();
  if (basename(dirname(folder)) === 'worktrees' && linked !== '')
    return resolve(folder, linked.replace(/\/\.git$/, ''));
  const named = worktreeIn(folder);
  return named === undefined ? dirname(folder) : resolve(folder, named);
}

/**
 * The git folder of a workspace whose `.git` is a file: its repository's for a linked worktree, its own for a
 * submodule. Only if that folder points back to the workspace, as git writes it, since the file may come from an
 * archive and point anywhere. Both paths may be relative (worktree.useRelativePaths). Source: gitrepository-layout,
 * gitsubmodules.
 */
export function linkedGitFolder(root: string): readonly string[] {
  const written = gitdirIn(join(root, '.git'));
  if (written === undefined) return [];
  const target = resolve(root, written);
  if (basename(dirname(target)) !== 'worktrees') {
    const worktree = worktreeIn(target);
    const isOwn = worktree !== undefined && resolve(target, worktree) === root;
    return isOwn && isGitFolder(target) && target.includes('/modules/') ? resolved(target) : [];
  }
  const common = dirname(dirname(target));
  const isLinked = resolve(target, readSmallText(join(target, 'gitdir')).trim()) === join(root, '.git');
  return isLinked && isDirectory(join(common, 'objects')) ? resolved(common) : [];
}
