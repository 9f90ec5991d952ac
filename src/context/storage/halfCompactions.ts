import type { JSONLEntry } from '../../protocol/entries.ts';

/** A crash can leave a boundary whose summary never arrived: then that compaction did not happen. */
export function withoutHalfCompactions(entries: readonly JSONLEntry[]): JSONLEntry[] {
  return entries.filter(
    (entry, index) => entry.subtype !== 'compact_boundary' || entries[index + 1]?.isCompactSummary === true,
  );
}

/** Reads the entry right behind a stretch of a log; undefined where it ends there. */
export type ReadBehind = () => Promise<JSONLEntry | undefined>;

/** The same for a stretch that is read one by one. */
export async function* wholeCompactions(
  entries: AsyncIterable<JSONLEntry>,
  readBehind: ReadBehind,
): AsyncGenerator<JSONLEntry> {
  let boundary: JSONLEntry | undefined;
  for await (const entry of entries) {
    if (boundary !== undefined && entry.isCompactSummary === true) yield boundary;
    boundary = entry.subtype === 'compact_boundary' ? entry : undefined;
    if (boundary === undefined) yield entry;
  }
  if (boundary !== undefined && (await readBehind())?.isCompactSummary === true) yield boundary;
}

/** The same for a stretch of which the newest comes first. */
export async function* wholeCompactionsBefore(
  entries: AsyncIterable<JSONLEntry>,
  readBehind: ReadBehind,
): AsyncGenerator<JSONLEntry> {
  let later: JSONLEntry | undefined;
  for await (const entry of entries) {
    if (entry.subtype !== 'compact_boundary') yield entry;
    else if ((later ?? (await readBehind()))?.isCompactSummary === true) yield entry;
    later = entry;
  }
}
