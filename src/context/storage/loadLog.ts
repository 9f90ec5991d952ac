/**
 * Reads a session's log for work: a small one whole, of a large one what requests need and what followed its last
 * compaction. Where that begins is kept beside the log (resumePoint.ts); without it, the log is read from its start
 * once, in bounded memory.
 */
import { stat } from 'node:fs/promises';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { leavePast } from '../history/leavePast.ts';
import { isCorrection, liveEntries, rewindTarget, undoneBy } from '../history/live.ts';
import { type Past, pastEntry, pastOf } from '../history/past.ts';
import { reductionOf } from '../history/reductions.ts';
import { isRemoval } from '../history/shownAt.ts';
import { lastCompaction } from '../history/view.ts';
import { withoutHalfCompactions } from './halfCompactions.ts';
import { LogPages } from './LogPages.ts';
import { type LogContents, readLog } from './logReader.ts';
import { type ResumePoint, readResumePoint, resumePointOf, writeResumePoint } from './resumePoint.ts';

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
  const standIn = pastEntry(past, first);
  const head = first.subtype === 'session_start' ? [first, standIn, ...rest] : [standIn, ...kept];
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
          const left = leavePast(whole, boundary.uuid);
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

/** A correction, and what it names. */
interface Target {
  readonly uuid: string;
  readonly by: JSONLEntry;
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

/** The first correction that goes back behind what is in memory. */
export function absentTarget(entries: readonly JSONLEntry[]): Target | undefined {
  const past = pastOf(entries);
  if (past === undefined) return undefined;
  const { throughSeq: through, throughUuid } = past;
  const later = entries.filter((entry) => entry.seq > through);
  if (!later.some((entry) => isCorrection(entry) || entry.subtype === 'reduction')) return undefined;
  const known = new Set(entries.map(({ uuid }) => uuid));
  const own = new Set(later.map(({ uuid }) => uuid));
  const gone = goneBefore(entries, past);
  for (const by of later) {
    // Going back to right behind what was left needs nothing of it.
    const target = isCorrection(by) && rewindTarget(by) !== throughUuid ? rewindTarget(by) : undefined;
    const corrected = isCorrection(by) ? [...undoneBy(by), target ?? ''] : [];
    const uuid =
      corrected.find((one) => one !== '' && !own.has(one)) ??
      reductionOf(by)?.restored?.find((one) => !known.has(one)) ??
      namedBy(by).find((one) => gone.has(one));
    if (uuid !== undefined) return { uuid, by };
  }
  return undefined;
}

/** What had been removed where a removal left its past: whoever drops or restores it moves notes, and all of it counts. */
function goneBefore(entries: readonly JSONLEntry[], { throughSeq, throughUuid }: Past): ReadonlySet<string> {
  const past = entries.filter(({ seq }) => seq <= throughSeq);
  const isOfRemoval = past.some((entry) => entry.uuid === throughUuid && isRemoval(entry));
  return new Set(isOfRemoval ? past.flatMap((entry) => reductionOf(entry)?.removed ?? []) : []);
}

function namedBy(entry: JSONLEntry): readonly string[] {
  const { removed = [], restored = [] } = reductionOf(entry) ?? {};
  return [...removed, ...restored];
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
  const through = pastOf(entries)?.throughSeq ?? -1;
  if (boundary === undefined || boundary.seq >= floor || boundary.seq <= through) return entries;
  return leavePast(entries, boundary.uuid);
}
