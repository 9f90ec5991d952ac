/** Replaces a file in one step: whoever reads it sees the old content or the new, never a part. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from '../systemErrors.ts';

const MAX_LINKS = 40;

/** Writes the bytes to the file or, through a link, to its target; makes directories; keeps mode and owner. */
export async function writeFileAtomic(path: string, bytes: Uint8Array): Promise<void> {
  const target = await linkTarget(path);
  const old = await stat(target).catch(() => undefined);
  await mkdir(dirname(target), { recursive: true });
  const temporary = join(
    dirname(target),
    `.${basename(target).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    const file = await open(temporary, 'wx', old === undefined ? 0o666 : 0o600);
    try {
      await file.writeFile(bytes);
      if (old !== undefined) {
        await file.chown(old.uid, old.gid).catch(() => undefined);
        await file.chmod(old.mode & 0o7777);
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    // The file may be writable where its directory is not: then in place is the only way.
    if (old === undefined || !['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
    await writeFile(target, bytes);
  }
}

/** Follows links, also to a target that does not exist yet. */
async function linkTarget(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const info = await lstat(target).catch(() => undefined);
    if (info === undefined || !info.isSymbolicLink()) return target;
    target = resolve(dirname(target), await readlink(target));
  }
  return target;
}
