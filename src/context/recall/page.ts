/** One page out of a source: bounded by bytes and by lines, never a part of a character. */
import type { Source } from './source.ts';

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
