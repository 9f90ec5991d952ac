/** From a pointer to what it points to. */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { BlobRef, JSONLEntry } from '../../protocol/entries.ts';
import type { BlobStore } from '../storage/index.ts';
import { blobsOf, describeEntry, entryText, originalOf, replyText } from './entryText.ts';
import type { Pointer } from './pointer.ts';
import { blobSource, joinedSource, type Source, textSource } from './source.ts';

/** Something that can be read in parts, and what to call it. */
export interface Target {
  /** The pointer in its shortest form. */
  readonly id: string;
  /** What it is, in a few words. */
  readonly what: string;
  readonly source: Source;
  /** What the reader should know: the original is gone, its middle was never kept. */
  readonly note?: string;
}

/** What was found, or a sentence that says why nothing was and what to do. */
export type Found = Target | { readonly advice: string };

export function findTarget(
  pointer: Pointer,
  entries: readonly JSONLEntry[],
  blobs: BlobStore,
): Promise<Found> {
  if (pointer.type === 'hash') return findBlob(pointer.prefix, entries, blobs);
  if (pointer.type === 'range') return findRange(pointer.from, pointer.to, entries);
  return findEntry(pointer.seq, entries, blobs);
}

/** Index of the entry with this position in the session; -1 when a damaged line took it or it never was. */
export function indexOfSeq(entries: readonly JSONLEntry[], seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.seq === seq ? low : -1;
}

async function findEntry(seq: number, entries: readonly JSONLEntry[], blobs: BlobStore): Promise<Found> {
  const index = indexOfSeq(entries, seq);
  const entry = entries[index];
  if (entry === undefined) return { advice: `${extent(entries)} There is no #${seq}.` };
  const id = `#${seq}`;
  const what = describeEntry(entry);
  const original = originalOf(entry);
  if (original !== undefined) {
    const source = await blobSource(original, blobs);
    if (source !== undefined) return { id, what: `${what}, whole output`, source, ...noteOf(original) };
  }
  const text = entry.type === 'assistant' ? replyText(entries, index) : entryText(entry);
  const lost =
    original === undefined
      ? {}
      : { note: 'Its original is no longer on the disk; this is the part that was shown.' };
  return { id, what, source: textSource(text), ...lost };
}

async function findRange(from: number, to: number, entries: readonly JSONLEntry[]): Promise<Found> {
  const first = entries.findIndex((entry) => entry.seq >= from);
  const within =
    first === -1 ? [] : entries.slice(first, first + to - from + 1).filter(({ seq }) => seq <= to);
  if (within.length === 0) return { advice: `${extent(entries)} There is nothing in #${from}-#${to}.` };
  const parts: { readonly text: () => string; readonly bytes: number }[] = [];
  let sinceBreak = 0;
  for (const entry of within) {
    const text = (): string =>
      `[#${entry.seq} ${describeEntry(entry)}${partOf(entry)}]\n${entryText(entry)}\n`;
    const bytes = Buffer.byteLength(text());
    parts.push({ text, bytes });
    sinceBreak += bytes + 100;
    if (sinceBreak < BREAK_BYTES) continue;
    sinceBreak = 0;
    await giveWay();
  }
  return { id: `#${from}-#${to}`, what: `${within.length} entries`, source: joinedSource(parts) };
}

/** Work between two breaks for others, about two milliseconds. */
const BREAK_BYTES = 512 * 1024;

async function findBlob(prefix: string, entries: readonly JSONLEntry[], blobs: BlobStore): Promise<Found> {
  const found = new Map<string, { readonly ref: BlobRef; readonly entry: JSONLEntry }>();
  for (const entry of entries)
    for (const ref of blobsOf(entry))
      if (ref.hash.startsWith(prefix) && !found.has(ref.hash)) found.set(ref.hash, { ref, entry });
  const [only, second] = [...found.values()];
  if (only === undefined)
    return { advice: `Nothing that this session kept has a hash that begins with ${prefix}.` };
  if (second !== undefined)
    return { advice: `${found.size} originals have a hash that begins with ${prefix}; give more of it.` };
  const { ref, entry } = only;
  const source = await blobSource(ref, blobs);
  const what = `original of #${entry.seq}, ${describeEntry(entry)}`;
  if (source === undefined)
    return { advice: `The ${what} is no longer on the disk; #${entry.seq} has the part that was shown.` };
  return { id: ref.hash.slice(0, 12), what, source, ...noteOf(ref) };
}

function noteOf({ originalBytes, omitted }: BlobRef): { readonly note?: string } {
  if (typeof originalBytes !== 'number') return {};
  const at =
    typeof omitted === 'object' && omitted !== null && 'offset' in omitted
      ? ` after byte ${omitted.offset}`
      : '';
  return {
    note: `Of ${originalBytes} bytes only the beginning and the end were kept; the middle is missing${at}.`,
  };
}

function partOf(entry: JSONLEntry): string {
  const original = originalOf(entry);
  return original === undefined
    ? ''
    : `, the part that was shown; all ${original.bytes} bytes: #${entry.seq}`;
}

function extent(entries: readonly JSONLEntry[]): string {
  return `This session has #${entries[0]?.seq ?? 0} to #${entries.at(-1)?.seq ?? 0}.`;
}
