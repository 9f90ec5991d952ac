/**
 * Repairs a damaged log: entries are sorted, linked and unique, and a placeholder replaces each lost entry. The
 * original is kept unchanged in the session's quarantine folder.
 */
import { type FileHandle, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JSONLEntry } from '../../../protocol/entries.ts';
import { yieldToEventLoop } from '../../tokens/measured.ts';
import { seal, unreadableEntry } from '../entryLine.ts';
import { resumePointFile } from '../loadLog.ts';
import { newId } from '../newEntries.ts';
import { lockFileOf } from '../pathUtils.ts';
import { acquireSessionLock } from '../SessionLock.ts';
import type { LockHolder } from '../sessionStore.ts';
import { createStored, makeStoredFolder, openStored, removeStored, syncFolder } from '../storedFiles.ts';
import { keepDamaged, quarantineFolder } from './damage.ts';
import { scanLog } from './verifySession.ts';

export type RepairReport =
  | ({
      readonly type: 'repaired';
      /** Path of the original log. */
      readonly original: string;
    } & RepairCounts)
  /** The log is intact and was not changed. */
  | { readonly type: 'sound' }
  | { readonly type: 'locked'; readonly holder: LockHolder | undefined }
  /** Nothing was changed; `reason` is a message for the user. */
  | { readonly type: 'failed'; readonly reason: string };

/** Repairs the log. The new log is completely on disk before it replaces the old one. Never rejects. */
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
  const temporary = join(folder, newId());
  await makeStoredFolder(folder, dirname(file));
  try {
    await writeLog(file, temporary, plan);
    const original = await keepDamaged(file, file, now);
    await rename(temporary, file);
    await syncFolder(dirname(file));
    // The resume point describes the old log; the next load creates it again.
    await removeStored(resumePointFile(file), dirname(file));
    return original;
  } finally {
    await removeStored(temporary, dirname(file));
  }
}

async function writeLog(from: string, to: string, plan: readonly Planned[]): Promise<void> {
  const source = await openStored(from);
  const target = await createStored(to, dirname(from));
  try {
    let batch: Buffer[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const whole = Buffer.concat(batch);
      for (let done = 0; done < whole.length; )
        done += (await target.write(whole, done, whole.length - done)).bytesWritten;
      [batch, bytes] = [[], 0];
      await yieldToEventLoop();
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

/** The line as it is in the file if nothing in it changes. */
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

// Plans a repaired log; of an undamaged line it keeps only the place in the file.

interface LinePlace {
  readonly offset: number;
  readonly length: number;
  readonly isSealed: boolean;
}

/** One line of the repaired log: a line of the file, or an entry to write. */
type Planned = {
  readonly seq: number;
  readonly uuid: string;
  readonly parentUuid: string | null;
} & (
  | { readonly line: LinePlace; readonly entry?: undefined }
  | { readonly entry: JSONLEntry; readonly line?: undefined }
);

interface RepairCounts {
  readonly entries: number;
  /** Entries restored from damaged lines. */
  readonly restored: number;
  /** Lost entries; each is replaced by a line of subtype `unknown`. */
  readonly lost: number;
  /** Duplicates that were left out. */
  readonly duplicates: number;
  /** Entries whose `parentUuid` was not the entry before them. */
  readonly relinked: number;
  readonly wasSorted: boolean;
}

/** Maximum placeholders for lost entries; a larger gap remains a gap. */
const maxPlaceholders = 10_000;

const LOST = 'This entry could not be read when the log was repaired.';

/** `counts` is undefined if nothing needs to be repaired. Rejects if the file cannot be read. */
async function planRepair(
  file: string,
): Promise<{ readonly plan: readonly Planned[]; readonly counts: RepairCounts | undefined }> {
  const found = new Map<string, Planned & { readonly isMended: boolean }>();
  let [damaged, duplicates] = [0, 0];
  let wasSorted = true;
  let last = -1;
  let sample: JSONLEntry | undefined;
  for await (const one of scanLog(file)) {
    if ('damage' in one) {
      damaged += 1;
      continue;
    }
    const { entry, line, isMended = false } = one;
    const { seq, uuid, parentUuid } = entry;
    const known = found.get(uuid);
    if (known !== undefined) duplicates += 1;
    // Prefer an intact copy to a restored one, and a complete line to part of one.
    const isBetter = known?.line === undefined && (line !== undefined || (known?.isMended && !isMended));
    if (known !== undefined && !isBetter) continue;
    wasSorted &&= seq > last;
    last = seq;
    sample ??= entry;
    const place = { seq, uuid, parentUuid, isMended };
    found.set(uuid, line === undefined ? { ...place, entry } : { ...place, line });
  }
  const sorted = [...withoutGuesses([...found.values()])].sort((a, b) => a.seq - b.seq);
  const plan = sample === undefined ? sorted : [...withPlaceholders(sorted, sample, found)];
  const relinked = countBroken(plan);
  const lost = plan.length - sorted.length;
  const isSound = damaged + duplicates + lost + relinked === 0 && wasSorted;
  const restored = sorted.filter(({ entry }) => entry !== undefined).length;
  const counts = { entries: plan.length, restored, lost, duplicates, relinked, wasSorted };
  return { plan, counts: isSound ? undefined : counts };
}

/** Drops restored entries whose seq is already taken: they are parts of copies. */
function* withoutGuesses<One extends { readonly seq: number; readonly isMended: boolean }>(
  found: readonly One[],
): Generator<One> {
  const taken = new Set(found.filter(({ isMended }) => !isMended).map(({ seq }) => seq));
  for (const one of found) {
    if (one.isMended && taken.has(one.seq)) continue;
    taken.add(one.seq);
    yield one;
  }
}

function* withPlaceholders(
  sorted: readonly Planned[],
  sample: JSONLEntry,
  found: ReadonlyMap<string, Planned>,
): Generator<Planned> {
  let room = maxPlaceholders;
  let next = 0;
  let previous: string | null = null;
  for (const planned of sorted) {
    for (; next < planned.seq && room > 0; next += 1, room -= 1) {
      const isLast = next === planned.seq - 1;
      // The next entry has the id of the lost one.
      const named = isLast && planned.parentUuid !== null && !found.has(planned.parentUuid);
      const uuid = (named ? planned.parentUuid : null) ?? newId();
      const entry = unreadableEntry({ ...sample, seq: next, uuid, parentUuid: previous }, { lost: LOST });
      yield { seq: next, uuid, parentUuid: previous, entry };
      previous = uuid;
    }
    yield planned;
    previous = planned.uuid;
    next = planned.seq + 1;
  }
}

/** Number of entries whose `parentUuid` is not the entry before them; an incomplete compaction may be skipped. */
function countBroken(plan: readonly Planned[]): number {
  let broken = 0;
  for (const [index, { parentUuid }] of plan.entries()) {
    const names = [plan[index - 1]?.uuid ?? null, plan[index - 2]?.uuid ?? null];
    if (!names.includes(parentUuid)) broken += 1;
  }
  return broken;
}
