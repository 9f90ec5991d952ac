/** The lines of a log or of its archive, from any byte of the log on. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { LogFile } from './logFiles.ts';

export interface LogLine {
  /** Without its line feed. Empty where the line is longer than anything that could be a line. */
  readonly bytes: Buffer;
  /** Bytes before it in the (unpacked) log. */
  readonly offset: number;
  /** Its length in the log, line feed included. */
  readonly length: number;
}

/** A prompt with pictures may have some tens of megabytes; what is longer is damage, and memory is not. */
const maxLineBytes = 256 * 2 ** 20;
const chunkBytes = 256 * 1024;

/** Whole lines only: what follows the last line feed may still be being written. Rejects when the disk does. */
export async function* logLines(
  log: Pick<LogFile, 'file' | 'isArchived'>,
  start = 0,
): AsyncGenerator<LogLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  let offset = start;
  for await (const chunk of bytesOf(log, start)) {
    let from = 0;
    for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, feed);
      length += piece.length;
      const bytes = length > maxLineBytes ? Buffer.alloc(0) : join(pieces, piece);
      yield { bytes, offset, length: length + 1 };
      offset += length + 1;
      pieces = [];
      length = 0;
      from = feed + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > maxLineBytes) pieces = [];
    else if (rest.length > 0) pieces.push(rest);
  }
}

/** The bytes of the log from `start` on, unpacked. */
export async function* bytesOf(
  { file, isArchived }: Pick<LogFile, 'file' | 'isArchived'>,
  start = 0,
): AsyncGenerator<Buffer> {
  if (!isArchived) {
    yield* createReadStream(file, { start, highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
    return;
  }
  const unpacked = createZstdDecompress({ chunkSize: chunkBytes });
  // Errors arrive where the stream is read.
  pipeline(createReadStream(file, { highWaterMark: chunkBytes }), unpacked, () => {});
  let skip = start;
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    if (chunk.length > skip) yield chunk.subarray(skip);
    skip = Math.max(0, skip - chunk.length);
  }
}

function join(pieces: readonly Buffer[], last: Buffer): Buffer {
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}
