/**
 * Reads a log that may have been through anything: torn lines, zero-filled or garbled bytes, lines glued
 * together, repeated or out of order. Whatever can be read is; the rest is reported and left as it is.
 */

import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { ENTRY_FORMAT } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { migrateEntry, unseal } from './entryLine.ts';
import { type DamagedLine, gapsBetween, missing, type SeqRange } from './repair/damage.ts';
import { type GarbledValue, mend, minEntryBytes, type Piece, salvage } from './repair/salvage.ts';

export type { DamagedLine } from './repair/damage.ts';

export interface LogContents {
  /** In order of `seq`, each uuid once. */
  readonly entries: JSONLEntry[];
  readonly damaged: DamagedLine[];
  /** Of the whole file; absent if not asked for. */
  readonly bytes?: number;
}

export interface ReadOptions {
  /** Byte at which a line begins, to read from there on. */
  readonly start?: number;
  /**
   * Called behind each compaction with everything that was read so far, its boundary and its summary last; only what
   * it returns is held on to.
   */
  readonly onCompaction?: (entries: readonly JSONLEntry[], boundary: JSONLEntry) => readonly JSONLEntry[];
}

/** Reads the file as a stream. Rejects only when the file itself cannot be read. */
export async function readLog(file: string, options: ReadOptions = {}): Promise<LogContents> {
  const log = new LogAssembler(options.onCompaction);
  for await (const line of linesOf(file, options.start)) log.add(line);
  return log.finish();
}

/** Puts the lines of a log, or of its end, together. */
class LogAssembler {
  readonly #onCompaction: ReadOptions['onCompaction'];
  #entries: JSONLEntry[] = [];
  #known = new Set<string>();
  /** What was left out ends here: later copies of it are left out too. */
  #leftThrough = -Infinity;
  readonly #damaged = new Set<DamagedLine>();
  /** Damage since the last look, and the entries (by index) between which it lies. */
  #spots: {
    readonly damage: DamagedLine & { lost: SeqRange[] };
    readonly from: number;
    readonly to: number;
  }[] = [];
  /** What needs its neighbours to be an entry: it stands before the entry with this index. */
  #garbled: { readonly value: GarbledValue; readonly index: number }[] = [];
  /** Lines that a full disk cut short, as it seems: the same line follows whole. */
  #torn: { readonly bytes: Buffer; readonly damage: DamagedLine }[] = [];
  #isSorted = true;
  /** From the first line with a checksum on, one without has lost it. */
  #isSealed = false;

  constructor(onCompaction?: ReadOptions['onCompaction']) {
    this.#onCompaction = onCompaction;
  }

  add(line: RawLine): void {
    const read = readLine(line, (this.#entries.at(-1)?.seq ?? -1) + 1);
    const { pieces, reason } = read.seal === 'absent' && this.#isSealed ? withoutSeal(read) : read;
    this.#isSealed ||= read.seal === 'intact';
    const from = this.#entries.length;
    for (const piece of pieces)
      if ('entry' in piece) this.#take(piece.entry);
      else this.#garbled.push({ value: piece.garbled, index: this.#entries.length });
    if (reason === undefined) {
      this.#completeTorn(line.bytes);
      return;
    }
    const damage = { line: line.number, reason, offset: line.offset, bytes: line.length, lost: [] };
    this.#damaged.add(damage);
    this.#spots.push({ damage, from, to: this.#entries.length });
    if (pieces.length > 0 || line.bytes.length === 0) return;
    this.#torn.push({ bytes: line.bytes, damage });
    if (this.#torn.length > maxTorn) this.#torn.shift();
  }

  finish(): LogContents {
    this.#settle();
    return { entries: this.#entries, damaged: [...this.#damaged] };
  }

  #take(entry: JSONLEntry): void {
    if (this.#known.has(entry.uuid) || entry.seq <= this.#leftThrough) return;
    const before = this.#entries.at(-1);
    this.#known.add(entry.uuid);
    this.#entries.push(entry);
    this.#isSorted &&= entry.seq > (before?.seq ?? -Infinity);
    if (entry.isCompactSummary === true && before?.subtype === 'compact_boundary') this.#leave(before);
  }

  #leave(boundary: JSONLEntry): void {
    if (this.#onCompaction === undefined) return;
    this.#settle();
    const kept = this.#onCompaction(this.#entries, boundary);
    if (kept === this.#entries) return;
    this.#entries = [...kept];
    this.#known = new Set(kept.map(({ uuid }) => uuid));
    this.#leftThrough = boundary.seq;
  }

  /** What waited for its neighbours has them now. */
  #settle(): void {
    const mended: JSONLEntry[] = [];
    let at = -1;
    let before: JSONLEntry | undefined;
    for (const { value, index } of this.#garbled) {
      if (index !== at) before = this.#entries[index - 1];
      at = index;
      const entry = mend(value, before, this.#entries[index]);
      if (entry === undefined) continue;
      mended.push(entry);
      before = entry;
    }
    this.#garbled = [];
    this.#countLosses(mended.map(({ seq }) => seq).sort((a, b) => a - b));
    // What was put together for a place that another entry has is a part of a copy, and no entry of its own.
    const taken = new Set(mended.length === 0 ? [] : this.#entries.map(({ seq }) => seq));
    for (const entry of mended) {
      if (this.#known.has(entry.uuid) || taken.has(entry.seq)) continue;
      taken.add(entry.seq);
      this.#known.add(entry.uuid);
      this.#entries.push(entry);
      this.#isSorted = false;
    }
    if (!this.#isSorted) this.#entries.sort((a, b) => a.seq - b.seq);
    this.#isSorted = true;
    this.#countMissing();
  }

  /** A loss is told once, at the first of the damaged lines that lie where it is missing. */
  #countLosses(mended: readonly number[]): void {
    let told = -1;
    for (const { damage, from, to } of this.#spots) {
      for (let index = Math.max(from, told + 1); index <= to; index += 1) {
        const [before, after] = [this.#entries[index - 1], this.#entries[index]];
        if (after === undefined) continue;
        damage.lost.push(...gapsBetween(before?.seq ?? after.seq - 1, after.seq, mended));
        told = index;
      }
    }
    this.#spots = [];
  }

  /** Entries of which not even a damaged line is left. */
  #countMissing(): void {
    const told = [...this.#damaged].flatMap(({ lost }) => lost.map(([first]) => first));
    const known = new Set(told);
    for (const [index, { seq }] of this.#entries.entries()) {
      const before = this.#entries[index - 1]?.seq ?? seq;
      if (seq <= before + 1 || before < this.#leftThrough || known.has(before + 1)) continue;
      const lost: SeqRange = [before + 1, seq - 1];
      this.#damaged.add({ line: 0, reason: missing, offset: 0, bytes: 0, lost: [lost] });
    }
  }

  #completeTorn(whole: Buffer): void {
    if (this.#torn.length === 0) return;
    this.#torn = this.#torn.filter(({ bytes, damage }) => {
      const isPart = bytes.equals(whole.subarray(0, bytes.length));
      if (isPart) this.#damaged.delete(damage);
      return !isPart;
    });
  }
}

/** Attempts to write a line on a full disk that are remembered until it comes whole. */
const maxTorn = 64;

/** The entries of one line: one, unless the line is damaged. What needs its neighbours is not among them. */
export function parseLine(
  bytes: Buffer,
  complete = true,
): { readonly entries: JSONLEntry[]; readonly reason?: string } {
  const line = { bytes, number: 1, offset: 0, length: bytes.length, complete };
  const { pieces, reason } = readLine(line, 0);
  const entries = pieces.flatMap((piece) =>
    'entry' in piece ? piece.entry : (migrateEntry({ ...piece.garbled }, 0) ?? []),
  );
  return reason === undefined ? { entries } : { entries, reason };
}

// One line: an entry or, if it is damaged, whatever can still be found in it.

export interface ReadLine {
  readonly pieces: readonly Piece[];
  /** Why the line is damaged, where it is. */
  readonly reason?: string;
  /** Of an undamaged line that holds an entry. */
  readonly seal?: 'intact' | 'absent';
}

/** The same line in a log whose lines have checksums by then. */
export function withoutSeal(line: ReadLine): ReadLine {
  const { pieces } = line;
  // How a newer program guards its lines is its own affair.
  if (pieces.some((piece) => 'entry' in piece && piece.entry.v > ENTRY_FORMAT)) return line;
  return {
    pieces: pieces.map((piece) => ('entry' in piece ? { garbled: piece.entry } : piece)),
    reason: 'has lost its checksum',
  };
}

/** `seq` is the position for a line of a version that did not count them. */
export function readLine(line: RawLine, seq: number): ReadLine {
  const { bytes, complete } = line;
  if (bytes.length < line.length) return { pieces: [], reason: 'longer than any line can be' };
  if (bytes.length < minEntryBytes) return shortLine(line);
  const { json, seal } = unseal(bytes);
  const value = parse(json);
  const entry = value === undefined ? undefined : migrateEntry(value, seq);
  if (entry !== undefined) {
    if (seal === 'intact' || (seal === 'absent' && isUtf8(bytes))) return { pieces: [{ entry }], seal };
    const reason = isUtf8(bytes) ? 'changed since it was written' : 'holds bytes that are not UTF-8';
    const pieces = salvage(bytes);
    return { pieces: pieces.length === 0 ? [{ garbled: entry }] : pieces, reason };
  }
  if (json.trim() === '') return { pieces: [] };
  const pieces = salvage(bytes);
  if (pieces.length === 0 && !complete) return { pieces, reason: 'cut short' };
  if (bytes.includes(0)) return { pieces, reason: 'holds zero bytes' };
  return { pieces, reason: pieces.some((piece) => 'entry' in piece) ? 'lines run together' : 'not an entry' };
}

function shortLine({ bytes, complete }: RawLine): ReadLine {
  if (bytes.toString('latin1').trim() === '' || bytes.equals(byteOrderMark)) return { pieces: [] };
  if (!complete) return { pieces: [], reason: 'cut short' };
  return { pieces: [], reason: bytes.includes(0) ? 'holds zero bytes' : 'not an entry' };
}

const byteOrderMark = Buffer.from('\uFEFF');

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

// The lines of a file as bytes, whatever they hold, in bounded memory.

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
