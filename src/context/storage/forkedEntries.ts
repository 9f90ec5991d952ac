import type { JSONLEntry } from '../../protocol/entries.ts';

/** Entries that are written with one call. */
const BATCH = 200;

/** A session's entries as those of its copy, in batches; the first of them says of what it is one. */
export async function* forkedEntries(
  entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
  sessionId: string,
): AsyncGenerator<readonly JSONLEntry[]> {
  let batch: JSONLEntry[] = [];
  for await (const entry of entries) {
    batch.push(forked(entry, sessionId));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function forked(entry: JSONLEntry, sessionId: string): JSONLEntry {
  if (entry.subtype !== 'session_start') return { ...entry, sessionId };
  return { ...entry, sessionId, data: { ...entry.data, forkedFrom: entry.sessionId } };
}
