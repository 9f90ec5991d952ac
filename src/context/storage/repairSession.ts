/**
 * Makes a whole log out of a damaged one: sorted, chained, each entry once, and a line that says so for each entry
 * that is lost. The original is kept as it is, in the session's quarantine.
 */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { yieldToOthers } from '../tokens/yieldToOthers.ts';
import type { LockHolder } from './errors.ts';
import { makeFolder, syncFolder } from './folders.ts';
import { newId } from './ids.ts';
import { lockFileOf } from './pathUtils.ts';
import { quarantineFolder } from './quarantine.ts';
import { type Planned, planRepair, type RepairCounts } from './repairPlan.ts';
import { resumePointFile } from './resumePoint.ts';
import { acquireSessionLock } from './SessionLock.ts';
import { seal } from './seal.ts';

export type RepairReport =
  | ({
      readonly type: 'repaired' /** Where the log lies as it was. */;
      readonly original: string;
    } & RepairCounts)
  /** The log is as it should be, and was not touched. */
  | { readonly type: 'sound' }
  | { readonly type: 'locked'; readonly holder: LockHolder | undefined }
  /** Nothing was changed; `reason` is ready to show. */
  | { readonly type: 'failed'; readonly reason: string };

/** The entries of the log are on the disk as a whole before it gets the log's name. Does not reject. */
export async function repairSession(file: string, now: Date = new Date()): Promise<RepairReport> {
  const lock = await acquireSessionLock(lockFileOf(file), now);
  if (!lock.ok) return { type: 'locked', holder: lock.holder };
  try {
    if (lock.problem !== undefined) return { type: 'failed', reason: lock.problem };
    const { plan, counts } = await planRepair(file);
    if (counts === undefined) return { type: 'sound' };
    const original = await replaceLog(file, plan, now);
    return { type: 'repaired', original, ...counts };
  } catch (error) {
    return { type: 'failed', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    lock.release();
  }
}

async function replaceLog(file: string, plan: readonly Planned[], now: Date): Promise<string> {
  const folder = quarantineFolder(file);
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const original = join(folder, `${basename(file)}.damaged-${time}`);
  const temporary = join(folder, newId());
  await makeFolder(folder);
  try {
    await writeLog(file, temporary, plan);
    await keepAs(file, original);
    await rename(temporary, file);
    await syncFolder(dirname(file));
    // It speaks of the log as it was; the next start makes it anew.
    await rm(resumePointFile(file), { force: true });
    return original;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeLog(from: string, to: string, plan: readonly Planned[]): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'wx', 0o600);
  try {
    let batch: Buffer[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const whole = Buffer.concat(batch);
      for (let done = 0; done < whole.length; )
        done += (await target.write(whole, done, whole.length - done)).bytesWritten;
      [batch, bytes] = [[], 0];
      await yieldToOthers();
    };
    let previous: string | null = null;
    for (const planned of plan) {
      const line = await lineOf(source, planned, previous);
      batch.push(line);
      bytes += line.length;
      previous = planned.uuid;
      if (bytes > batchBytes) await flush();
    }
    await flush();
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
}

const batchBytes = 4 * 2 ** 20;

/** The line as it stands in the file where nothing about it changes. */
async function lineOf(source: FileHandle, planned: Planned, parentUuid: string | null): Promise<Buffer> {
  const { line, entry } = planned;
  if (entry !== undefined) return lineFor({ ...entry, parentUuid });
  const buffer = Buffer.alloc(line.length + 1, 10);
  await source.read(buffer, 0, line.length, line.offset);
  const text = buffer.toString('utf8', 0, line.length).trimEnd();
  if (planned.parentUuid === parentUuid && line.isSealed) return Buffer.from(`${text}\n`);
  const { crc: _, ...fields } = JSON.parse(text.replace(/^\uFEFF/, ''));
  return lineFor({ ...fields, seq: planned.seq, parentUuid });
}

function lineFor(entry: JSONLEntry): Buffer {
  return Buffer.from(`${seal(JSON.stringify(entry))}\n`);
}

/** A second name where the file system has such; the log is never without a name. */
async function keepAs(file: string, name: string): Promise<void> {
  await link(file, name).catch(() => copyFile(file, name, constants.COPYFILE_EXCL));
  await syncFolder(dirname(name));
}
