/**
 * A session as one long text, laid out only where it is visible. Owns the items (one per entry, oldest first), their
 * parts and a cache of laid-out rows; knows nothing about the screen.
 *
 * A place consists of item, part and row, so that it stays valid when older history or longer texts are inserted above.
 */

import type { BlobRef } from '../../protocol/entries/fields.ts';
import { type JSONLEntry, originalOf } from '../../protocol/entries.ts';
import { formatBytes } from '../print/numbers.ts';
import { splitFinished } from '../print/streaming.ts';
import { block, entryParts, markdownParts, type Part, type PartRoom, textParts } from './parts.ts';

/** A row of a part of an item. Items that were loaded later, before the first one, have negative numbers. */
export interface RowPosition {
  readonly item: number;
  readonly part: number;
  readonly row: number;
}

interface PlacedRow {
  readonly text: string;
  readonly place: RowPosition;
}

export interface TranscriptDocument {
  setRoom(room: PartRoom): void;
  append(entry: JSONLEntry): void;
  /** Inserts older entries before the first one, oldest first. */
  prepend(entries: readonly JSONLEntry[]): void;
  /** Sets the parts of output that is not recorded yet, shown at the end. */
  setLive(parts: readonly Part[]): void;
  /** The first and the last item; the last one is the live output. */
  bounds(): { readonly first: number; readonly last: number };
  entryAt(item: number): JSONLEntry | undefined;
  setOriginal(item: number, text: string): void;
  partsOf(item: number): number;
  rowsOf(item: number, part: number): readonly string[];
  /** Up to `many` rows, starting at a place. */
  rowsFrom(place: RowPosition, many: number): readonly PlacedRow[];
  /** Moves by this many rows, but not beyond the first or the last row. */
  move(place: RowPosition, rows: number): RowPosition;
  start(): RowPosition;
  end(): RowPosition;
  /** The nearest place that exists. */
  nearest(place: RowPosition): RowPosition;
}

interface Item {
  readonly entry: JSONLEntry;
  original: string | undefined;
  parts: readonly Part[] | undefined;
}

/** Maximum parts in the cache: a few dozen screens. */
const CACHED_PARTS = 600;

export function createTranscriptDocument(
  entries: readonly JSONLEntry[],
  initialRoom: PartRoom,
): TranscriptDocument {
  let room = initialRoom;
  let items: Item[] = [];
  let first = 0;
  let live: readonly Part[] = [];
  const calls = new Map<string, JSONLEntry['tool']>();
  const seqs = new Map<string, number>();
  const cache = new Map<Part, readonly string[]>();

  const itemOf = (entry: JSONLEntry): Item => {
    if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
    seqs.set(entry.uuid, entry.seq);
    return { entry, original: undefined, parts: undefined };
  };
  items = entries.map(itemOf);

  const last = (): number => first + items.length;
  const parts = (number: number): readonly Part[] => {
    if (number === last()) return live;
    const item = items[number - first];
    if (item === undefined) return [];
    const id = item.entry.toolResult?.id;
    item.parts ??= entryParts(item.entry, {
      call: id === undefined ? undefined : calls.get(id),
      original: item.original,
      seqOf: (uuid) => seqs.get(uuid),
    });
    return item.parts;
  };
  const rowsOf = (item: number, index: number): readonly string[] => {
    const part = parts(item)[index];
    if (part === undefined) return [];
    const rows = cache.get(part) ?? part.rows(room);
    // Least recently used: the oldest part is at the front.
    cache.delete(part);
    cache.set(part, rows);
    for (const oldest of cache.keys()) {
      if (cache.size <= CACHED_PARTS) break;
      cache.delete(oldest);
    }
    return rows;
  };
  /** The next or previous part that has rows. */
  const neighbor = (item: number, part: number, step: 1 | -1): Omit<RowPosition, 'row'> | undefined => {
    let at = { item, part: part + step };
    for (;;) {
      const many = parts(at.item).length;
      if (at.part < 0 || at.part >= many) {
        const next = at.item + step;
        if (next < first || next > last()) return undefined;
        at = { item: next, part: step === 1 ? 0 : parts(next).length - 1 };
        continue;
      }
      if (rowsOf(at.item, at.part).length > 0) return at;
      at = { item: at.item, part: at.part + step };
    }
  };
  const start = (): RowPosition => ({ ...(neighbor(first, -1, 1) ?? { item: first, part: 0 }), row: 0 });
  const end = (): RowPosition => {
    const at = neighbor(last(), parts(last()).length, -1);
    return at === undefined ? start() : { ...at, row: Math.max(0, rowsOf(at.item, at.part).length - 1) };
  };
  const move = (from: RowPosition, rows: number): RowPosition => {
    let { item, part } = from;
    let row = from.row + rows;
    for (let many = rowsOf(item, part).length; row >= many; many = rowsOf(item, part).length) {
      const next = neighbor(item, part, 1);
      if (next === undefined) return end();
      row -= many;
      ({ item, part } = next);
    }
    while (row < 0) {
      const before = neighbor(item, part, -1);
      if (before === undefined) return start();
      ({ item, part } = before);
      row += rowsOf(item, part).length;
    }
    return { item, part, row };
  };

  return {
    setRoom(next) {
      room = next;
      cache.clear();
    },
    append(entry) {
      items.push(itemOf(entry));
    },
    prepend(older) {
      items = [...older.map(itemOf), ...items];
      first -= older.length;
    },
    setLive(next) {
      live = next;
    },
    bounds: () => ({ first, last: last() }),
    entryAt: (item) => items[item - first]?.entry,
    setOriginal(number, text) {
      const item = items[number - first];
      if (item === undefined) return;
      item.original = text;
      item.parts = undefined;
    },
    partsOf: (item) => parts(item).length,
    rowsOf,
    rowsFrom(from, many) {
      const rows: PlacedRow[] = [];
      let at: Omit<RowPosition, 'row'> | undefined = from;
      let row = from.row;
      while (at !== undefined && rows.length < many) {
        const texts = rowsOf(at.item, at.part);
        for (; row < texts.length && rows.length < many; row += 1)
          rows.push({ text: texts[row] ?? '', place: { ...at, row } });
        at = neighbor(at.item, at.part, 1);
        row = 0;
      }
      return rows;
    },
    move,
    start,
    end,
    nearest(place) {
      const item = Math.min(Math.max(place.item, first), last());
      if (item !== place.item) return item < place.item ? end() : start();
      const many = rowsOf(item, place.part).length;
      if (many === 0) {
        const next =
          neighbor(item, Math.min(place.part, parts(item).length), 1) ?? neighbor(item, place.part, -1);
        return next === undefined ? start() : { ...next, row: 0 };
      }
      return { ...place, row: Math.min(place.row, many - 1) };
    },
  };
}

/** Negative if `a` comes before `b`. */
export function comparePositions(a: RowPosition, b: RowPosition): number {
  return a.item - b.item || a.part - b.part || a.row - b.row;
}

/** The item's full text in the blob store, if there is one. */
export const missingOriginal = (document: TranscriptDocument, item: number) => {
  const entry = document.entryAt(item);
  return entry === undefined ? undefined : originalOf(entry);
};

/** The reply that is streaming. */
export interface LiveReply {
  readonly reasoning: string;
  readonly text: string;
}

/** Splits a growing reply into parts; finished blocks keep their part and are laid out only once. */
export function createReplyParts(): (reply: LiveReply) => Part[] {
  let finished: Part[] = [];
  let done = '';
  return ({ reasoning, text }) => {
    if (!text.startsWith(done)) {
      finished = [];
      done = '';
    }
    const split = splitFinished(text.slice(done.length));
    if (split.finished !== '') {
      finished = [...finished, ...markdownParts(split.finished)];
      done += split.finished;
    }
    const { rest } = split;
    return [
      ...textParts(reasoning, { mark: '✻ ', paint: 'dim', isProse: true }),
      ...finished,
      ...(rest.trim() === ''
        ? []
        : [block(({ markdown, width, theme }) => markdown(rest, { width, theme }))]),
    ];
  };
}

// Reads full outputs from the session's store, within a memory limit.

/** Reads stored bytes, or a range of them; undefined if they no longer exist. */
export type ReadBlob = (
  ref: BlobRef,
  range?: { readonly start?: number; readonly end?: number },
) => Promise<Uint8Array | undefined>;

/** Bytes read from the start and from the end of a large output. */
const EDGE_BYTES = 8 * 2 ** 20;
/** Maximum bytes of all outputs per view. */
const TOTAL_BYTES = 64 * 2 ** 20;

/** Returns a reader of full texts. It resolves to undefined if the text no longer exists or the limit is reached. */
export function createOriginalReader(readBlob: ReadBlob): (ref: BlobRef) => Promise<string | undefined> {
  let total = 0;
  const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return async (ref) => {
    const size = Math.min(ref.bytes, 2 * EDGE_BYTES);
    if (total + size > TOTAL_BYTES) return undefined;
    total += size;
    if (ref.bytes <= 2 * EDGE_BYTES) {
      const bytes = await readBlob(ref).catch(() => undefined);
      return bytes === undefined ? undefined : decode(bytes);
    }
    const head = await readBlob(ref, { end: EDGE_BYTES }).catch(() => undefined);
    const tail = await readBlob(ref, { start: ref.bytes - EDGE_BYTES }).catch(() => undefined);
    if (head === undefined || tail === undefined) return undefined;
    const between = formatBytes(ref.bytes - 2 * EDGE_BYTES);
    return `${decode(head)}\n… ${between} in between are not shown here …\n${decode(tail)}`;
  };
}
