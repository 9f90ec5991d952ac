/**
 * Creates what is missing in git folders while commands run, since only existing files can be protected. Several
 * sessions may need the same file, and a killed session cannot remove it. So each session notes what it needs in a file
 * named after its process, and the last one removes what was created.
 */
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDirectory, lstatOf, namesIn, readSmallText, statOf } from '../../../disk/fileLookups.ts';
import { isRunning } from '../../../disk/isRunning.ts';
import { isInside } from '../../../disk/paths.ts';
import { inRealFolderSync } from '../../../disk/realFile.ts';
import { readList, writeList } from '../listNotes.ts';
import { gitFoldersOf, isGitFolder, obeyedPlaces, worktreesIn } from './gitFolders.ts';

/** "The shared files are right here", which git assumes without this file. */
const OWN_COMMONDIR = '.\n';
/** The same for the folder of a linked worktree, in which git always creates it. */
const COMMONDIR_OF_WORKTREE = '../..\n';
/** Content for an included file that did not exist; git reads it as a comment. */
const PLACEHOLDER =
  '# Created by ClawdCode so that commands cannot create it; removed when the session ends.\n';

interface CompletedGitFolders {
  /**
   * Creates missing files and folders in writable places that git would read or run for the repositories at these
   * folders. Leaves git folders in `closed` places alone, since nothing can be written there. Returns the links
   * elsewhere that git follows to what it reads or runs. Never throws.
   */
  completeAll(
    roots: readonly string[],
    places: {
      readonly writable: readonly string[];
      readonly closed: readonly string[];
      readonly home: string;
    },
  ): readonly string[];
  /** Removes everything created, except what other sessions need. Never throws. */
  release(): void;
}

let lastSession = 0;

/** `notes`: a folder for the notes of all sessions, which commands cannot write to. */
export function createCompletedGitFolders(notes: string): CompletedGitFolders {
  lastSession += 1;
  const own = join(notes, `${process.pid}-${lastSession}`);
  const needed = new Set<string>();
  let isCleared = false;
  /** Noted before it is created, so that another session that ends meanwhile does not remove it. */
  const need = (path: string): void => {
    if (needed.has(path)) return;
    needed.add(path);
    writeList(own, needed);
  };
  const complete = (folder: string): void => {
    // A linked worktree's folder is completed together with the folder that it shares.
    const common = readSmallText(join(folder, 'commondir')).trim();
    if (!isGitFolder(folder) || (common !== '' && common !== '.')) return;
    need(folder);
    completeGitFolder(folder);
  };
  return {
    completeAll(roots, { writable, closed, home }) {
      if (!isCleared) clearUp(notes);
      isCleared = true;
      const isWritable = (path: string): boolean =>
        writable.some((place) => isInside(path, place)) && !closed.some((place) => isInside(path, place));
      const gitFolders = [...new Set(roots.flatMap(gitFoldersOf))];
      for (const folder of gitFolders) if (isWritable(folder)) complete(folder);
      const { files, folders, links, made } = obeyedPlaces(roots, gitFolders, home, isPlaceholder);
      const shared = made.filter((path) => isWritable(path) && !needed.has(path));
      for (const path of shared) notedAround(notes, path).forEach(need);
      for (const path of folders.filter(isWritable)) createFolder(path, need);
      for (const path of files.filter(isWritable)) createFile(path, need);
      return links.filter(isWritable);
    },
    release() {
      if (needed.size === 0) return;
      rmSync(own, { force: true });
      removeUnneeded(notes, [...needed]);
      needed.clear();
    },
  };
}

/** True for what a session has created in place of a missing file or folder. */
const isPlaceholder = (path: string): boolean =>
  readSmallText(path) === PLACEHOLDER || (isDirectory(path) && namesIn(path).length === 0);

/** Creates a folder and missing parents, without following links. */
function createFolder(path: string, need: (path: string) => void): void {
  if (isDirectory(path) || path === dirname(path)) return;
  createFolder(dirname(path), need);
  createIn(path, need, (at) => mkdirSync(at));
}

function createFile(path: string, need: (path: string) => void): void {
  createFolder(dirname(path), need);
  createIn(path, need, (at) => writeFileSync(at, PLACEHOLDER, { flag: 'wx' }));
}

function createIn(path: string, need: (path: string) => void, create: (at: string) => void): void {
  if (lstatOf(path) !== undefined) return;
  need(path);
  try {
    inRealFolderSync(dirname(path), ({ at }) => create(at(basename(path))));
  } catch {
    // If this program cannot write there, commands cannot either.
  }
}

/** The path that a session has noted, and the folders that it has created around it. */
const notedAround = (notes: string, path: string): readonly string[] => [
  ...namesIn(notes)
    .flatMap((name) => readList(join(notes, name)))
    .filter((noted) => isInside(path, noted) && !isGitFolder(noted)),
  path,
];

/** Cleans up after sessions that were killed. */
function clearUp(notes: string): void {
  for (const name of namesIn(notes)) {
    const pid = Number.parseInt(name, 10);
    if (!(pid > 0) || isRunning(pid)) continue;
    const left = readList(join(notes, name));
    rmSync(join(notes, name), { force: true });
    removeUnneeded(notes, left);
  }
}

function removeUnneeded(notes: string, paths: readonly string[]): void {
  const needed = new Set(namesIn(notes).flatMap((name) => readList(join(notes, name))));
  // Innermost first: a folder is removed once it is empty.
  const deepestFirst = [...paths].sort((a, b) => b.length - a.length);
  for (const path of deepestFirst) if (!needed.has(path)) removeCreated(path);
}

/** Creates the files without following links: a running command may replace the folder with one. */
function completeGitFolder(folder: string): void {
  const settings = join(folder, 'config');
  const hasWorktreeConfig = /worktreeconfig/i.test(readSmallText(settings)) || isLarge(settings);
  const missing = (content: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
    ...content,
    ...(hasWorktreeConfig ? { 'config.worktree': '' } : {}),
  });
  createMissing(folder, missing({ config: '', commondir: OWN_COMMONDIR }), ['hooks', 'remotes', 'branches']);
  for (const worktree of worktreesIn(folder).found)
    createMissing(worktree, missing({ commondir: COMMONDIR_OF_WORKTREE }));
}

/** Files whose text `readSmallText` does not return. */
const isLarge = (file: string): boolean => readSmallText(file) === '' && (statOf(file)?.size ?? 0) > 0;

function createMissing(
  folder: string,
  files: Readonly<Record<string, string>>,
  folders: readonly string[] = [],
): void {
  const isMissing = (name: string): boolean => lstatOf(join(folder, name)) === undefined;
  // Opening the folder takes longer than a stat, and usually nothing is missing.
  if (![...Object.keys(files), ...folders].some(isMissing)) return;
  try {
    inRealFolderSync(folder, ({ at }) => {
      for (const name of folders) if (isMissing(name)) mkdirSync(at(name));
      for (const [name, content] of Object.entries(files))
        if (isMissing(name)) writeFileSync(at(name), content, { flag: 'wx' });
    });
  } catch {
    // If this program cannot write there, commands cannot either.
  }
}

function removeCreated(path: string): void {
  const isFolder = isDirectory(path);
  const [folder, name, content] = isFolder
    ? [path, 'commondir', OWN_COMMONDIR]
    : [dirname(path), basename(path), PLACEHOLDER];
  try {
    inRealFolderSync(folder, ({ at }) => {
      if (readSmallText(at(name)) === content) rmSync(at(name), { force: true });
    });
    // Fails unless it is empty.
    if (isFolder) rmdirSync(path);
  } catch {
    // The folder is no longer writable for this user, or has other content.
  }
}
