/** Deletes a session and everything that only it uses. Cannot be undone, so it runs only on request. */
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resumePointFile } from '../loadLog.ts';
import { bytesOf } from '../logBytes.ts';
import { newId } from '../newEntries.ts';
import { agentsFolderIn, lockFileOf, projectFolderIn, sessionFileIn } from '../pathUtils.ts';
import { quarantineFolder } from '../repair/damage.ts';
import { assertRealFolders, makeStoredFolder, removeStored, storedFile } from '../storedFiles.ts';
import { earlierForm, type Stored, withLock } from './archiveSession.ts';
import { archiveFileIn, type LogFile, listAgentLogs, listLogFiles } from './logFiles.ts';

/**
 * An original is written before the line that refers to it: before an original is deleted, wait this long for such a
 * line.
 */
const graceMs = 500;

/** `bytes` in the result is the space that was freed. Throws `InvalidSessionIdError`. */
export async function deleteSessionFiles(dataRoot: string, project: string, id: string): Promise<Stored> {
  const folder = projectFolderIn(dataRoot, project);
  const file = sessionFileIn(folder, id);
  return withLock(file, async () => {
    const lock = lockFileOf(file);
    const others = [
      agentsFolderIn(folder, id),
      quarantineFolder(file),
      resumePointFile(file),
      lock,
      `${lock}.json`,
    ];
    // Before anything is removed: a link means that nothing is.
    for (const path of [...others, unfinishedFolder(folder)]) assertRealFolders(folder, path);
    const archive = archiveFileIn(folder, id);
    const hasLog = storedFile(file) !== undefined;
    // An archive of this log is left over from packing it; an archive of another session must be kept.
    const isLeftOver = hasLog && (await earlierForm(archive, file).catch(() => 'damaged')) === 'earlier';
    const mine = hasLog && !isLeftOver ? [file] : [file, archive];
    const hashes = new Set<string>();
    let bytes = 0;
    let isThere = false;
    for (const log of mine) {
      const stats = storedFile(log, folder);
      if (stats === undefined) continue;
      isThere = true;
      bytes += stats.size;
      await addHashes(log, hashes);
    }
    if (!isThere) {
      await removeStored(lock, folder);
      return { type: 'missing' };
    }
    const agents = listAgentLogs(dataRoot, project, id);
    for (const log of agents) {
      bytes += log.size;
      await addHashes(log.file, hashes);
    }
    for (const path of [...mine, ...others]) await removeStored(path, folder);
    bytes += await deleteOriginals(dataRoot, project, hashes);
    return { type: 'done', file, bytes };
  });
}

/** Deletes the originals that no session of the project refers to. Returns their size in bytes. */
async function deleteOriginals(
  dataRoot: string,
  project: string,
  hashes: ReadonlySet<string>,
): Promise<number> {
  const folder = projectFolderIn(dataRoot, project);
  const blobs = join(folder, 'blobs');
  const unnamed = new Set<string>();
  for (const hash of hashes) if (storedFile(blobPath(blobs, hash), folder) !== undefined) unnamed.add(hash);
  if (unnamed.size === 0) return 0;
  const read = new Map<string, number>();
  const logs = async (): Promise<LogFile[]> => [
    ...(await listLogFiles(dataRoot, project)),
    ...listAgentLogs(dataRoot, project),
  ];
  await removeNamed(unnamed, await logs(), read);
  // Move them away first: a session that needs the same content now stores it again. This folder is cleared after a
  // crash.
  const aside = unfinishedFolder(folder);
  const moved = new Map<string, string>();
  await makeStoredFolder(aside, folder);
  for (const hash of unnamed) {
    const place = join(aside, newId());
    await rename(blobPath(blobs, hash), place);
    moved.set(hash, place);
  }
  if (moved.size > 0) await sleep(graceMs);
  await removeNamed(unnamed, await logs(), read);
  let bytes = 0;
  for (const [hash, place] of moved) {
    if (unnamed.has(hash)) {
      bytes += (await stat(place)).size;
      await removeStored(place, folder);
    } else await rename(place, blobPath(blobs, hash));
  }
  return bytes;
}

/** Removes from the set every hash that the logs contain after the offset in `read`, and updates `read`. */
async function removeNamed(
  hashes: Set<string>,
  logs: readonly LogFile[],
  read: Map<string, number>,
): Promise<void> {
  for (const log of logs) {
    if (hashes.size === 0) return;
    const known = read.get(log.file) ?? 0;
    if (known === log.size) continue;
    // A log that is being written may have ended inside a hash.
    const start = log.isArchived ? 0 : Math.max(0, known - hashLength);
    try {
      for await (const hash of hashesIn(log.file, start)) hashes.delete(hash);
    } catch {
      // What cannot be read may name any of them.
      hashes.clear();
    }
    read.set(log.file, log.size);
  }
}

const hashLength = 64;

/** Adds the hashes in a log that is deleted. Those in a part that cannot be read are not known, so the originals stay. */
async function addHashes(log: string, hashes: Set<string>): Promise<void> {
  try {
    for await (const hash of hashesIn(log)) hashes.add(hash);
  } catch {
    // The log is deleted anyway.
  }
}

/** Everything in a log that looks like a SHA-256. */
async function* hashesIn(log: string, start = 0): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of bytesOf(log, start)) {
    const text = rest + chunk.toString('latin1');
    for (const [hash] of text.matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)) yield hash;
    rest = text.slice(-hashLength - 1);
  }
}

const unfinishedFolder = (folder: string): string => join(folder, 'blobs', 'unfinished');

function blobPath(blobs: string, hash: string): string {
  return join(blobs, hash.slice(0, 2), hash);
}
