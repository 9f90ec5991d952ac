/**
 * Reads a log by position without loading it. Lines are ordered by `seq`, so a line is found by bisecting the file with
 * a few reads, whatever its size. Damaged lines are ignored when bisecting, and lines that were written again after a
 * disk error are returned once.
 */
import type { FileHandle } from 'node:fs/promises';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { MAX_LINE_BYTES } from './entryLine.ts';
import { parseLine } from './logReader.ts';
import { openStored, unlessMissing } from './storedFiles.ts';

/** Bytes per read; longer lines take several reads. */
const CHUNK_BYTES = 256 * 1024;
/** Bytes per read while bisecting. */
const PROBE_BYTES = 16 * 1024;
/** Bisecting stops at this many bytes; the rest is read line by line. */
const NEAR_BYTES = 64 * 1024;

/** A complete line. */
interface Line {
  readonly start: number;
  /** Offset after its newline, or the end of the file. */
  readonly end: number;
  /** Without its newline; empty for a line that is longer than any entry. */
  readonly bytes: Buffer;
}

export class LogPages {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The entry with this seq; undefined if there is none or it cannot be read. */
  async at(seq: number): Promise<JSONLEntry | undefined> {
    for await (const entry of this.range(seq, seq)) return entry;
    // If parts of the file were swapped, bisection may have missed it: search all lines.
    for await (const line of this.#lines(Buffer.from(`"seq":${seq},`)))
      for (const entry of parseLine(line).entries) if (entry.seq === seq) return entry;
    return undefined;
  }

  /** Byte offset from which on lines may have this seq or a later one; the file size if there are none. */
  async offsetOf(seq: number): Promise<number> {
    for await (const { start } of this.#withFile(async function* (file) {
      yield await placeOf(file, seq);
    }))
      return start;
    return 0;
  }

  /** The entries in a range of seqs (inclusive), oldest first. */
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
   * The entries before a seq, newest first. With `containing`, only lines that contain these bytes; other lines are not
   * parsed.
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

  /** All lines that contain these bytes. */
  async *#lines(containing: Buffer): AsyncGenerator<Buffer> {
    yield* this.#withFile(async function* (file) {
      for await (const { bytes } of linesFrom(file, 0)) if (bytes.includes(containing)) yield bytes;
    });
  }

  /** Yields nothing if there is no file. */
  async *#withFile<T>(read: (file: OpenLog) => AsyncGenerator<T>): AsyncGenerator<T> {
    const handle = await openStored(this.#file).catch(unlessMissing);
    if (handle === undefined) return;
    try {
      const { size } = await handle.stat();
      yield* read({ handle, size });
    } finally {
      await handle.close();
    }
  }
}

/** Returns a test that is true the first time it sees an entry. */
function onlyOnce(): (entry: JSONLEntry) => boolean {
  const known = new Set<string>();
  return ({ uuid }) => known.size < known.add(uuid).size;
}

interface OpenLog {
  readonly handle: FileHandle;
  readonly size: number;
}

/** A position in the file. Only damaged lines are between the two offsets; their seqs are unknown. */
interface Place {
  readonly start: number;
  /** Offset of the first line with the seq or a later one; the end of the file if there is none. */
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
  // The line that was found may begin after `high`, since each probe read the lines after `middle`: search from `low`.
  let start = low;
  for await (const line of linesFrom(file, low)) {
    const number = seqOf(line.bytes);
    if (number === undefined) continue;
    if (number >= seq) return { start, end: line.start };
    start = line.end;
  }
  return { start, end: file.size };
}

/** The first complete line at or after `offset` that has a seq. */
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

/** Only for an intact line: the seq of a damaged one is unreliable. */
function seqOf(bytes: Buffer): number | undefined {
  const { entries, reason } = parseLine(bytes);
  return reason === undefined ? entries[0]?.seq : undefined;
}

async function* linesFrom(
  { handle, size }: OpenLog,
  offset: number,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Line> {
  const line = new Pieces();
  let start = offset;
  let length = chunkBytes;
  for (let at = offset; at < size; ) {
    const chunk = await readChunk(handle, at, Math.min(length, size - at));
    length = CHUNK_BYTES;
    if (chunk.length === 0) break;
    let from = 0;
    for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
      const end = at + feed + 1;
      line.add(chunk.subarray(from, feed));
      yield { start, end, bytes: Buffer.concat(line.take()) };
      from = feed + 1;
      start = end;
    }
    line.add(chunk.subarray(from));
    at += chunk.length;
  }
  const bytes = Buffer.concat(line.take());
  if (bytes.length > 0) yield { start, end: size, bytes };
}

/** The lines that end before `offset`, last first. */
async function* linesBefore({ handle }: OpenLog, offset: number): AsyncGenerator<Buffer> {
  /** A line whose beginning has not been read yet, last piece first. */
  const line = new Pieces();
  for (let at = offset; at > 0; ) {
    const length = Math.min(CHUNK_BYTES, at);
    at -= length;
    const chunk = await readChunk(handle, at, length);
    let end = chunk.length;
    for (let feed = chunk.lastIndexOf(10); feed !== -1; feed = lastFeedBefore(chunk, feed)) {
      line.add(chunk.subarray(feed + 1, end));
      yield Buffer.concat(line.take().reverse());
      end = feed;
    }
    line.add(chunk.subarray(0, end));
  }
  yield Buffer.concat(line.take().reverse());
}

/** The pieces of one line; of a line that is longer than any entry, none. */
class Pieces {
  #pieces: Buffer[] = [];
  #bytes = 0;

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= MAX_LINE_BYTES) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** Returns the pieces and starts the next line. */
  take(): Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    return pieces;
  }
}

function lastFeedBefore(chunk: Buffer, feed: number): number {
  return feed === 0 ? -1 : chunk.lastIndexOf(10, feed - 1);
}

async function readChunk(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
