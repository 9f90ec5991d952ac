/** Reads a part of a session's entries, oldest first, from its log or its compressed archive. */

import { type DamagedLine, LogPages, lossText, scanLog } from '../../context/index.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { StorageFailure } from '../sessions/sessionErrors.ts';

export type Part =
  /** From position `seq` to `to`, both inclusive; absent `to` = to the end. */
  | { readonly type: 'from'; readonly seq: number; readonly to?: number }
  /** The last `count` entries. */
  | { readonly type: 'tail'; readonly count: number };

/** Receives the losses of a damaged archive, for the user, after its readable entries. */
type OnLoss = (problem: string) => void;

/**
 * Takes no lock: if the session is being written, reads up to its last complete line. Rejects with `StorageFailure` if
 * no entry of an archive can be read.
 */
export async function* readEntries(
  { file, isArchived }: Pick<SessionRecord, 'file' | 'isArchived'>,
  part: Part,
  onLoss: OnLoss,
): AsyncGenerator<JSONLEntry> {
  if (part.type === 'tail') {
    yield* isArchived
      ? await lastOf(archivedEntries(file, onLoss), part.count)
      : await lastOfLog(file, part.count);
    return;
  }
  const { seq, to = Number.POSITIVE_INFINITY } = part;
  if (isArchived) {
    yield* between(archivedEntries(file, onLoss), seq, to);
    return;
  }
  const pages = new LogPages(file);
  let isFound = false;
  for await (const entry of pages.range(seq, to)) {
    isFound = true;
    yield entry;
  }
  // If damage has put lines out of order, the whole log must be scanned.
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

/** A compressed file can only be read from its start. */
async function lastOf(entries: AsyncIterable<JSONLEntry>, count: number): Promise<readonly JSONLEntry[]> {
  let last: JSONLEntry[] = [];
  for await (const entry of entries) {
    last.push(entry);
    // In batches: shifting a long list for every entry would be quadratic.
    if (last.length >= 2 * count) last = last.slice(-count);
  }
  return last.slice(-count);
}

async function* archivedEntries(file: string, onLoss: OnLoss): AsyncGenerator<JSONLEntry> {
  let last: number | undefined;
  const onDamage = ({ isEnd, reason }: DamagedLine): void => {
    if (isEnd !== true) return;
    const loss = lossText(reason, last);
    if (last === undefined) throw new StorageFailure(loss);
    onLoss(loss);
  };
  for await (const entry of allEntries(file, onDamage)) {
    last = entry.seq;
    yield entry;
  }
}

/**
 * Yields every entry of a log or an archive once, whatever else it contains; it may be written at the same time.
 * Streams, so memory does not grow with the session.
 */
export async function* allEntries(
  file: string,
  onDamage: (damage: DamagedLine) => void,
): AsyncGenerator<JSONLEntry> {
  const known = new Set<string>();
  for await (const found of scanLog(file)) {
    if ('damage' in found) onDamage(found.damage);
    else if (known.size < known.add(found.entry.uuid).size) yield found.entry;
  }
}
