/** Replaces one state with another. Never writes through a link, and never half a file. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { inRealFolder, type RealFolder } from '../../disk/realFile.ts';
import type { PathState } from '../../protocol/checkpoints.ts';
import { statEntry } from '../scan/diskEntry.ts';

/** Removes the entry; a folder only if it is empty. Rejects if the file system call fails. */
export async function removeState(path: string, state: PathState): Promise<void> {
  await inWritableFolder(path, ({ name }) => (state.type === 'folder' ? rmdir(name) : unlink(name)));
}

/**
 * Creates the entry where there is none or, for a file, replaces one. `isStillSo` is checked right before the last
 * step.
 */
export async function writeState(
  path: string,
  state: PathState,
  bytes: Buffer | undefined,
  isStillSo: () => boolean,
): Promise<boolean> {
  return inWritableFolder(path, async (entry) => {
    if (state.type === 'special') return state.kind === 'pipe' && (await makePipe(entry, path));
    if (state.type === 'link') {
      await symlink(state.target, entry.name);
      return true;
    }
    if (state.type === 'folder') {
      await mkdir(entry.name, { mode: 0o700 });
      return true;
    }
    return bytes !== undefined && (await replaceFile(entry, path, bytes, state.mode, isStillSo));
  });
}

/** Changes the permission bits of a file or folder; ignores anything else. */
export async function writeMode(path: string, mode: number): Promise<void> {
  await inRealFolder(dirname(path), async (folder) => {
    const name = folder.at(basename(path));
    const kind = statEntry(name)?.kind;
    if (kind === 'file' || kind === 'folder') await chmod(name, mode);
  });
}

/** Not the user's PATH, which may contain folders of a project. */
const SYSTEM_PATH = '/usr/bin:/bin';

/** Node has no function for it. */
function makePipe({ folder }: Entry, path: string): Promise<boolean> {
  // Another program does not share our handles.
  folder.check();
  return new Promise((resolve) => {
    execFile('mkfifo', ['--', path], { env: { PATH: SYSTEM_PATH } }, (error) => resolve(error === null));
  });
}

async function replaceFile(
  { folder, name }: Entry,
  path: string,
  bytes: Buffer,
  mode: number,
  isStillSo: () => boolean,
): Promise<boolean> {
  const temporary = folder.at(`.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.chmod(mode);
      await file.datasync();
    } finally {
      await file.close();
    }
    if (!isStillSo()) return false;
    folder.check();
    await rename(temporary, name);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A name in a folder that is held open. */
interface Entry {
  readonly folder: RealFolder;
  /** The path to pass to `node:fs`. */
  readonly name: string;
}

/** Temporarily makes a folder writable that its owner has made read-only. */
function inWritableFolder<T>(path: string, act: (entry: Entry) => Promise<T>): Promise<T> {
  const place = dirname(path);
  return inRealFolder(place, async (folder) => {
    const entry = { folder, name: folder.at(basename(path)) };
    try {
      return await act(entry);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const { mode } = lstatSync(place);
      if ((code !== 'EACCES' && code !== 'EPERM') || (mode & 0o300) === 0o300) throw error;
      folder.check();
      chmodSync(place, (mode & 0o7777) | 0o700);
      try {
        return await act(entry);
      } finally {
        chmodSync(place, mode & 0o7777);
      }
    }
  });
}
