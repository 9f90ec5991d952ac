/** The lines of a file as bytes, whatever they hold, in bounded memory. */
import { createReadStream } from 'node:fs';

/** A longer line is not read: no entry is, and neither memory nor a string could hold it. */
const maxLineBytes = 256 * 2 ** 20;

export interface RawLine {
  /** Without the line feed; empty for a line that is too long to be read. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly number: number;
  /** Where it begins, in bytes. */
  readonly offset: number;
  /** Its length in the file without the line feed. */
  readonly length: number;
  /** False for what follows the last line feed. */
  readonly complete: boolean;
}

/**
 * Splits at line feeds only: U+2028 and its like are ordinary characters inside a JSON string. `start` is the
 * byte at which a line begins; lines are numbered from there.
 */
export async function* linesOf(file: string, start = 0): AsyncGenerator<RawLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  let number = 1;
  let offset = start;
  const gather = (piece: Buffer): void => {
    length += piece.length;
    if (length <= maxLineBytes) pieces.push(piece);
    else pieces = [];
  };
  const line = (complete: boolean): RawLine => ({
    bytes: pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces),
    number,
    offset,
    length,
    complete,
  });
  for await (const chunk of createReadStream(file, { start, highWaterMark: 256 * 1024 })) {
    const buffer: Buffer = chunk;
    let from = 0;
    for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, from)) {
      gather(buffer.subarray(from, end));
      yield line(true);
      number += 1;
      offset += length + 1;
      pieces = [];
      length = 0;
      from = end + 1;
    }
    gather(buffer.subarray(from));
  }
  if (length > 0) yield line(false);
}

/** Lines of UTF-8 text: line feeds, and one more when something follows the last of them. */
export function countLines(bytes: Uint8Array): number {
  const feeds = countLineFeeds(bytes);
  return bytes.length > 0 && bytes[bytes.length - 1] !== 10 ? feeds + 1 : feeds;
}

/** Line feeds in a piece of a text. A plain loop: `indexOf` costs a hundred times as much where all are feeds. */
export function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index++) if (bytes[index] === 10) count += 1;
  return count;
}
