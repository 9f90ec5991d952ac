/**
 * Packs a session's log into an archive and unpacks it. The source is removed only after the result has been written,
 * synced, read back and compared with it.
 */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, link, open, rename, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { newId } from '../newEntries.ts';
import { lockFileOf, projectFolderIn, sessionFileIn } from '../pathUtils.ts';
import { acquireSessionLock } from '../SessionLock.ts';
import type { LockHolder } from '../sessionStore.ts';
import {
  assertRealFolders,
  createStored,
  makeStoredFolder,
  openStored,
  removeStored,
  storedFile,
} from '../storedFiles.ts';
import { archiveFileIn, bytesOf, listLogFiles } from './logFiles.ts';

/** Result of packing, unpacking or deleting a session. */
export type Stored =
  | { readonly type: 'done'; readonly file: string; readonly bytes: number }
  /** The session is open elsewhere. */
  | { readonly type: 'open'; readonly holder: LockHolder | undefined }
  | { readonly type: 'missing' }
  /** The operation failed and nothing was changed; `message` is for the user. */
  | { readonly type: 'failed'; readonly message: string };

/**
 * Measured on 100 MB of sessions: level 9 packs 35 MB/s to an eighth; gzip takes as long and reaches a quarter. Its 4
 * MB window limits memory on both sides.
 */
const level = 9;

/** `folder`: the project's folder. Throws `InvalidSessionIdError` for an id that leads outside of it. */
export async function archiveSession(folder: string, id: string, signal?: AbortSignal): Promise<Stored> {
  const file = sessionFileIn(folder, id);
  return withLock(file, async () => {
    const before = storedFile(file);
    if (before === undefined) return { type: 'missing' };
    const target = archiveFileIn(folder, id);
    if (!(await isEarlierForm(target, file))) return { type: 'failed', message: otherArchive };
    const temporary = join(dirname(target), `unfinished-${newId()}`);
    await makeStoredFolder(dirname(target), folder);
    try {
      const packed = createHash('sha256');
      const packer = createZstdCompress({
        params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
      });
      const unfinished = await createStored(temporary, folder);
      await pipeline(
        (await openStored(file)).createReadStream(),
        (source: AsyncIterable<Buffer>) => hashed(source, packed),
        packer,
        unfinished.createWriteStream(),
        { ...(signal === undefined ? {} : { signal }) },
      );
      await syncPath(temporary);
      const unpacked = await hashOf(temporary, signal);
      const after = await stat(file);
      const isSame =
        after.size === before.size && after.mtimeMs === before.mtimeMs && after.ino === before.ino;
      if (!isSame || unpacked !== packed.digest('hex'))
        return { type: 'failed', message: 'The archive differs from the log, so the log is kept.' };
      // Keep the log's time: without an index, lists sort by it.
      await utimes(temporary, before.atime, before.mtime);
      await rename(temporary, target);
      await syncPath(dirname(target));
      await removeStored(file);
      const { size } = await stat(target);
      return { type: 'done', file: target, bytes: size };
    } finally {
      await removeStored(temporary, folder);
    }
  });
}

/** Restores the log byte for byte; an existing log is kept, and so is the archive. */
export async function unarchiveSession(folder: string, id: string): Promise<Stored> {
  const file = sessionFileIn(folder, id);
  return withLock(file, async () => {
    const archive = archiveFileIn(folder, id);
    assertRealFolders(folder, dirname(archive));
    if (storedFile(archive, folder) === undefined) return { type: 'missing' };
    if (!(await isCompleteZstd(archive)))
      return { type: 'failed', message: `${archive} is damaged; it stays.` };
    const temporary = join(dirname(archive), `unfinished-${newId()}`);
    try {
      await pipeline(
        Readable.from(bytesOf({ file: archive, isArchived: true })),
        (await createStored(temporary, folder)).createWriteStream(),
      );
      await syncPath(temporary);
      // Unlike rename, link never replaces an existing log.
      await link(temporary, file);
      await syncPath(folder);
      await removeStored(archive, folder);
      const { size } = await stat(file);
      return { type: 'done', file, bytes: size };
    } finally {
      await removeStored(temporary, folder);
    }
  });
}

const otherArchive = 'The archive holds another session of the same name; both are kept.';

/** True if the archive's content is the beginning of the log, or there is no archive. Rejects on a disk error. */
export async function isEarlierForm(archive: string, log: string): Promise<boolean> {
  if (storedFile(archive, dirname(log)) === undefined) return true;
  const packed = createHash('sha256');
  let bytes = 0;
  for await (const chunk of bytesOf({ file: archive, isArchived: true })) {
    packed.update(chunk);
    bytes += chunk.length;
  }
  if (bytes === 0 || (await stat(log)).size < bytes) return bytes === 0;
  const head = createHash('sha256');
  const handle = await openStored(log);
  for await (const chunk of handle.createReadStream({ end: bytes - 1 })) head.update(chunk);
  return head.digest('hex') === packed.digest('hex');
}

/** Runs `work` while holding the session's lock. Returns disk errors as results. */
export async function withLock(file: string, work: () => Promise<Stored>): Promise<Stored> {
  let release = (): void => {};
  try {
    const lock = await acquireSessionLock(lockFileOf(file));
    if (!lock.ok) return { type: 'open', holder: lock.holder };
    release = lock.release;
    if (lock.problem !== undefined) return { type: 'failed', message: lock.problem };
    return await work();
  } catch (error) {
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
  } finally {
    release();
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

/** Ignores that some file systems cannot sync a folder. */
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

// Limits the number of a project's sessions. Packs sessions, but never deletes them.

interface ArchiveRule {
  readonly dataRoot: string;
  /** Folder name in `projects/`. */
  readonly project: string;
  /** Number of most recently active sessions to leave unpacked. */
  readonly maxSessions: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Sessions active within this time are not packed: the user may want to continue them. */
const restMs = 24 * 60 * 60 * 1000;

/**
 * Packs sessions one by one, the oldest first; skips those that are open or cannot be packed. Returns the packed ids.
 */
export async function archiveOldest(rule: ArchiveRule): Promise<readonly string[]> {
  const { dataRoot, project, maxSessions, now, signal } = rule;
  const logs = (await listLogFiles(dataRoot, project)).filter(({ isArchived }) => !isArchived);
  const surplus = logs
    .sort((a, b) => b.mtimeMs - a.mtimeMs || (a.id < b.id ? -1 : 1))
    .slice(maxSessions)
    .filter(({ mtimeMs }) => now - mtimeMs > restMs)
    .reverse();
  const archived: string[] = [];
  for (const { id } of surplus) {
    if (signal.aborted) break;
    const stored = await archiveSession(projectFolderIn(dataRoot, project), id, signal);
    if (stored.type === 'done') archived.push(id);
  }
  return archived;
}

// Checks whether a Zstandard file is complete. Older Node releases unpack a truncated file without an error, and
// deleting the archive would then lose the rest.

const magic = 0xfd2fb528;
const firstSkippable = 0x184d2a50;
const blockHeaderBytes = 3;
const checksumBytes = 4;

/** Walks over the blocks as defined by RFC 8878 without unpacking them. Rejects on a disk error. */
export async function isCompleteZstd(file: string): Promise<boolean> {
  const handle = await openStored(file, dirname(dirname(file)));
  try {
    const { size } = await handle.stat();
    let at = 0;
    while (at < size) {
      const end = await frameEnd(handle, at);
      if (end === undefined || end > size) return false;
      at = end;
    }
    return size > 0;
  } finally {
    await handle.close();
  }
}

/** Offset after the frame that begins here; undefined if there is no complete frame. */
async function frameEnd(handle: FileHandle, start: number): Promise<number | undefined> {
  const head = await read(handle, start, 14);
  if (head.length < 6) return undefined;
  const found = head.readUInt32LE(0);
  if (head.length >= 8 && (found & 0xfffffff0) >>> 0 === firstSkippable)
    return start + 8 + head.readUInt32LE(4);
  if (found !== magic) return undefined;
  const descriptor = head.readUInt8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  let at = start + 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
  for (let isLast = false; !isLast; ) {
    const header = await read(handle, at, blockHeaderBytes);
    if (header.length < blockHeaderBytes) return undefined;
    const block = header.readUIntLE(0, blockHeaderBytes);
    const type = (block >> 1) & 3;
    if (type === 3) return undefined;
    isLast = (block & 1) === 1;
    // A run-length block stores its byte once and the number of repetitions.
    at += blockHeaderBytes + (type === 1 ? 1 : block >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : checksumBytes);
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
