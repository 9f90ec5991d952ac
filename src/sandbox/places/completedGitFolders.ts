/**
 * What is missing in a git folder is made while commands run, so that it can be protected. Several sessions may need it in
 * the same folder, and a killed one cannot take it away: each notes its folders in a file of its own, named after its
 * process, and the last that needs one clears up.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectory, lstatOf, namesIn, textOf } from '../../disk/fileLookups.ts';
import { inRealFolderSync } from '../../disk/realFile.ts';
import { isGitFolder } from './gitFolders.ts';

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
