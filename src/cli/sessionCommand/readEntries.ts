/** Reads a part of a session's entries, oldest first, from its log or its compressed archive. */

import { createReadStream } from 'node:fs';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { LogPages, parseLine, scanLog } from '../../context/index.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';

export type Part =
  /** From position `seq` to `to`, both inclusive; absent `to` = to the end. */
  | { readonly type: 'from'; readonly seq: number; readonly to?: number }
  /** The last `count` entries. */
  | { readonly type: 'tail'; readonly count: number };

/** Takes no lock: if the session is being written, reads up to its last complete line. */
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

/** Streams, so memory does not grow with the session. Rejects if the file is no archive. */
export async function* archivedEntries(file: string): AsyncGenerator<JSONLEntry> {
  const compressed = createReadStream(file);
  const plain = file.endsWith('.zst') ? createZstdDecompress() : createGunzip();
  compressed.on('error', (error) => plain.destroy(error));
  let pieces: Buffer[] = [];
  try {
    for await (const chunk of compressed.pipe(plain) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
        pieces.push(chunk.subarray(from, feed));
        yield* parseLine(Buffer.concat(pieces)).entries;
        pieces = [];
        from = feed + 1;
      }
      pieces.push(chunk.subarray(from));
    }
    yield* parseLine(Buffer.concat(pieces), false).entries;
  } finally {
    compressed.destroy();
    plain.destroy();
  }
}

/** Yields every entry once, whatever else the file contains; it may be written at the same time. */
export async function* allEntries(file: string, onDamage: () => void): AsyncGenerator<JSONLEntry> {
  const known = new Set<string>();
  for await (const found of scanLog(file)) {
    if ('damage' in found) onDamage();
    else if (known.size < known.add(found.entry.uuid).size) yield found.entry;
  }
}
