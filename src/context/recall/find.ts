/** Resolves a pointer to its contents. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { BlobRef } from '../../protocol/entries/fields.ts';
import { isHiddenFromModel, type JSONLEntry } from '../../protocol/entries.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import { blobSource, joinedSource, type Source, textSource } from './page.ts';
import { blobsOf, describeEntry, recallOriginal, recallText, replyText } from './recallText.ts';
import type { SeenLog } from './seenLog.ts';

/** Content that can be read in pages, with a description. */
export interface Target {
  /** The pointer in its shortest form. */
  readonly id: string;
  /** A short description. */
  readonly what: string;
  readonly source: Source;
  /** A limitation that the reader should know: the original is missing, or its middle was not stored. */
  readonly note?: string;
}

/** The target, or a message that says why there is none and what to do. */
type Found = Target | { readonly advice: string };

export function findTarget(pointer: Pointer, log: SeenLog, blobs: Blobs): Promise<Found> {
  if (pointer.type === 'hash') return findBlob(pointer.prefix, log, blobs);
  if (pointer.type === 'range') return findRange(pointer.from, pointer.to, log);
  return findEntry(pointer.seq, log, blobs);
}

async function findEntry(seq: number, log: SeenLog, blobs: Blobs): Promise<Found> {
  const [entry, ...calls] = await replyAt(log, seq);
  if (entry === undefined) return { advice: `${extent(log)} There is no #${seq}.` };
  const id = `#${seq}`;
  const what = describeEntry(entry);
  const original = recallOriginal(entry);
  if (original !== undefined) {
    const source = await blobSource(original, blobs);
    if (source !== undefined) return { id, what: `${what}, full output`, source, ...noteOf(original) };
  }
  const call = await callOf(entry, log);
  // The result of an edit is short; its call has the change.
  const isLess = call !== undefined && recallText(entry).length < recallText(call).length;
  const text = replyText([entry, ...calls, ...(isLess ? [call] : [])]);
  const lost =
    original === undefined
      ? {}
      : { note: 'Its original is no longer on the disk; this is the part that was shown.' };
  return { id, what, source: textSource(text), ...lost };
}

/** The entry at a position, followed by its calls if it is a reply; empty if there is none. */
async function replyAt(log: SeenLog, seq: number): Promise<JSONLEntry[]> {
  const found: JSONLEntry[] = [];
  for await (const entry of log.range(seq, log.last)) {
    if (found.length === 0 ? entry.seq !== seq : entry.type !== 'tool_use') break;
    found.push(entry);
    if (found[0]?.type !== 'assistant') break;
  }
  return found;
}

/** The call that a result answers; undefined for other entries. */
async function callOf({ seq, toolResult }: JSONLEntry, log: SeenLog): Promise<JSONLEntry | undefined> {
  if (toolResult === undefined) return undefined;
  for await (const entry of log.before(seq)) {
    if (entry.tool?.id === toolResult.id) return entry;
    // Ids are reused: earlier calls with this id belong to other replies.
    if (entry.type === 'assistant') return undefined;
  }
  return undefined;
}

async function findRange(from: number, to: number, log: SeenLog): Promise<Found> {
  const within: JSONLEntry[] = [];
  let isCut = false;
  for await (const entry of log.range(from, to)) {
    isCut = within.length === MAX_RANGE;
    if (isCut) break;
    within.push(entry);
  }
  if (within.length === 0) return { advice: `${extent(log)} There is nothing in #${from}-#${to}.` };
  const parts: { readonly text: () => string; readonly bytes: number }[] = [];
  let bytesSinceYield = 0;
  for (const entry of within) {
    const text = (): string =>
      `[#${entry.seq} ${describeEntry(entry)}${partOf(entry)}]\n${recallText(entry)}\n`;
    const bytes = Buffer.byteLength(text());
    parts.push({ text, bytes });
    bytesSinceYield += bytes + 100;
    if (bytesSinceYield < YIELD_BYTES) continue;
    bytesSinceYield = 0;
    await yieldToEventLoop();
  }
  const note = isCut ? { note: `Only the first ${MAX_RANGE} entries of the range: ask for the rest.` } : {};
  return { id: `#${from}-#${to}`, what: `${within.length} entries`, source: joinedSource(parts), ...note };
}

/** Maximum entries of one range that are held in memory. */
const MAX_RANGE = 20_000;

/** Bytes processed between two yields, about two milliseconds. */
const YIELD_BYTES = 512 * 1024;

async function findBlob(prefix: string, log: SeenLog, blobs: Blobs): Promise<Found> {
  const found = new Map<string, { readonly ref: BlobRef; readonly entry: JSONLEntry }>();
  // If several entries refer to the blob, the oldest is named: the one that stored it.
  for await (const entry of log.before(Number.POSITIVE_INFINITY, prefix)) {
    if (isHiddenFromModel(entry)) continue;
    for (const ref of blobsOf(entry)) if (ref.hash.startsWith(prefix)) found.set(ref.hash, { ref, entry });
  }
  const [only, second] = [...found.values()];
  if (only === undefined)
    return { advice: `No original of this session has a hash that begins with ${prefix}.` };
  if (second !== undefined)
    return { advice: `${found.size} originals have a hash that begins with ${prefix}; use a longer prefix.` };
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
  const original = recallOriginal(entry);
  return original === undefined
    ? ''
    : `, the part that was shown; all ${original.bytes} bytes: #${entry.seq}`;
}

function extent({ first, last }: SeenLog): string {
  return `This session has #${first} to #${last}.`;
}

// Pointers as the model writes them.

type Pointer =
  | { readonly type: 'entry'; readonly seq: number }
  /** Inclusive. */
  | { readonly type: 'range'; readonly from: number; readonly to: number }
  /** The beginning of a SHA-256 in lower-case hex. */
  | { readonly type: 'hash'; readonly prefix: string };

/** Minimum hex digits of a hash pointer. */
export const MIN_HASH_DIGITS = 8;

/** Parses `#12`, `#12-#40`, `#12-40` or a hash prefix, also in quotes or brackets; undefined for anything else. */
export function parsePointer(text: string): Pointer | undefined {
  const bare = text.slice(0, MAX_CHARACTERS).replace(/^[\s"'`([{]+|[\s"'`)\]}.,;:]+$/g, '');
  const range = /^#(\d{1,12})\s*(?:-|–|\.\.\.?|to)\s*#?(\d{1,12})$/.exec(bare);
  if (range !== null) {
    const [a, b] = [Number(range[1]), Number(range[2])];
    return { type: 'range', from: Math.min(a, b), to: Math.max(a, b) };
  }
  const entry = /^(?:#(\d{1,12})|(\d{1,7}))$/.exec(bare);
  if (entry !== null) return { type: 'entry', seq: Number(entry[1] ?? entry[2]) };
  if (/^[0-9a-f]{8,64}$/i.test(bare)) return { type: 'hash', prefix: bare.toLowerCase() };
  return undefined;
}

const MAX_CHARACTERS = 200;
