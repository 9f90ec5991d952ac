/** Entries of the open session around a place, wherever they are: held in memory or still on disk. */
import type { JSONLEntry } from '../../protocol/entries.ts';

/** An agent, as far as its entries go; one of a long session holds the newest only and pages the rest. */
export interface EntrySource {
  entries(): readonly JSONLEntry[];
  /** Up to `count` entries before a position, oldest first. */
  page?(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]>;
}

/** Up to `count` entries before a position, oldest first. */
export async function entriesBefore(
  source: EntrySource,
  beforeSeq: number,
  count: number,
): Promise<readonly JSONLEntry[]> {
  if (source.page !== undefined) return source.page(beforeSeq, count);
  return source
    .entries()
    .filter(({ seq }) => seq < beforeSeq)
    .slice(-count);
}

/** The entry at a position; undefined when there is none, or when it was lost. */
export async function entryAt(source: EntrySource, seq: number): Promise<JSONLEntry | undefined> {
  const [last] = await entriesBefore(source, seq + 1, 1);
  return last?.seq === seq ? last : undefined;
}
