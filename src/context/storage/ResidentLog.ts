/**
 * The entries of one session that are in memory. Of a large log the past of compactions is left to the file, as
 * soon as it is there; a copy of what is needed of it stays (history/evict.ts).
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import {
  lastCompaction,
  wholeCompactions,
  wholeCompactionsBefore,
  withoutHalfCompactions,
} from '../history/compactions.ts';
import { evictPrefix, isRemoval, removalToEvict } from '../history/evict.ts';
import { evictedPrefixOf } from '../history/evictedPrefix.ts';
import { HistoryManager } from '../history/HistoryManager.ts';
import { type SeenLog, seenIn } from '../recall/seenLog.ts';
import { LogPages } from './LogPages.ts';
import { resumePointOf, WHOLE_BYTES, writeResumePoint } from './loadLog.ts';
import type { LogContents } from './logReader.ts';

export class ResidentLog {
  readonly #file: string;
  readonly #wholeBytes: number;
  /** The entries, and what they make. */
  readonly history = new HistoryManager();
  /** Of the whole log. */
  #bytes: number;
  /** How many there were when removals were last left to the file. */
  #leftAt = 0;

  /** `wholeBytes`: logs up to this size are in memory as a whole. */
  constructor(file: string, { entries, bytes = 0 }: LogContents, wholeBytes = WHOLE_BYTES) {
    this.#file = file;
    this.#wholeBytes = wholeBytes;
    this.history.replace(withoutHalfCompactions(entries));
    this.#bytes = bytes;
  }

  /** Those that are wanted, as they are written. */
  lines(isWanted: (entry: JSONLEntry) => boolean): string[] {
    return this.history
      .entries()
      .filter((entry) => entry.subtype !== 'past' && isWanted(entry))
      .map((entry) => JSON.stringify(entry));
  }

  /** Uuid of the newest entry. */
  lastUuid(): string | undefined {
    return this.history.newest()?.uuid;
  }

  /** `bytes`: of their lines. */
  add(entries: readonly JSONLEntry[], bytes: number): void {
    this.history.append(...entries);
    this.#bytes += bytes;
  }

  /** Everything that this session has ever seen; what is not in memory is read from the file. */
  seen(): SeenLog {
    const recent = this.history.entries();
    const through = evictedPrefixOf(recent)?.throughSeq;
    if (through === undefined) return seenIn(recent);
    const pages = new LogPages(this.#file);
    const here = seenIn(recent.filter(({ seq }) => seq > through));
    const readFrom = async (seq: number): Promise<JSONLEntry | undefined> => {
      for await (const entry of pages.range(seq, through)) return entry;
      return undefined;
    };
    return {
      first: 0,
      last: Math.max(through, here.last),
      recent,
      async *range(from, to) {
        const older = pages.range(from, Math.min(to, through));
        if (from <= through) yield* wholeCompactions(older, () => readFrom(to + 1));
        if (to > through) yield* here.range(from, to);
      },
      async *before(seq, containing) {
        yield* here.before(seq);
        const bytes = containing === undefined ? undefined : Buffer.from(containing);
        const older = pages.before(Math.min(seq, through + 1), bytes);
        // A search for a text does not tell what follows a hit.
        yield* bytes === undefined ? wholeCompactionsBefore(older, () => readFrom(seq)) : older;
      },
    };
  }

  /** True when something from this position on is in the file only. */
  isShortOf(floor: number): boolean {
    return floor <= (evictedPrefixOf(this.history.entries())?.throughSeq ?? -1);
  }

  /** Takes what was read again; what was appended since stays behind it. */
  replace(entries: readonly JSONLEntry[]): void {
    // Memory knows more than a file that vanished, which the next write brings back.
    if (entries.length === 0) return;
    const last = entries.at(-1)?.seq ?? -1;
    const later = this.history.entries().filter(({ seq, subtype }) => seq > last && subtype !== 'past');
    this.history.replace([...withoutHalfCompactions(entries), ...later]);
  }

  /** After these have come onto the disk: leaves to the file what is needed no more. */
  evict(added: readonly JSONLEntry[], unsyncedFrom: number): void {
    if (added.some((entry) => entry.isCompactSummary === true)) this.#evictCompacted(unsyncedFrom);
    if (added.some(isRemoval)) this.#evictRemoved(unsyncedFrom);
  }

  /**
   * After a compaction: remembers where the session can be taken up, and of a large log leaves
   * to the file what came before the compaction before it, so that the last one can be undone at once.
   * What a disk may still lose, from `unsyncedFrom` on, stays: it may have to be written again.
   */
  #evictCompacted(unsyncedFrom: number): void {
    if (this.#bytes <= this.#wholeBytes) return;
    const { entries: live, undone } = this.history.live();
    const at = lastCompaction(live, undone);
    const [boundary, before] = [live[at], live[lastCompaction(live.slice(0, at), undone)]];
    if (boundary === undefined) return;
    const point = resumePointOf(evictPrefix(this.history.entries(), boundary.uuid));
    if (point !== undefined) void writeResumePoint(this.#file, point);
    const through = evictedPrefixOf(this.history.entries())?.throughSeq ?? -1;
    if (before === undefined || before.seq <= through || before.seq > unsyncedFrom) return;
    this.history.replace(evictPrefix(this.history.entries(), before.uuid));
  }

  /**
   * After a removal, where no compaction makes an end: of a large log leaves to the file what the
   * removals took, but for the last, which can be undone at once. Not at each, since it goes through everything in memory.
   */
  #evictRemoved(unsyncedFrom: number): void {
    if (this.#bytes <= this.#wholeBytes || this.#bytes - this.#leftAt < this.#wholeBytes * PAUSE) return;
    const entries = this.history.entries();
    const before = removalToEvict(entries);
    if (before === undefined || before.seq > unsyncedFrom) return;
    const left = evictPrefix(entries, before.uuid);
    if (left === entries) return;
    const point = resumePointOf(left);
    if (point !== undefined) void writeResumePoint(this.#file, point);
    this.history.replace(left);
    this.#leftAt = this.#bytes;
  }
}

/** Share of what may be held as a whole that has to come before removals are left to the file again. */
const PAUSE = 0.25;
