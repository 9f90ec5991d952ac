/** Everything that a session has seen, wherever its entries lie: in memory, or in pages of the file. */
import type { JSONLEntry } from '../../protocol/entries.ts';

export interface SeenLog {
  /** Positions of the oldest and the newest entry. */
  readonly first: number;
  readonly last: number;
  /** The newest entries, oldest first: at least what followed the last compaction. */
  readonly recent: readonly JSONLEntry[];
  /** The entries from one position to another, both included, oldest first. */
  range(from: number, to: number): AsyncIterable<JSONLEntry>;
  /** Those before a position, newest first. With `containing` those whose line has no such text may be left out. */
  before(seq: number, containing?: string): AsyncIterable<JSONLEntry>;
}

/** A log that is in memory as a whole. */
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

/** Index of the first entry at this position or behind it. */
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

/** At most `count` entries before a position, oldest first. */
export async function pageBefore(log: SeenLog, seq: number, count: number): Promise<readonly JSONLEntry[]> {
  const found: JSONLEntry[] = [];
  if (count < 1) return found;
  for await (const entry of log.before(seq)) if (found.push(entry) >= count) break;
  return found.reverse();
}

/** The position of an entry; undefined where the session has none of that id. */
export async function seqOf(log: SeenLog, uuid: string): Promise<number | undefined> {
  for await (const entry of log.before(Number.POSITIVE_INFINITY, uuid))
    if (entry.uuid === uuid) return entry.seq;
  return undefined;
}
