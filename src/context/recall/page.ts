/**
 * Byte sources that can be read in parts, and pages of them: limited by bytes and lines, with complete characters only.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { Blobs } from '../storage/sessionStore.ts';

export interface Source {
  readonly bytes: number;
  /** Reads the bytes from `start` (inclusive) to `end` (exclusive), fewer at the end. Rejects on a disk error. */
  read(start: number, end: number): Promise<Buffer>;
}

export function textSource(text: string): Source {
  const buffer = Buffer.from(text);
  return { bytes: buffer.length, read: async (start, end) => buffer.subarray(start, end) };
}

/** Undefined if the content is missing or cannot be read. */
export async function blobSource(ref: BlobRef, blobs: Blobs): Promise<Source | undefined> {
  const probe = await blobs.read(ref, { start: 0, end: 1 }).catch(() => undefined);
  if (probe === undefined) return undefined;
  return {
    bytes: ref.bytes,
    read: async (start, end) => (await blobs.read(ref, { start, end })) ?? Buffer.alloc(0),
  };
}

/** Concatenates texts; each is generated only if a read needs it, so that a long range stays cheap. */
export function joinedSource(
  parts: readonly { readonly bytes: number; readonly text: () => string }[],
): Source {
  return {
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    read: async (start, end) => {
      const read: Buffer[] = [];
      let at = 0;
      for (const part of parts) {
        if (at >= end) break;
        if (at + part.bytes > start)
          read.push(Buffer.from(part.text()).subarray(Math.max(0, start - at), end - at));
        at += part.bytes;
      }
      return Buffer.concat(read);
    },
  };
}

interface PageLimits {
  /** Bytes of the original; at least the 4 bytes of one character are read. */
  readonly maxBytes: number;
  readonly maxLines: number;
}

interface Page {
  readonly text: string;
  /** Byte offset in the source; the next page begins at `end`. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the page that begins with the character at byte `offset`. Consecutive pages neither skip nor repeat anything.
 */
export async function readPage(source: Source, offset: number, limits: PageLimits): Promise<Page> {
  const maxBytes = Math.max(limits.maxBytes, MAX_CHARACTER_BYTES);
  const from = Math.min(Math.max(0, Math.trunc(offset)), source.bytes);
  const margin = Math.min(from, MAX_CHARACTER_BYTES - 1);
  // Read one byte more than the page, to see whether it ends at a character boundary.
  const bytes = await source.read(from - margin, Math.min(source.bytes, from + maxBytes + 1));
  const start = characterStart(bytes, margin);
  const full = Math.min(bytes.length, start + maxBytes);
  const end = endOfLines(bytes, start, characterStart(bytes, full), limits.maxLines);
  return {
    text: bytes.toString('utf8', start, end),
    start: from - margin + start,
    end: from - margin + end,
  };
}

const MAX_CHARACTER_BYTES = 4;

/** Index of the first byte of the character that contains the byte at `index`; `index` if it is not valid UTF-8. */
export function characterStart(bytes: Buffer, index: number): number {
  for (let back = 0; back < MAX_CHARACTER_BYTES && index - back >= 0; back++) {
    const byte = bytes[index - back];
    if (byte === undefined) return index;
    if ((byte & 0xc0) !== 0x80) return index - back;
  }
  return index;
}

/** Index after the last of `maxLines` lines. */
function endOfLines(bytes: Buffer, start: number, end: number, maxLines: number): number {
  let at = start;
  for (let lines = 0; lines < maxLines; lines++) {
    const feed = bytes.indexOf(10, at);
    if (feed === -1 || feed >= end) return end;
    at = feed + 1;
  }
  return at;
}
