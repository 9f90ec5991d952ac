/** A part of a session's entries, oldest first, from its log or from the archive that it was compressed into. */
import { LogPages } from '../../context/index.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { archivedEntries } from './archivedEntries.ts';

export type Part =
  /** From one position to another, both included; to the end without the other. */
  | { readonly type: 'from'; readonly seq: number; readonly to?: number }
  /** So many at the end. */
  | { readonly type: 'tail'; readonly count: number };

/** Takes no lock: a session that is being written is read up to its last whole line. */
export async function* readEntries(
  { file, isArchived }: Pick<SessionRecord, 'file' | 'isArchived'>,
  part: Part,
): AsyncGenerator<JSONLEntry> {
  if (part.type === 'tail') {
    yield* isArchived ? await lastOf(archivedEntries(file), part.count) : await lastOfLog(file, part.count);
    return;
  }
  const { seq, to = Number.POSITIVE_INFINITY } = part;
  if (isArchived) {
    yield* between(archivedEntries(file), seq, to);
    return;
  }
  const pages = new LogPages(file);
  let isFound = false;
  for await (const entry of pages.range(seq, to)) {
    isFound = true;
    yield entry;
  }
  // Where damage has put lines out of order, only a look at all of them can tell.
  if (!isFound && seq > 0 && seq <= (await lastSeq(pages)))
    yield* between(pages.range(0, Number.POSITIVE_INFINITY), seq, to);
}

async function* between(
  entries: AsyncIterable<JSONLEntry>,
  from: number,
  to: number,
): AsyncGenerator<JSONLEntry> {
  for await (const entry of entries) if (entry.seq >= from && entry.seq <= to) yield entry;
}

async function lastSeq(pages: LogPages): Promise<number> {
  for await (const { seq } of pages.before(Number.POSITIVE_INFINITY)) return seq;
  return -1;
}

async function lastOfLog(file: string, count: number): Promise<readonly JSONLEntry[]> {
  const newestFirst: JSONLEntry[] = [];
  for await (const entry of new LogPages(file).before(Number.POSITIVE_INFINITY)) {
    newestFirst.push(entry);
    if (newestFirst.length === count) break;
  }
  return newestFirst.reverse();
}

/** A compressed file can only be read from its beginning. */
async function lastOf(entries: AsyncIterable<JSONLEntry>, count: number): Promise<readonly JSONLEntry[]> {
  let last: JSONLEntry[] = [];
  for await (const entry of entries) {
    last.push(entry);
    // In pieces: shifting a long list for every entry would be quadratic.
    if (last.length >= 2 * count) last = last.slice(-count);
  }
  return last.slice(-count);
}
