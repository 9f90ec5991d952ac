/**
 * Reads a log by position, without holding it. The lines of a log are in the order of `seq`, so a line is found
 * by bisection of the file: a few reads, whatever its size. Damaged lines say nothing about where they lie, and lines
 * that were written once more (after a disk refused) are read once.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { parseLine } from './logReader.ts';

/** Bytes that one read takes; lines that are longer take several. */
const CHUNK_BYTES = 256 * 1024;
/** Bytes of one look at the file while it is bisected. */
const PROBE_BYTES = 16 * 1024;
/** Bytes at which bisection ends: the rest is read line by line. */
const NEAR_BYTES = 64 * 1024;

/** A whole line, without its line feed. */
interface Line {
  readonly start: number;
  /** Byte after its line feed, or the end of the file. */
  readonly end: number;
  readonly bytes: Buffer;
}

export class LogPages {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The entry at this position; undefined where there is none, or none that can be read. */
  async at(seq: number): Promise<JSONLEntry | undefined> {
    for await (const entry of this.range(seq, seq)) return entry;
    // Where ranges of a file have changed places, bisection may have gone the wrong way.
    for await (const line of this.#lines(Buffer.from(`"seq":${seq},`)))
      for (const entry of parseLine(line).entries) if (entry.seq === seq) return entry;
    return undefined;
  }

  /** The byte from which on lines are at this position or behind it, or may be; the file's size where none is. */
  async offsetOf(seq: number): Promise<number> {
    for await (const { start } of this.#withFile(async function* (file) {
      yield await placeOf(file, seq);
    }))
      return start;
    return 0;
  }

  /** The entries from one position to another, both included, oldest first. */
  async *range(from: number, to: number): AsyncGenerator<JSONLEntry> {
    const isNew = onlyOnce();
    yield* this.#withFile(async function* (file) {
      for await (const line of linesFrom(file, (await placeOf(file, from)).start)) {
        const { entries, reason } = parseLine(line.bytes);
        for (const entry of entries) {
          if (entry.seq > to && reason === undefined) return;
          if (entry.seq >= from && entry.seq <= to && isNew(entry)) yield entry;
        }
      }
    });
  }

  /**
   * The entries before a position, newest first. With `containing` only lines in which these bytes are; the others
   * are not even parsed.
   */
  async *before(seq: number, containing?: Buffer): AsyncGenerator<JSONLEntry> {
    const isNew = onlyOnce();
    yield* this.#withFile(async function* (file) {
      for await (const line of linesBefore(file, (await placeOf(file, seq)).end)) {
        if (containing !== undefined && !line.includes(containing)) continue;
        for (const entry of parseLine(line).entries.reverse())
          if (entry.seq < seq && isNew(entry)) yield entry;
      }
    });
  }

  /** Every line that has these bytes. */
  async *#lines(containing: Buffer): AsyncGenerator<Buffer> {
    yield* this.#withFile(async function* (file) {
      for await (const { bytes } of linesFrom(file, 0)) if (bytes.includes(containing)) yield bytes;
    });
  }

  /** Nothing where there is no file. */
  async *#withFile<T>(read: (file: OpenLog) => AsyncGenerator<T>): AsyncGenerator<T> {
    const handle = await open(this.#file, 'r').catch(unlessMissing);
    if (handle === undefined) return;
    try {
      const { size } = await handle.stat();
      yield* read({ handle, size });
    } finally {
      await handle.close();
    }
  }
}

/** Tells what is seen for the first time. */
function onlyOnce(): (entry: JSONLEntry) => boolean {
  const known = new Set<string>();
  return ({ uuid }) => known.size < known.add(uuid).size;
}

interface OpenLog {
  readonly handle: FileHandle;
  readonly size: number;
}

/** Between these bytes lie only damaged lines, and it is unknown on which side of a position they are. */
interface Place {
  readonly start: number;
  /** Where the first line begins that is at the position or behind it; the end of the file where none is. */
  readonly end: number;
}

async function placeOf(file: OpenLog, seq: number): Promise<Place> {
  let low = 0;
  let high = seq <= 0 ? 0 : file.size;
  while (high - low > NEAR_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const found = await firstNumbered(file, middle, high);
    if (found === undefined) high = middle;
    else if (found.seq < seq) low = found.end;
    else high = middle;
  }
  // A line that begins before `high` may lie behind it: the last look went to the lines after `middle`.
  let start = low;
  for await (const line of linesFrom(file, low)) {
    const number = seqOf(line.bytes);
    if (number === undefined) continue;
    if (number >= seq) return { start, end: line.start };
    start = line.end;
  }
  return { start, end: file.size };
}

/** The first line that begins at or after `offset` (not in the middle of one) and says its position. */
async function firstNumbered(
  file: OpenLog,
  offset: number,
  limit: number,
): Promise<{ readonly seq: number; readonly end: number } | undefined> {
  let isPartial = offset > 0;
  for await (const line of linesFrom(file, offset, PROBE_BYTES)) {
    if (isPartial) {
      isPartial = false;
      continue;
    }
    if (line.start >= limit) return undefined;
    const seq = seqOf(line.bytes);
    if (seq !== undefined) return { seq, end: line.end };
  }
  return undefined;
}

/** Only of a line that is as it was written: a damaged one may say anything. */
function seqOf(bytes: Buffer): number | undefined {
  const { entries, reason } = parseLine(bytes);
  return reason === undefined ? entries[0]?.seq : undefined;
}

async function* linesFrom(
  { handle, size }: OpenLog,
  offset: number,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let start = offset;
  let length = chunkBytes;
  for (let at = offset; at < size; ) {
    const chunk = await readChunk(handle, at, Math.min(length, size - at));
    length = CHUNK_BYTES;
    if (chunk.length === 0) break;
    let from = 0;
    for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
      const end = at + feed + 1;
      yield { start, end, bytes: Buffer.concat([...pieces, chunk.subarray(from, feed)]) };
      pieces = [];
      from = feed + 1;
      start = end;
    }
    pieces.push(chunk.subarray(from));
    at += chunk.length;
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.length > 0) yield { start, end: size, bytes };
}

/** The lines that end before `offset`, last first. */
async function* linesBefore({ handle }: OpenLog, offset: number): AsyncGenerator<Buffer> {
  /** The pieces of a line whose beginning is not read yet, last first. */
  let pieces: Buffer[] = [];
  for (let at = offset; at > 0; ) {
    const length = Math.min(CHUNK_BYTES, at);
    at -= length;
    const chunk = await readChunk(handle, at, length);
    let end = chunk.length;
    for (let feed = chunk.lastIndexOf(10); feed !== -1; feed = lastFeedBefore(chunk, feed)) {
      yield Buffer.concat([chunk.subarray(feed + 1, end), ...pieces.reverse()]);
      pieces = [];
      end = feed;
    }
    pieces.push(chunk.subarray(0, end));
  }
  yield Buffer.concat(pieces.reverse());
}

function lastFeedBefore(chunk: Buffer, feed: number): number {
  return feed === 0 ? -1 : chunk.lastIndexOf(10, feed - 1);
}

async function readChunk(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
