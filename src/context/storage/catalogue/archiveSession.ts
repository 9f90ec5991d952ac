/**
 * Packs a session's log into an archive and unpacks it. The source is removed only after the result has been written,
 * synced, read back and compared with it.
 */
import { createHash, type Hash } from 'node:crypto';
import { link, open, rename, stat, truncate, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import {
  beforeDamage,
  bytesOf,
  type DamagedArchiveError,
  InflatedArchiveError,
  unpackedBytesOf,
} from '../logBytes.ts';
import { parseLine } from '../logReader.ts';
import { newId } from '../newEntries.ts';
import { lockFileOf, projectFolderIn, sessionFileIn } from '../pathUtils.ts';
import { keepDamaged, lossText } from '../repair/damage.ts';
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
import { archiveFileIn, listLogFiles, logLines } from './logFiles.ts';

/** Result of packing, unpacking or deleting a session. */
export type Stored =
  | {
      readonly type: 'done';
      readonly file: string;
      readonly bytes: number;
      /** Present if the archive was damaged: what is lost, and where it is stored; for the user. */
      readonly lost?: string;
    }
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
    const earlier = await earlierForm(target, file);
    if (earlier === 'other') return { type: 'failed', message: otherArchive };
    if (earlier === 'damaged') await keepDamaged(file, target, new Date());
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
      const unpacked = await hashOf(temporary, signal).catch(ifInflated);
      if (unpacked === undefined)
        return {
          type: 'failed',
          message: 'The log packs to so little that it could not be unpacked, so it is kept.',
        };
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

/**
 * Restores the log byte for byte; an existing log is kept, and so is the archive. Of a damaged archive, the log gets the
 * lines before the damage, and the archive goes to the session's quarantine folder.
 */
export async function unarchiveSession(folder: string, id: string): Promise<Stored> {
  const file = sessionFileIn(folder, id);
  return withLock(file, async () => {
    const archive = archiveFileIn(folder, id);
    assertRealFolders(folder, dirname(archive));
    if (storedFile(archive, folder) === undefined) return { type: 'missing' };
    const temporary = join(dirname(archive), `unfinished-${newId()}`);
    try {
      const target = await createStored(temporary, folder);
      let damage: DamagedArchiveError | undefined;
      await pipeline(
        beforeDamage(bytesOf(archive), (error) => {
          damage = error;
        }),
        target.createWriteStream(),
      );
      if (damage instanceof InflatedArchiveError)
        return { type: 'failed', message: `${damage.message}. It stays where it is.` };
      const last = damage && (await keepLines(temporary));
      if (damage !== undefined && last === undefined)
        return { type: 'failed', message: `${lossText(damage.message, last)} It stays where it is.` };
      await syncPath(temporary);
      // Unlike rename, link never replaces an existing log.
      await link(temporary, file);
      await syncPath(folder);
      const kept = damage && (await keepDamaged(file, archive, new Date()));
      await removeStored(archive, folder);
      const { size } = await stat(file);
      const lost = damage && `${lossText(damage.message, last)} The archive is kept as ${kept}.`;
      return { type: 'done', file, bytes: size, ...(lost === undefined ? {} : { lost }) };
    } finally {
      await removeStored(temporary, folder);
    }
  });
}

/** Cuts the file after its last complete line. Returns the position of the last entry; undefined if there is none. */
async function keepLines(file: string): Promise<number | undefined> {
  let last: number | undefined;
  let end = 0;
  for await (const { bytes, offset, length } of logLines(file)) {
    last = parseLine(bytes).entries.at(-1)?.seq ?? last;
    end = offset + length;
  }
  await truncate(file, end);
  return last;
}

const otherArchive = 'The archive holds another session of the same name; both are kept.';

/**
 * `earlier` if the archive's content is the beginning of the log, or there is no archive; `damaged` if it cannot be compared.
 * Rejects on a disk error.
 */
export async function earlierForm(archive: string, log: string): Promise<'earlier' | 'other' | 'damaged'> {
  if (storedFile(archive, dirname(log)) === undefined) return 'earlier';
  const packed = createHash('sha256');
  let bytes = 0;
  let isDamaged = false;
  const source = beforeDamage(bytesOf(archive), () => {
    isDamaged = true;
  });
  for await (const chunk of source) {
    packed.update(chunk);
    bytes += chunk.length;
  }
  if (isDamaged) return 'damaged';
  if (bytes === 0) return 'earlier';
  if ((await stat(log)).size < bytes) return 'other';
  const head = createHash('sha256');
  const handle = await openStored(log);
  for await (const chunk of handle.createReadStream({ end: bytes - 1 })) head.update(chunk);
  return head.digest('hex') === packed.digest('hex') ? 'earlier' : 'other';
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
  for await (const chunk of unpackedBytesOf(archive)) {
    signal?.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/** Such an archive would not be read again in full. */
function ifInflated(error: unknown): undefined {
  if (!(error instanceof InflatedArchiveError)) throw error;
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
