/**
 * The entries of one session that are in memory. For a large log, entries before a compaction are evicted once they are
 * on disk, except those that are still needed (history/evict.ts).
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import {
  completeCompactions,
  completeCompactionsBackwards,
  lastCompaction,
  withoutPartialCompactions,
} from '../history/compactions.ts';
import { evictPrefix, isRemoval, removalToEvict } from '../history/evict.ts';
import { evictedPrefixOf } from '../history/evictedPrefix.ts';
import { HistoryManager } from '../history/HistoryManager.ts';
import { type SeenLog, seenIn } from '../recall/seenLog.ts';
import { LogPages } from './LogPages.ts';
import { FULL_READ_BYTES, resumePointOf, writeResumePoint } from './loadLog.ts';
import type { LogContents } from './logReader.ts';

export class LoadedEntries {
  readonly #file: string;
  readonly #wholeBytes: number;
  /** History of the entries in memory. */
  readonly history = new HistoryManager();
  /** Bytes of the whole log. */
  #bytes: number;
  /** Value of `#bytes` when removals were last evicted. */
  #leftAt = 0;

  /** `wholeBytes`: logs up to this size stay in memory in full. */
  constructor(file: string, { entries, bytes = 0 }: LogContents, wholeBytes = FULL_READ_BYTES) {
    this.#file = file;
    this.#wholeBytes = wholeBytes;
    this.history.replace(withoutPartialCompactions(entries));
    this.#bytes = bytes;
  }

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

  /** `bytes`: size of their lines. */
  add(entries: readonly JSONLEntry[], bytes: number): void {
    this.history.append(...entries);
    this.#bytes += bytes;
  }

  /** All entries of the session; those that are not in memory are read from the file. */
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
        if (from <= through) yield* completeCompactions(older, () => readFrom(to + 1));
        if (to > through) yield* here.range(from, to);
      },
      async *before(seq, containing) {
        yield* here.before(seq);
        const bytes = containing === undefined ? undefined : Buffer.from(containing);
        const older = pages.before(Math.min(seq, through + 1), bytes);
        // With a text search the entry that follows a hit is unknown, so boundaries without a summary cannot be
        // filtered.
        yield* bytes === undefined ? completeCompactionsBackwards(older, () => readFrom(seq)) : older;
      },
    };
  }

  /** True if an entry at or after `floor` is only in the file. */
  isShortOf(floor: number): boolean {
    return floor <= (evictedPrefixOf(this.history.entries())?.throughSeq ?? -1);
  }

  /** Replaces the entries by reloaded ones and keeps those appended since. */
  replace(entries: readonly JSONLEntry[]): void {
    // An empty file has vanished and the next write restores it: keep the entries in memory.
    if (entries.length === 0) return;
    const last = entries.at(-1)?.seq ?? -1;
    const later = this.history.entries().filter(({ seq, subtype }) => seq > last && subtype !== 'past');
    this.history.replace([...withoutPartialCompactions(entries), ...later]);
  }

  /** Called when these entries are on disk: evicts entries that are no longer needed. */
  evict(added: readonly JSONLEntry[], unsyncedFrom: number): void {
    if (added.some((entry) => entry.isCompactSummary === true)) this.#evictCompacted(unsyncedFrom);
    if (added.some(isRemoval)) this.#evictRemoved(unsyncedFrom);
  }

  /**
   * After a compaction of a large log: stores the resume point and evicts everything before the last but one
   * compaction, so that the last one can be undone at once. Entries that may still be lost, from `unsyncedFrom` on,
   * stay in memory because they may have to be written again.
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
   * After a removal, if no compaction follows: evicts the messages taken by removals except the last, which can then be
   * undone at once. Only after enough growth, since it processes all entries in memory.
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

/** Growth before removals are evicted again, as a share of `wholeBytes`. */
const PAUSE = 0.25;
