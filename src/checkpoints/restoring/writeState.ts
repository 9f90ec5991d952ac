/** Puts one state in the place of another. Never writes through a link, and never half a file. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { PathState } from '../../protocol/checkpoints.ts';
import { look } from '../looking/diskEntry.ts';

/** Removes what stands there; a folder only when it is empty. Rejects when the disk does. */
export async function removeState(path: string, state: PathState): Promise<void> {
  await inWritableFolder(path, () => (state.type === 'folder' ? rmdir(path) : unlink(path)));
}

/** Makes it where nothing stands or, for a file, in place of one. `isStillSo` is asked right before the last step. */
export async function writeState(
  path: string,
  state: PathState,
  bytes: Buffer | undefined,
  isStillSo: () => boolean,
): Promise<boolean> {
  return inWritableFolder(path, async () => {
    if (state.type === 'special') return state.kind === 'pipe' && (await makePipe(path));
    if (state.type === 'link') {
      await symlink(state.target, path);
      return true;
    }
    if (state.type === 'folder') {
      await mkdir(path, { mode: 0o700 });
      return true;
    }
    return bytes !== undefined && (await replaceFile(path, bytes, state.mode, isStillSo));
  });
}

/** Changes the permission bits of a file or folder, of nothing else. */
export async function writeMode(path: string, mode: number): Promise<void> {
  const kind = look(path)?.kind;
  if (kind === 'file' || kind === 'folder') await chmod(path, mode);
}

/** Node has no call for it. */
function makePipe(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('mkfifo', ['--', path], (error) => resolve(error === null));
  });
}

async function replaceFile(
  path: string,
  bytes: Buffer,
  mode: number,
  isStillSo: () => boolean,
): Promise<boolean> {
  const temporary = `${dirname(path)}/.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`;
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
    await rename(temporary, path);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What the owner has made read-only the owner may write: the folder's mode is lifted for that moment. */
async function inWritableFolder<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const folder = dirname(path);
    const { mode } = lstatSync(folder);
    if ((code !== 'EACCES' && code !== 'EPERM') || (mode & 0o300) === 0o300) throw error;
    chmodSync(folder, (mode & 0o7777) | 0o700);
    try {
      return await act();
    } finally {
      chmodSync(folder, mode & 0o7777);
    }
  }
}
