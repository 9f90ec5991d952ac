/** Replaces a file atomically: readers see the old or the new content, never part of it. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { inRealFolder, PathMovedError, type RealFolder } from '../../disk/realFile.ts';
import { type FileFacts, fileStamp } from '../../protocol/files/fileStamp.ts';
import { errorCode } from '../outcomes.ts';

/** The file is not the one from which the change was computed. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
}

/**
 * Writes the bytes to the real path, which contains no links; creates directories; keeps mode and owner. `stamp` is
 * that of the file to replace, undefined if there is none. Rejects with a `FileChangedError` or a `PathMovedError` if
 * something else is there, and with system errors.
 */
export async function writeFileAtomic(
  realPath: string,
  bytes: Uint8Array,
  stamp: string | undefined,
): Promise<void> {
  const name = basename(realPath);
  const write = async (folder: RealFolder): Promise<void> => {
    const old = await unchanged(folder, name, realPath, stamp);
    const temporary = folder.at(`.${name.slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      const file = await open(temporary, 'wx', old === undefined ? 0o666 : 0o600);
      try {
        await file.writeFile(bytes);
        if (old !== undefined) {
          await file.chown(Number(old.uid), Number(old.gid)).catch(() => undefined);
          await file.chmod(Number(old.mode & 0o7777n));
        }
        await file.datasync();
      } finally {
        await file.close();
      }
      await unchanged(folder, name, realPath, stamp);
      folder.check();
      await rename(temporary, folder.at(name));
    } catch (error) {
      await rm(temporary, { force: true });
      // The file may be writable although its directory is not; then it can only be overwritten in place.
      if (old === undefined || !['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
      await overwrite(folder, name, bytes, stamp);
    }
  };
  await inRealFolder(dirname(realPath), write, { create: true });
}

interface Entry extends FileFacts {
  readonly mode: bigint;
  readonly uid: bigint;
  readonly gid: bigint;
}

/** The entry to replace; throws unless it is the one from which the change was computed. */
async function unchanged(
  folder: RealFolder,
  name: string,
  realPath: string,
  stamp: string | undefined,
): Promise<Entry | undefined> {
  const info = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (info?.isSymbolicLink()) throw new PathMovedError(realPath);
  if ((info && fileStamp(info)) !== stamp) throw new FileChangedError(realPath);
  return info;
}

async function overwrite(
  folder: RealFolder,
  name: string,
  bytes: Uint8Array,
  stamp: string | undefined,
): Promise<void> {
  const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(folder.at(name), O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (fileStamp(await file.stat({ bigint: true })) !== stamp) throw new FileChangedError(name);
    folder.check();
    await file.truncate();
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}
