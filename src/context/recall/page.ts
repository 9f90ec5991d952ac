/** Bytes that can be read in parts, wherever they lie, and one page of them: bounded by bytes and lines, never a part of a character. */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { Blobs } from '../storage/sessionStore.ts';

export interface Source {
  readonly bytes: number;
  /** The bytes from `start` up to, not including, `end`; fewer where it ends. Rejects when the disk does. */
  read(start: number, end: number): Promise<Buffer>;
}

export function textSource(text: string): Source {
  const buffer = Buffer.from(text);
  return { bytes: buffer.length, read: async (start, end) => buffer.subarray(start, end) };
}

/** Undefined if the content is gone: the folder was cleared, or the disk failed. */
export async function blobSource(ref: BlobRef, blobs: Blobs): Promise<Source | undefined> {
  const probe = await blobs.read(ref, { start: 0, end: 1 }).catch(() => undefined);
  if (probe === undefined) return undefined;
  return {
    bytes: ref.bytes,
    read: async (start, end) => (await blobs.read(ref, { start, end })) ?? Buffer.alloc(0),
  };
}

/** Texts one after the other; only those that a read touches are made again, so that a long range costs little. */
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

export interface PageLimits {
  /** Bytes of the original; at least the 4 of one character count. */
  readonly maxBytes: number;
  readonly maxLines: number;
}

export interface Page {
  readonly text: string;
  /** In bytes of the source; the next page begins at `end`. */
  readonly start: number;
  readonly end: number;
}

/**
 * The page that begins with the character at byte `offset`. Pages that follow each other leave out nothing
 * and repeat nothing.
 */
export async function readPage(source: Source, offset: number, limits: PageLimits): Promise<Page> {
  const maxBytes = Math.max(limits.maxBytes, MAX_CHARACTER_BYTES);
  const from = Math.min(Math.max(0, Math.trunc(offset)), source.bytes);
  const margin = Math.min(from, MAX_CHARACTER_BYTES - 1);
  // One byte more than the page holds, to see whether it ends in a character.
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

/** Index of the first byte of the character that the byte at `index` belongs to; `index` where it is no UTF-8. */
export function characterStart(bytes: Buffer, index: number): number {
  for (let back = 0; back < MAX_CHARACTER_BYTES && index - back >= 0; back++) {
    const byte = bytes[index - back];
    if (byte === undefined) return index;
    if ((byte & 0xc0) !== 0x80) return index - back;
  }
  return index;
}

/** Index behind the last of `maxLines` lines. */
function endOfLines(bytes: Buffer, start: number, end: number, maxLines: number): number {
  let at = start;
  for (let lines = 0; lines < maxLines; lines++) {
    const feed = bytes.indexOf(10, at);
    if (feed === -1 || feed >= end) return end;
    at = feed + 1;
  }
  return at;
}
