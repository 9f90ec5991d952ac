/**
 * Packs a session's log into an archive and back. Nothing is removed before its other form has been written, synced,
 * read back and found to be the same bytes.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type { LockHolder } from '../errors.ts';
import { newId } from '../ids.ts';
import { lockFileOf, sessionFileIn } from '../pathUtils.ts';
import { acquireSessionLock } from '../SessionLock.ts';
import { archiveFileIn } from './logFiles.ts';
import { bytesOf } from './logLines.ts';
import { isWholeZstd } from './zstdFrames.ts';

/** What became of a session that was to be packed, unpacked or deleted. */
export type Stored =
  | { readonly type: 'done'; readonly file: string; readonly bytes: number }
  /** Somebody has it open. */
  | { readonly type: 'open'; readonly holder: LockHolder | undefined }
  | { readonly type: 'missing' }
  /** The disk refused; everything is as it was. Ready to show. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * Measured on 100 MB of sessions: level 9 packs 35 MB/s into an eighth; gzip takes as long for a quarter. Its window of
 * 4 MB bounds the memory at both ends.
 */
const level = 9;

/** `folder`: the project's. Throws `InvalidSessionIdError` for an id that leads elsewhere. */
export async function archiveSession(folder: string, id: string, signal?: AbortSignal): Promise<Stored> {
  const file = sessionFileIn(folder, id);
  return withLock(file, async () => {
    const before = await stat(file).catch(unlessMissing);
    if (before === undefined) return { type: 'missing' };
    const target = archiveFileIn(folder, id);
    if (!(await isEarlierForm(target, file))) return { type: 'failed', message: otherArchive };
    const temporary = join(dirname(target), `unfinished-${newId()}`);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    try {
      const packed = createHash('sha256');
      const packer = createZstdCompress({
        params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
      });
      await pipeline(
        createReadStream(file),
        (source: AsyncIterable<Buffer>) => hashed(source, packed),
        packer,
        createWriteStream(temporary, { flags: 'wx', mode: 0o600 }),
        { ...(signal === undefined ? {} : { signal }) },
      );
      await syncPath(temporary);
      const unpacked = await hashOf(temporary, signal);
      const after = await stat(file);
      const isSame =
        after.size === before.size && after.mtimeMs === before.mtimeMs && after.ino === before.ino;
      if (!isSame || unpacked !== packed.digest('hex'))
        return { type: 'failed', message: 'The archive did not come out as the log went in; the log stays.' };
      // A list that has lost its index still knows by it when something was last said.
      await utimes(temporary, before.atime, before.mtime);
      await rename(temporary, target);
      await syncPath(dirname(target));
      await rm(file);
      const { size } = await stat(target);
      return { type: 'done', file: target, bytes: size };
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

/** Brings the log back, byte for byte; one that is there already stays, and the archive with it. */
export async function unarchiveSession(folder: string, id: string): Promise<Stored> {
  const file = sessionFileIn(folder, id);
  return withLock(file, async () => {
    const archive = archiveFileIn(folder, id);
    if ((await stat(archive).catch(unlessMissing)) === undefined) return { type: 'missing' };
    if (!(await isWholeZstd(archive))) return { type: 'failed', message: `${archive} is damaged; it stays.` };
    const temporary = join(dirname(archive), `unfinished-${newId()}`);
    try {
      await pipeline(
        Readable.from(bytesOf({ file: archive, isArchived: true })),
        createWriteStream(temporary, { flags: 'wx', mode: 0o600 }),
      );
      await syncPath(temporary);
      // Unlike a rename it never takes the place of a log.
      await link(temporary, file);
      await syncPath(folder);
      await rm(archive);
      const { size } = await stat(file);
      return { type: 'done', file, bytes: size };
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

const otherArchive = 'The archive holds another session of the same name; both stay as they are.';

/** True where what is in the archive is the beginning of the log, or where there is no archive. Rejects when the disk does. */
export async function isEarlierForm(archive: string, log: string): Promise<boolean> {
  if ((await stat(archive).catch(unlessMissing)) === undefined) return true;
  const packed = createHash('sha256');
  let bytes = 0;
  for await (const chunk of bytesOf({ file: archive, isArchived: true })) {
    packed.update(chunk);
    bytes += chunk.length;
  }
  if (bytes === 0 || (await stat(log)).size < bytes) return bytes === 0;
  const head = createHash('sha256');
  for await (const chunk of createReadStream(log, { end: bytes - 1 })) head.update(chunk);
  return head.digest('hex') === packed.digest('hex');
}

/** Runs it while nobody else has the session open. Failures of the disk are answers. */
export async function withLock(file: string, work: () => Promise<Stored>): Promise<Stored> {
  const lock = await acquireSessionLock(lockFileOf(file));
  if (!lock.ok) return { type: 'open', holder: lock.holder };
  try {
    if (lock.problem !== undefined) return { type: 'failed', message: lock.problem };
    return await work();
  } catch (error) {
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
  } finally {
    lock.release();
  }
}

async function* hashed(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

async function hashOf(archive: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytesOf({ file: archive, isArchived: true })) {
    signal?.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/** Where a folder cannot be synced, its files still are. */
async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!(await handle.stat()).isDirectory()) throw error;
  } finally {
    await handle.close();
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
