/**
 * The git folders of a workspace, and what git runs or takes orders from in each: of the repository itself, its
 * submodules, its linked worktrees, and of repositories below it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDirectory, lstatOf, namesIn, resolved, textOf } from '../../disk/fileLookups.ts';
import { inRealFolderSync } from '../../disk/realFile.ts';
import { isInside } from '../../disk/realPath.ts';
import { gitHookFolders, gitIncludes } from '../../protocol/files/gitIncludes.ts';

/** What makes git read settings or hooks, or look for them elsewhere. Source: gitrepository-layout. */
const protectedNames = ['hooks', 'config', 'config.worktree', 'commondir'];

/** A repository may come from anywhere, and so may what is in its git folder. */
const MAX_LOOKED_AT = 500;

/** The git folders that belong to a folder whose `.git` is there; resolved. Empty where it has none. */
export function gitFoldersOf(root: string): readonly string[] {
  const own = resolved(join(root, '.git')).filter(isDirectory);
  return [...own, ...linkedGitFolder(root)].flatMap((folder) => [folder, ...modulesIn(folder)]);
}

/** Submodules lie below `modules` under their names, which may have several parts: `modules/libs/json`. */
function modulesIn(folder: string): readonly string[] {
  const waiting = [join(folder, 'modules')].filter(isDirectory);
  const found: string[] = [];
  for (let looked = 0; looked < MAX_LOOKED_AT; looked++) {
    const at = waiting.shift();
    if (at === undefined) break;
    const isModule = isGitFolder(at);
    if (isModule) found.push(at);
    const below = isModule ? join(at, 'modules') : at;
    waiting.push(
      ...(isDirectory(below) ? namesIn(below) : []).map((name) => join(below, name)).filter(isDirectory),
    );
  }
  return found;
}

/** Whether a folder has what git puts into each of its own. */
export const isGitFolder = (path: string): boolean => lstatOf(join(path, 'HEAD')) !== undefined;

/** In a git folder, and where its settings lead: what commands must not change. Resolved, as mounts need it. */
export function protectedInGit(folder: string, home: string): readonly string[] {
  const worktrees = namesIn(join(folder, 'worktrees'))
    .slice(0, MAX_LOOKED_AT)
    .flatMap((name) => ['commondir', 'config.worktree'].map((file) => join(folder, 'worktrees', name, file)));
  const configurations = ['config', 'config.worktree'].map((name) => join(folder, name));
  return [
    ...[...protectedNames.map((name) => join(folder, name)), ...worktrees].flatMap(resolved),
    ...includedFiles(configurations, home),
  ];
}

/**
 * The folders with hooks that the settings of the repository at a folder, or the user's, name; resolved. One that holds the
 * git folder itself cannot be kept.
 */
export function hookFoldersOf(root: string, home: string): readonly string[] {
  const own = [...resolved(join(root, '.git')).filter(isDirectory), ...linkedGitFolder(root)];
  if (own.length === 0) return [];
  const configurations = own.flatMap((folder) =>
    ['config', 'config.worktree'].map((name) => join(folder, name)),
  );
  const users = userSettings.map((name) => join(home, name));
  return (
    gitHookFolders([...configurations, ...users], { home, worktree: root }, textAt)
      // The files in `_` run those beside it. Source: Husky, How it works.
      .map((path) => (basename(path) === '_' ? dirname(path) : path))
      .flatMap(resolved)
      .filter((path) => !own.some((folder) => isInside(folder, path)))
  );
}

/** Below the home. */
const userSettings = ['.gitconfig', '.config/git/config'];

const textAt = (path: string): string => resolved(path).map(textOf).join('');

/** What the user's own settings of git include: of a project that keeps them, for one. Resolved. */
export const includedByUser = (home: string): readonly string[] =>
  includedFiles(
    userSettings.map((name) => join(home, name)),
    home,
  );

function includedFiles(configurations: readonly string[], home: string): readonly string[] {
  return gitIncludes(configurations, home, textAt)
    .flatMap(resolved)
    .filter((path) => !isDirectory(path));
}

/**
 * The git folder of a workspace whose `.git` is a file: of a linked worktree that of its repository, of a submodule its own.
 * Only where that folder names the workspace in turn, as git writes it: the file may come from an archive and point
 * anywhere. Both paths may be relative (worktree.useRelativePaths). Source: gitrepository-layout, gitsubmodules.
 */
export function linkedGitFolder(root: string): readonly string[] {
  const written = /^gitdir: (.+)$/m.exec(textOf(join(root, '.git')))?.[1];
  if (written === undefined) return [];
  const target = resolve(root, written);
  if (basename(dirname(target)) !== 'worktrees') {
    const worktree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(target, 'config')))?.[1];
    const isOwn = worktree !== undefined && resolve(target, worktree) === root;
    return isOwn && isGitFolder(target) && target.includes('/modules/') ? resolved(target) : [];
  }
  const common = dirname(dirname(target));
  const isLinked = resolve(target, textOf(join(target, 'gitdir')).trim()) === join(root, '.git');
  return isLinked && isDirectory(join(common, 'objects')) ? resolved(common) : [];
}

/*
 * What is missing in a git folder is made while commands run, so that it can be protected. Several sessions may need it in
 * the same folder, and a killed one cannot take it away: each notes its folders in a file of its own, named after its
 * process, and the last that needs one clears up.
 */

/** "The shared files are right here", which is what git takes for granted without this file. */
const OWN_COMMONDIR = '.\n';

export interface CompletedGitFolders {
  /** Makes what is missing in a folder: as git would, and without a change for git. Never throws. */
  complete(folder: string): void;
  /** Takes it away again, but for folders that other sessions need. Never throws. */
  release(): void;
}

let lastSession = 0;

/** `notes`: a folder for the notes of all sessions, which commands cannot write to. */
export function createCompletedGitFolders(notes: string): CompletedGitFolders {
  lastSession += 1;
  const own = join(notes, `${process.pid}-${lastSession}`);
  const folders = new Set<string>();
  return {
    complete(folder) {
      if (!isGitFolder(folder) || !isDirectory(join(folder, 'objects'))) return;
      if (!folders.has(folder)) {
        if (folders.size === 0) clearUp(notes);
        // Noted first: who ends in between then leaves it alone.
        folders.add(folder);
        note(own, folders);
      }
      completeGitFolder(folder);
    },
    release() {
      if (folders.size === 0) return;
      rmSync(own, { force: true });
      removeUnneeded(notes, [...folders]);
      folders.clear();
    },
  };
}

function note(file: string, folders: ReadonlySet<string>): void {
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify([...folders]), { mode: 0o600 });
  } catch {
    // A full disk: then another session may take away what this one needs, and the next command makes it again.
  }
}

/** After sessions that were killed. */
function clearUp(notes: string): void {
  for (const name of namesIn(notes)) {
    const pid = Number.parseInt(name, 10);
    if (!(pid > 0) || isRunning(pid)) continue;
    const left = foldersIn(join(notes, name));
    rmSync(join(notes, name), { force: true });
    removeUnneeded(notes, left);
  }
}

function removeUnneeded(notes: string, folders: readonly string[]): void {
  const needed = new Set(namesIn(notes).flatMap((name) => foldersIn(join(notes, name))));
  for (const folder of folders) if (!needed.has(folder)) uncompleteGitFolder(folder);
}

function foldersIn(file: string): readonly string[] {
  try {
    const folders: unknown = JSON.parse(textOf(file));
    return Array.isArray(folders) ? folders.filter((folder) => typeof folder === 'string') : [];
  } catch {
    return [];
  }
}

/** Whether there is a process of that number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A running command may put a link where the folder was. */
function completeGitFolder(folder: string): void {
  const hasWorktreeConfig = /worktreeconfig/i.test(textOf(join(folder, 'config')));
  try {
    inRealFolderSync(folder, ({ at }) => {
      const isMissing = (name: string): boolean => lstatOf(at(name)) === undefined;
      if (isMissing('hooks')) mkdirSync(at('hooks'));
      if (isMissing('config.worktree') && hasWorktreeConfig)
        writeFileSync(at('config.worktree'), '', { flag: 'wx' });
      if (isMissing('commondir')) writeFileSync(at('commondir'), OWN_COMMONDIR, { flag: 'wx' });
    });
  } catch {
    // Where this program cannot write, commands cannot either.
  }
}

function uncompleteGitFolder(folder: string): void {
  try {
    inRealFolderSync(folder, ({ at }) => {
      if (textOf(at('commondir')) === OWN_COMMONDIR) rmSync(at('commondir'), { force: true });
    });
  } catch {
    // The folder is not ours to write to any more.
  }
}
