/**
 * Finds the git folders of a workspace, and what git runs or reads as configuration in each: those of the repository,
 * its submodules, its linked worktrees, and of repositories inside it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDirectory, lstatOf, namesIn, resolved, textOf } from '../../disk/fileLookups.ts';
import { isRunning } from '../../disk/isRunning.ts';
import { isInside } from '../../disk/paths.ts';
import { inRealFolderSync } from '../../disk/realFile.ts';
import { gitHookFolders, gitIncludes } from '../../protocol/files/gitIncludes.ts';

/**
 * Files from which git reads settings or hooks, or which tell it to look for them elsewhere. Source:
 * gitrepository-layout.
 */
const protectedNames = ['hooks', 'config', 'config.worktree', 'commondir'];

/** A limit, because repositories and the contents of their git folders are untrusted. */
const MAX_LOOKED_AT = 500;

/** The git folders that belong to a folder with a `.git`; resolved. Empty if it has none. */
export function gitFoldersOf(root: string): readonly string[] {
  const own = resolved(join(root, '.git')).filter(isDirectory);
  return [...own, ...linkedGitFolder(root)].flatMap((folder) => [folder, ...modulesIn(folder)]);
}

/** Submodules are in `modules` under their names, which may have several parts: `modules/libs/json`. */
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

/** True if a folder has a HEAD, as every git folder does. */
const isGitFolder = (path: string): boolean => lstatOf(join(path, 'HEAD')) !== undefined;

/**
 * The paths in a git folder, and those its settings include, that commands must not change. Resolved, as mounts
 * require.
 */
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
 * The hook folders that the settings of the repository at a folder, or the user's settings, name; resolved. A folder
 * that contains the git folder itself cannot be protected.
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
      // The files in `_` run those in its parent. Source: Husky, How it works.
      .map((path) => (basename(path) === '_' ? dirname(path) : path))
      .flatMap(resolved)
      .filter((path) => !own.some((folder) => isInside(folder, path)))
  );
}

/** Relative to the home. */
const userSettings = ['.gitconfig', '.config/git/config'];

const textAt = (path: string): string => resolved(path).map(textOf).join('');

/** The files that the user's own git settings include, for example from a dotfiles project. Resolved. */
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
 * The git folder of a workspace whose `.git` is a file: for a linked worktree that of its repository, for a submodule
 * its own. Only if that folder points back to the workspace, as git writes it, because the file may come from an
 * archive and point anywhere. Both paths may be relative (worktree.useRelativePaths). Source: gitrepository-layout,
 * gitsubmodules.
 */
export function linkedGitFolder(root: string): readonly string[] {
  const written = /^gitdir: (.+)$/m.exec(textOf(join(root, '.git')))?.[1];
  if (written === undefined) return [];
  const target = resolve(root, written);
  if (basename(dirname(target)) !== 'worktrees') {
    const worktree = /^[^\S\n]*worktree[^\S\n]*=(.+)$/m.exec(textOf(join(target, 'config')))?.[1]?.trim();
    const isOwn = worktree !== undefined && resolve(target, worktree) === root;
    return isOwn && isGitFolder(target) && target.includes('/modules/') ? resolved(target) : [];
  }
  const common = dirname(dirname(target));
  const isLinked = resolve(target, textOf(join(target, 'gitdir')).trim()) === join(root, '.git');
  return isLinked && isDirectory(join(common, 'objects')) ? resolved(common) : [];
}

/*
 * Missing files of a git folder are created while commands run, because only existing files can be protected. Several
 * sessions may need them in the same folder, and a killed session cannot remove them: each session notes its folders in
 * a file named after its process, and the last one removes what it created.
 */

/** "The shared files are right here", which git assumes without this file. */
const OWN_COMMONDIR = '.\n';

interface CompletedGitFolders {
  /** Creates the missing files of a folder, as git would and without any effect on git. Never throws. */
  complete(folder: string): void;
  /** Removes them again, except from folders that other sessions need. Never throws. */
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
        // Noted first, so that a session that ends in between does not remove the files.
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
    // Disk full: another session may then remove files that this one needs, and the next command creates them again.
  }
}

/** Cleans up after sessions that were killed. */
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

/** Creates the files without following links: a running command may replace the folder with one. */
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
    // If this program cannot write there, commands cannot either.
  }
}

function uncompleteGitFolder(folder: string): void {
  try {
    inRealFolderSync(folder, ({ at }) => {
      if (textOf(at('commondir')) === OWN_COMMONDIR) rmSync(at('commondir'), { force: true });
    });
  } catch {
    // This user may no longer write to the folder.
  }
}
