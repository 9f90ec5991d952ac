/**
 * Reads a range of lines of a file of any size in bounded memory, and hashes the entire file on the way.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type ImageHeader, readImageHeader } from '../../protocol/files/images.ts';
import { type Encoding, guessEncoding, looksBinary } from './textFile.ts';

/** Bytes per read; the first chunk contains the header of any image. */
const CHUNK_BYTES = 256 * 1024;
const HEAD_BYTES = 8192;
const LINE_FEED = 10;

interface LineRange {
  /** First line to read, counted from 1. */
  readonly offset: number;
  readonly limit: number;
  readonly maxLineCharacters: number;
  /** Reading stops at this number of characters, even before `limit` lines. */
  readonly maxCharacters: number;
  /** In bytes. Larger files are not read to the end: no hash and no line count. */
  readonly maxWholeBytes: number;
}

export interface LinesRead {
  readonly type: 'text';
  /** Without line endings. */
  readonly lines: readonly string[];
  /** How many of the lines were cut at `maxLineCharacters`. */
  readonly cutLines: number;
  /** Lines of the entire file; absent if it was not read to the end. */
  readonly totalLines?: number;
  /** SHA-256 of the entire file, in hex; absent if it was not read to the end. */
  readonly hash?: string;
  /** True if `maxCharacters` was reached before all requested lines were read. */
  readonly full: boolean;
  readonly encoding: Encoding;
  /** False if the shown lines contain bytes that are not valid in the encoding. */
  readonly valid: boolean;
}

/**
 * Reads a regular file (the caller has checked that it is one) if it is text. Rejects with system errors and on abort.
 */
export async function readLines(
  file: FileHandle,
  sizeBytes: number,
  range: LineRange,
  signal: AbortSignal,
): Promise<
  LinesRead | { readonly type: 'binary' } | { readonly type: 'image'; readonly header: ImageHeader }
> {
  signal.throwIfAborted();
  const whole = sizeBytes <= range.maxWholeBytes;
  // One byte more than the file size, so that the first read of a small file also detects its end.
  const chunk = Buffer.allocUnsafe(Math.max(HEAD_BYTES, Math.min(CHUNK_BYTES, sizeBytes + 1)));
  let { bytesRead } = await file.read(chunk, 0, chunk.length, 0);
  const head = chunk.subarray(0, Math.min(bytesRead, HEAD_BYTES));
  const header = readImageHeader(chunk.subarray(0, bytesRead));
  if (header !== undefined) return { type: 'image', header };
  if (looksBinary(head)) return { type: 'binary' };
  const { encoding, bomBytes } = guessEncoding(head);
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding);
  const collector = new LineCollector(range);
  const hash = createHash('sha256');
  let position = 0;
  let ended = bytesRead === 0;
  while (!ended) {
    const bytes = chunk.subarray(0, bytesRead);
    if (whole) hash.update(bytes);
    if (decoder === undefined) collector.push(position === 0 ? bytes.subarray(bomBytes) : bytes);
    else collector.push(Buffer.from(decoder.decode(bytes, { stream: true })));
    position += bytesRead;
    if (!whole && collector.done) break;
    signal.throwIfAborted();
    // A short read that reaches the size is the end; no further read is needed. Kernel files (/proc) report size 0 and
    // arrive in pieces.
    ended = sizeBytes > 0 && bytesRead < chunk.length && position >= sizeBytes;
    if (ended) break;
    ({ bytesRead } = await file.read(chunk, 0, chunk.length, position));
    ended = bytesRead === 0;
  }
  if (ended && decoder !== undefined) collector.push(Buffer.from(decoder.decode()));
  if (ended) collector.end();
  return {
    type: 'text',
    ...collector.result(),
    encoding,
    ...(ended ? { totalLines: collector.lineCount } : {}),
    ...(ended && whole ? { hash: hash.digest('hex') } : {}),
  };
}

/** Splits UTF-8 bytes at line feeds only (as editors and `sed` do) and keeps the requested lines. */
class LineCollector {
  lineCount = 0;
  done = false;
  #lines: string[] = [];
  #cutLines = 0;
  #characters = 0;
  #full = false;
  #valid = true;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #midLine = false;
  readonly #range: LineRange;
  readonly #last: number;
  readonly #maxLineBytes: number;

  constructor(range: LineRange) {
    this.#range = range;
    this.#last = range.offset + range.limit - 1;
    this.#maxLineBytes = range.maxLineCharacters * 4 + 4;
  }

  push(bytes: Buffer): void {
    let start = 0;
    while (start < bytes.length) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const end = feed === -1 ? bytes.length : feed;
      if (this.#wanted()) this.#keep(bytes.subarray(start, end));
      this.#midLine = feed === -1;
      if (feed === -1) return;
      this.#endLine();
      start = feed + 1;
    }
  }

  end(): void {
    if (this.#midLine) this.#endLine();
  }

  result(): Pick<LinesRead, 'lines' | 'cutLines' | 'full' | 'valid'> {
    return { lines: this.#lines, cutLines: this.#cutLines, full: this.#full, valid: this.#valid };
  }

  #wanted(): boolean {
    const number = this.lineCount + 1;
    return !this.#full && number >= this.#range.offset && number <= this.#last;
  }

  #keep(bytes: Buffer): void {
    const room = this.#maxLineBytes - this.#pendingBytes;
    // Copied, because the chunk's memory is reused.
    if (room > 0) this.#pending.push(Buffer.from(bytes.subarray(0, room)));
    this.#pendingBytes += bytes.length;
  }

  #endLine(): void {
    if (this.#wanted()) this.#addLine();
    this.lineCount += 1;
    this.#midLine = false;
    if (this.lineCount >= this.#last || this.#full) this.done = true;
  }

  #addLine(): void {
    const bytes = Buffer.concat(this.#pending);
    const complete = this.#pendingBytes === bytes.length;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (complete && !isUtf8(bytes)) this.#valid = false;
    let line = bytes.toString('utf8');
    if (complete && line.endsWith('\r')) line = line.slice(0, -1);
    const max = this.#range.maxLineCharacters;
    if (!complete || line.length > max) {
      line = cutText(line, max);
      this.#cutLines += 1;
    }
    if (this.#lines.length > 0 && this.#characters + line.length > this.#range.maxCharacters) {
      this.#full = true;
      return;
    }
    this.#characters += line.length + 1;
    this.#lines.push(line);
  }
}

/** The first `max` UTF-16 units; one fewer if that would split a surrogate pair. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
