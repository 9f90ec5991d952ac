/**
 * Loads a session's log to continue it: a small one in full, a large one only with the entries that requests need and
 * those after its last compaction. That position is stored next to the log (`ResumePoint`); without it, the log is read
 * once from its start, in bounded memory.
 */
import { rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { lastCompaction, withoutPartialCompactions } from '../history/compactions.ts';
import { absentTarget, evictPrefix, type Target } from '../history/evict.ts';
import { type EvictedPrefix, evictedPrefixEntry, evictedPrefixOf } from '../history/evictedPrefix.ts';
import { liveEntries } from '../history/liveEntries.ts';
import { seal, unseal } from './entryLine.ts';
import { LogPages } from './LogPages.ts';
import { type LogContents, readLog } from './logReader.ts';
import { newId } from './newEntries.ts';
import { createStored, makeStoredFolder, openStored, removeStored } from './storedFiles.ts';

/** Logs up to this many bytes are held in memory in full: reading them takes no noticeable time. */
export const FULL_READ_BYTES = 4 * 2 ** 20;

interface LoadOptions {
  /** All entries from this seq on have to be in memory. */
  readonly floor?: number;
  readonly wholeBytes?: number;
}

/** Rejects only if the file itself cannot be read. */
export async function loadLog(
  file: string,
  { floor = Number.POSITIVE_INFINITY, wholeBytes = FULL_READ_BYTES }: LoadOptions = {},
): Promise<LogContents> {
  const { size } = await stat(file);
  if (size <= wholeBytes) return { ...(await readLog(file)), bytes: size };
  const point = await readResumePoint(file);
  const isFarEnough = point !== undefined && point.past.throughSeq < floor;
  const { entries, damaged } =
    (isFarEnough ? await loadFrom(file, point) : undefined) ?? (await loadFromStart(file, floor));
  const settled = withoutOldPast(withoutPartialCompactions(entries), floor);
  const reached = resumePointOf(settled);
  if (reached !== undefined && reached.past.throughUuid !== point?.past.throughUuid)
    void writeResumePoint(file, reached);
  return { entries: [...settled], damaged, bytes: size };
}

/**
 * Loads the entries that the resume point names and all later ones; undefined if the point does not belong to this log
 * or a later correction needs more.
 */
async function loadFrom(file: string, { past, keep }: ResumePoint): Promise<LogContents | undefined> {
  const pages = new LogPages(file);
  const kept: JSONLEntry[] = [];
  for (const [from, to] of keep) for await (const entry of pages.range(from, to)) kept.push(entry);
  const [first, ...rest] = kept;
  const last = kept.at(-1);
  if (first === undefined || last?.seq !== past.throughSeq || last.uuid !== past.throughUuid)
    return undefined;
  const { entries: tail, damaged } = await readLog(file, {
    start: await pages.offsetOf(past.throughSeq),
  });
  const prefix = evictedPrefixEntry(past, first);
  const head = first.subtype === 'session_start' ? [first, prefix, ...rest] : [prefix, ...kept];
  // Skip lines that were written twice.
  const known = new Set(kept.map(({ uuid }) => uuid));
  const since = tail.filter(({ seq, uuid }) => seq > past.throughSeq && !known.has(uuid));
  const entries = [...head, ...since];
  return absentTarget(entries) === undefined ? { entries, damaged } : undefined;
}

/**
 * Reads from the first line. Everything before a compaction is evicted, unless a later correction reaches back before
 * it: then the log is read again with everything between the correction and its target kept.
 */
async function loadFromStart(file: string, floor: number): Promise<LogContents> {
  const wanted: SeqRange[] = [{ from: floor, to: Number.POSITIVE_INFINITY }];
  for (;;) {
    try {
      const contents = await readLog(file, {
        onCompaction(entries, boundary) {
          refuseAbsent(entries);
          if (wanted.some(({ from, to }) => boundary.seq >= from && boundary.seq <= to)) return entries;
          const whole = withoutPartialCompactions(entries);
          const left = evictPrefix(whole, boundary.uuid);
          return left === whole ? entries : left;
        },
      });
      refuseAbsent(contents.entries);
      return contents;
    } catch (error) {
      if (!(error instanceof TargetIsAbsent)) throw error;
      wanted.push(await rangeTo(file, error.target));
    }
  }
}

/** Range of seqs in which nothing may be evicted. */
interface SeqRange {
  readonly from: number;
  readonly to: number;
}

class TargetIsAbsent extends Error {
  override readonly name = 'TargetIsAbsent';
  readonly target: Target;
  constructor(target: Target) {
    super(`Entry #${target.by.seq} names one that is not in memory.`);
    this.target = target;
  }
}

function refuseAbsent(entries: readonly JSONLEntry[]): void {
  const target = absentTarget(entries);
  if (target !== undefined) throw new TargetIsAbsent(target);
}

/**
 * The range from before the named entry (for a compaction: its boundary) to the entry that names it. If the named entry
 * does not exist, from the start of the log.
 */
async function rangeTo(file: string, { uuid, by }: Target): Promise<SeqRange> {
  for await (const entry of new LogPages(file).before(by.seq, Buffer.from(uuid)))
    if (entry.uuid === uuid) return { from: entry.seq - 1, to: by.seq };
  return { from: 0, to: by.seq };
}

/** Evicts everything before the last compaction, unless `floor` requires it. */
function withoutOldPast(entries: readonly JSONLEntry[], floor: number): readonly JSONLEntry[] {
  const { entries: live, undone } = liveEntries(entries);
  const boundary = live[lastCompaction(live, undone)];
  const through = evictedPrefixOf(entries)?.throughSeq ?? -1;
  if (boundary === undefined || boundary.seq >= floor || boundary.seq <= through) return entries;
  return evictPrefix(entries, boundary.uuid);
}

// Resume points: where to continue a large log without reading its beginning, with the earlier entries that are still
// needed and the facts about the rest. A cache: if it is missing or does not match, the log is read from its start.

/** Other versions write their own. Points of format 1 may lack entries that an undo brings back. */
const FORMAT = 2;

interface ResumePoint {
  readonly format: typeof FORMAT;
  readonly past: EvictedPrefix;
  /** Seqs of the needed entries, as inclusive ranges; the last range ends with the summary or removal. */
  readonly keep: readonly (readonly [number, number])[];
}

/** The resume point for partly evicted entries; undefined if all are in memory. */
export function resumePointOf(entries: readonly JSONLEntry[]): ResumePoint | undefined {
  const past = evictedPrefixOf(entries);
  if (past === undefined) return undefined;
  const keep: [number, number][] = [];
  for (const { seq, subtype } of entries) {
    if (subtype === 'past') continue;
    if (seq > past.throughSeq) break;
    const last = keep.at(-1);
    if (last !== undefined && last[1] === seq - 1) last[1] = seq;
    else keep.push([seq, seq]);
  }
  return { format: FORMAT, past, keep };
}

/** Path of the resume point for a log. */
export function resumePointFile(logFile: string): string {
  return join(dirname(logFile), 'resume', `${basename(logFile, '.jsonl')}.json`);
}

const shape = z.looseObject({
  format: z.literal(FORMAT),
  past: z.looseObject({
    throughSeq: z.number(),
    throughUuid: z.string(),
    facts: z.looseObject({}),
    learned: z.looseObject({}),
    spent: z.array(z.unknown()),
    reductions: z.array(z.unknown()),
  }),
  keep: z.array(z.tuple([z.number(), z.number()])),
});

/** Undefined if there is no usable resume point. */
export async function readResumePoint(logFile: string): Promise<ResumePoint | undefined> {
  const bytes = await readAll(resumePointFile(logFile), dirname(logFile)).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const { json, seal: state } = unseal(bytes);
  // The inner values are not validated: the checksum shows that this program wrote them.
  if (state !== 'intact') return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return shape.safeParse(value).success ? (value as ResumePoint) : undefined;
  } catch {
    return undefined;
  }
}

async function readAll(file: string, folder: string): Promise<Buffer> {
  const handle = await openStored(file, folder);
  return handle.readFile().finally(() => handle.close());
}

/** Never rejects: without a resume point only the next load takes longer. */
export async function writeResumePoint(logFile: string, point: ResumePoint): Promise<void> {
  const file = resumePointFile(logFile);
  const temporary = `${file}.${newId()}`;
  const folder = dirname(logFile);
  try {
    await makeStoredFolder(dirname(file), folder);
    const handle = await createStored(temporary, folder);
    await handle.writeFile(seal(JSON.stringify(point))).finally(() => handle.close());
    await rename(temporary, file);
  } catch {
    await removeStored(temporary, folder).catch(() => undefined);
  }
}
