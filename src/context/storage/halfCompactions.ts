import type { JSONLEntry } from '../../protocol/entries.ts';

/** A crash can leave a boundary whose summary never arrived: then that compaction did not happen. */
export function withoutHalfCompactions(entries: readonly JSONLEntry[]): JSONLEntry[] {
  return entries.filter(
    (entry, index) => entry.subtype !== 'compact_boundary' || entries[index + 1]?.isCompactSummary === true,
  );
}

/** The same for entries that are read one by one. */
export async function* wholeCompactions(entries: AsyncIterable<JSONLEntry>): AsyncGenerator<JSONLEntry> {
  let boundary: JSONLEntry | undefined;
  for await (const entry of entries) {
    if (boundary !== undefined && entry.isCompactSummary === true) yield boundary;
    boundary = entry.subtype === 'compact_boundary' ? entry : undefined;
    if (boundary === undefined) yield entry;
  }
  if (boundary !== undefined) yield boundary;
}

/** The same for entries of which the newest comes first. */
export async function* wholeCompactionsBefore(
  entries: AsyncIterable<JSONLEntry>,
): AsyncGenerator<JSONLEntry> {
  let later: JSONLEntry | undefined;
  for await (const entry of entries) {
    if (entry.subtype !== 'compact_boundary' || later === undefined || later.isCompactSummary === true)
      yield entry;
    later = entry;
  }
}
