/**
 * Reads a session's log for work: a small one whole, of a large one what requests need and what followed its last
 * compaction. Where that begins is kept beside the log (resumePoint.ts); without it, the log is read from its start
 * once, in bounded memory.
 */
import { stat } from 'node:fs/promises';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { absentTarget, type Target } from '../history/absentTarget.ts';
import { leavePast } from '../history/leavePast.ts';
import { liveEntries } from '../history/live.ts';
import { pastEntry, pastOf } from '../history/past.ts';
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
  const through = pastOf(entries)?.throughSeq ?? -1;
  if (boundary === undefined || boundary.seq >= floor || boundary.seq <= through) return entries;
  return leavePast(entries, boundary.uuid);
}
