/** All entries of a session, in memory or in its file. */
import type { JSONLEntry } from '../../protocol/entries.ts';

export interface SeenLog {
  /** Seq of the oldest entry, and (`last`) of the newest. */
  readonly first: number;
  readonly last: number;
  /** The newest entries, oldest first: at least those since the last compaction. */
  readonly recent: readonly JSONLEntry[];
  /** The entries in a range of seqs (inclusive), oldest first. */
  range(from: number, to: number): AsyncIterable<JSONLEntry>;
  /**
   * The entries before a seq, newest first. With `containing`, entries whose line does not contain it may be skipped.
   */
  before(seq: number, containing?: string): AsyncIterable<JSONLEntry>;
}

/** A log that is completely in memory. */
export function seenIn(entries: readonly JSONLEntry[]): SeenLog {
  return {
    first: entries[0]?.seq ?? 0,
    last: entries.at(-1)?.seq ?? 0,
    recent: entries,
    async *range(from, to) {
      for (let index = firstAt(entries, from); index < entries.length; index++) {
        const entry = entries[index];
        if (entry === undefined || entry.seq > to) return;
        yield entry;
      }
    },
    async *before(seq) {
      for (let index = firstAt(entries, seq) - 1; index >= 0; index--) {
        const entry = entries[index];
        if (entry !== undefined) yield entry;
      }
    },
  };
}

/** Index of the first entry with this seq or a later one. */
function firstAt(entries: readonly JSONLEntry[], seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** At most `count` entries before a seq, oldest first. */
export async function pageBefore(log: SeenLog, seq: number, count: number): Promise<readonly JSONLEntry[]> {
  const found: JSONLEntry[] = [];
  if (count < 1) return found;
  for await (const entry of log.before(seq)) if (found.push(entry) >= count) break;
  return found.reverse();
}

/** The seq of an entry; undefined if the session has no entry with this uuid. */
export async function seqOf(log: SeenLog, uuid: string): Promise<number | undefined> {
  for await (const entry of log.before(Number.POSITIVE_INFINITY, uuid))
    if (entry.uuid === uuid) return entry.seq;
  return undefined;
}
