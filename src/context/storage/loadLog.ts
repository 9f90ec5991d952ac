/**
 * Reads a session's log for work: a small one whole, of a large one what requests need and what followed its last
 * compaction. Where that begins is stored next to the log (`ResumePoint`); without it, the log is read from its start
 * once, in bounded memory.
 */

import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { lastCompaction, withoutHalfCompactions } from '../history/compactions.ts';
import { absentTarget, evictPrefix, type Target } from '../history/evict.ts';
import { type EvictedPrefix, evictedPrefixEntry, evictedPrefixOf } from '../history/evictedPrefix.ts';
import { liveEntries } from '../history/liveEntries.ts';
import { seal, unseal } from './entryLine.ts';
import { newId } from './ids.ts';
import { LogPages } from './LogPages.ts';
import { type LogContents, readLog } from './logReader.ts';

/** Logs up to this size are in memory as a whole, in bytes: they are read in less time than a person notices. */
export const WHOLE_BYTES = 4 * 2 ** 20;

export interface LoadOptions {
  /** Everything from this position on has to be in memory. */
  readonly floor?: number;
  readonly wholeBytes?: number;
}

/** Rejects only when the file itself cannot be read. */
export async function loadLog(
  file: string,
  { floor = Number.POSITIVE_INFINITY, wholeBytes = WHOLE_BYTES }: LoadOptions = {},
): Promise<LogContents> {
  const { size } = await stat(file);
  if (size <= wholeBytes) return { ...(await readLog(file)), bytes: size };
  const point = await readResumePoint(file);
  const isFarEnough = point !== undefined && point.past.throughSeq < floor;
  const { entries, damaged } =
    (isFarEnough ? await loadFrom(file, point) : undefined) ?? (await loadFromStart(file, floor));
  const settled = withoutOldPast(withoutHalfCompactions(entries), floor);
  const reached = resumePointOf(settled);
  if (reached !== undefined && reached.past.throughUuid !== point?.past.throughUuid)
    void writeResumePoint(file, reached);
  return { entries: [...settled], damaged, bytes: size };
}

/** What the point names and what follows it; undefined where it does not belong to this log, or not enough does. */
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
  // What was written once more is there already.
  const known = new Set(kept.map(({ uuid }) => uuid));
  const since = tail.filter(({ seq, uuid }) => seq > past.throughSeq && !known.has(uuid));
  const entries = [...head, ...since];
  return absentTarget(entries) === undefined ? { entries, damaged } : undefined;
}

/**
 * From the first line on. Each compaction leaves its past to the file, but where a later correction goes back behind
 * it: then everything from its target to the correction is kept until both have been read.
 */
async function loadFromStart(file: string, floor: number): Promise<LogContents> {
  const wanted: Stretch[] = [{ from: floor, to: Number.POSITIVE_INFINITY }];
  for (;;) {
    try {
      const contents = await readLog(file, {
        onCompaction(entries, boundary) {
          refuseAbsent(entries);
          if (wanted.some(({ from, to }) => boundary.seq >= from && boundary.seq <= to)) return entries;
          const whole = withoutHalfCompactions(entries);
          const left = evictPrefix(whole, boundary.uuid);
          return left === whole ? entries : left;
        },
      });
      refuseAbsent(contents.entries);
      return contents;
    } catch (error) {
      if (!(error instanceof TargetIsAbsent)) throw error;
      wanted.push(await stretchTo(file, error.target));
    }
  }
}

/** Positions between which nothing may be left out. */
interface Stretch {
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

/** From before the entry that is named (of a compaction: its boundary) to the one that names it; a name that leads nowhere asks for the correction alone. */
async function stretchTo(file: string, { uuid, by }: Target): Promise<Stretch> {
  for await (const entry of new LogPages(file).before(by.seq, Buffer.from(uuid)))
    if (entry.uuid === uuid) return { from: entry.seq - 1, to: by.seq };
  return { from: 0, to: by.seq };
}

/** The same with the past of the last compaction left to the file, unless that is wanted. */
function withoutOldPast(entries: readonly JSONLEntry[], floor: number): readonly JSONLEntry[] {
  const { entries: live, undone } = liveEntries(entries);
  const boundary = live[lastCompaction(live, undone)];
  const through = evictedPrefixOf(entries)?.throughSeq ?? -1;
  if (boundary === undefined || boundary.seq >= floor || boundary.seq <= through) return entries;
  return evictPrefix(entries, boundary.uuid);
}

// Where a large log can be taken up without reading its beginning: which earlier entries are still needed, and what
// is known of the rest. Derived: without it, or with one that does not fit, the log is read from its start.

/** Of this program's own making: a newer one makes its own. Points of format 1 may lack what an undo makes count again. */
const FORMAT = 2;

export interface ResumePoint {
  readonly format: typeof FORMAT;
  readonly past: EvictedPrefix;
  /** Positions of the entries that are needed, as ranges with both ends; the last ends with the summary. */
  readonly keep: readonly (readonly [number, number])[];
}

/** The point of entries that have a past; undefined where all are in memory. */
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

/** Where the point of a session's log lies. */
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

/** Undefined where there is none that can be used. */
export async function readResumePoint(logFile: string): Promise<ResumePoint | undefined> {
  const bytes = await readFile(resumePointFile(logFile)).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const { json, seal: state } = unseal(bytes);
  // Only this program writes it: what it holds inside is taken as it is, when that is what was written.
  if (state !== 'intact') return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return shape.safeParse(value).success ? (value as ResumePoint) : undefined;
  } catch {
    return undefined;
  }
}

/** Never rejects: without it, the next start takes longer, and that is all. */
export async function writeResumePoint(logFile: string, point: ResumePoint): Promise<void> {
  const file = resumePointFile(logFile);
  const temporary = `${file}.${newId()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temporary, seal(JSON.stringify(point)), { mode: 0o600 });
    await rename(temporary, file);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
