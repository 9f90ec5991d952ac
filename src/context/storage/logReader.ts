/**
 * Reads a log that may be damaged: torn lines, zeros or garbage, lines joined, repeated or out of order. Returns
 * everything that can be read and reports the rest, without changing the file.
 */

import { isUtf8 } from 'node:buffer';
import { ENTRY_FORMAT } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { parseJson } from '../../protocol/json.ts';
import { isNestedTooDeep, MAX_LINE_BYTES, migrateEntry, unseal } from './entryLine.ts';
import { beforeDamage, bytesOf, type DamagedArchiveError } from './logBytes.ts';
import { type DamagedLine, gapsBetween, missing, type SeqRange } from './repair/damage.ts';
import { type GarbledValue, minEntryBytes, type Piece, repairEntry, salvage } from './repair/salvage.ts';

export type { DamagedLine } from './repair/damage.ts';

export interface LogContents {
  /** Sorted by `seq`, without duplicates. */
  readonly entries: JSONLEntry[];
  readonly damaged: DamagedLine[];
  /** Size of the file; absent unless requested. */
  readonly bytes?: number;
}

interface ReadOptions {
  /** Byte offset of the line at which to start. */
  readonly start?: number;
  /**
   * Called after each compaction with all entries read so far, which end with its boundary and summary; only the
   * returned entries are kept in memory.
   */
  readonly onCompaction?: (entries: readonly JSONLEntry[], boundary: JSONLEntry) => readonly JSONLEntry[];
}

/** Reads the file as a stream. Rejects only if the file itself cannot be read. */
export async function readLog(file: string, options: ReadOptions = {}): Promise<LogContents> {
  const log = new LogAssembler(options.onCompaction);
  for await (const line of linesOf(file, options.start)) log.add(line);
  return log.finish();
}

/** Assembles the entries of a log, or of its end, from lines. */
class LogAssembler {
  readonly #onCompaction: ReadOptions['onCompaction'];
  #entries: JSONLEntry[] = [];
  #known = new Set<string>();
  /** Entries through this seq were evicted; later copies of them are skipped. */
  #leftThrough = -Infinity;
  readonly #damaged = new Set<DamagedLine>();
  /** The damage of the line before, if nothing of that line could be read. */
  #lostLine: { bytes: number; readonly offset: number } | undefined;
  /** Damage since the last compaction, with the indices of the entries around it. */
  #spots: {
    readonly damage: DamagedLine & { lost: SeqRange[] };
    readonly from: number;
    readonly to: number;
  }[] = [];
  /** Values that need their neighbors to be restored; each belongs before the entry with this index. */
  #garbled: { readonly value: GarbledValue; readonly index: number }[] = [];
  /** Lines that were probably cut by a full disk, if the same line follows in full. */
  #torn: { readonly bytes: Buffer; readonly damage: DamagedLine }[] = [];
  #isSorted = true;
  /** True after the first line with a checksum: a later line without one has lost it. */
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
    const before = this.#lostLine;
    this.#lostLine = undefined;
    if (reason === undefined) {
      this.#completeTorn(line.bytes);
      return;
    }
    if (before !== undefined && pieces.length === 0 && this.#damaged.size >= maxSingleLines) {
      before.bytes = line.offset + line.length - before.offset;
      this.#lostLine = before;
      this.#torn = this.#torn.filter(({ damage }) => damage !== before);
      return;
    }
    const damage = { line: line.number, reason, offset: line.offset, bytes: line.length, lost: [] };
    this.#damaged.add(damage);
    if (pieces.length === 0) this.#lostLine = damage;
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

  /** Restores the values that needed their neighbors, which are now known. */
  #settle(): void {
    const salvaged: JSONLEntry[] = [];
    let at = -1;
    let before: JSONLEntry | undefined;
    for (const { value, index } of this.#garbled) {
      if (index !== at) before = this.#entries[index - 1];
      at = index;
      const entry = repairEntry(value, before, this.#entries[index]);
      if (entry === undefined) continue;
      salvaged.push(entry);
      before = entry;
    }
    this.#garbled = [];
    this.#countLosses(salvaged.map(({ seq }) => seq).sort((a, b) => a - b));
    // A restored entry whose seq is already taken is part of a copy.
    const taken = new Set(salvaged.length === 0 ? [] : this.#entries.map(({ seq }) => seq));
    for (const entry of salvaged) {
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

  /** Reports each loss once, with the first damaged line at that place. */
  #countLosses(salvaged: readonly number[]): void {
    let reported = -1;
    for (const { damage, from, to } of this.#spots) {
      for (let index = Math.max(from, reported + 1); index <= to; index += 1) {
        const [before, after] = [this.#entries[index - 1], this.#entries[index]];
        if (after === undefined) continue;
        damage.lost.push(...gapsBetween(before?.seq ?? after.seq - 1, after.seq, salvaged));
        reported = index;
      }
    }
    this.#spots = [];
  }

  /** Reports missing entries that left no damaged line. */
  #countMissing(): void {
    const reported = [...this.#damaged].flatMap(({ lost }) => lost.map(([first]) => first));
    const known = new Set(reported);
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

/** With more damaged lines, adjacent ones are reported as one: a log may have millions of them. */
export const maxSingleLines = 1000;

/** Maximum torn lines that are remembered until the full line follows. */
const maxTorn = 64;

/**
 * The entries of one line: one, unless the line is damaged. Values that need their neighbors are included only if they
 * are complete.
 */
export function parseLine(bytes: Buffer): { readonly entries: JSONLEntry[]; readonly reason?: string } {
  const line = { bytes, number: 1, offset: 0, length: bytes.length, complete: true };
  const { pieces, reason } = readLine(line, 0);
  const entries = pieces.flatMap((piece) =>
    'entry' in piece ? piece.entry : (migrateEntry({ ...piece.garbled }, 0) ?? []),
  );
  return reason === undefined ? { entries } : { entries, reason };
}

// One line: an entry or, if it is damaged, the parts that can be recovered.

interface ReadLine {
  readonly pieces: readonly Piece[];
  /** Reason for the damage; absent for an intact line. */
  readonly reason?: string;
  /** Present for an intact line with an entry. */
  readonly seal?: 'intact' | 'absent';
}

/** Treats a line without a checksum as damaged, in a log whose lines have checksums. */
export function withoutSeal(line: ReadLine): ReadLine {
  const { pieces } = line;
  // Newer versions may protect their lines in another way.
  if (pieces.some((piece) => 'entry' in piece && piece.entry.v > ENTRY_FORMAT)) return line;
  return {
    pieces: pieces.map((piece) => ('entry' in piece ? { garbled: piece.entry } : piece)),
    reason: 'has lost its checksum',
  };
}

/** `seq` is used for a line of a version that did not store it. */
export function readLine(line: RawLine, seq: number): ReadLine {
  const { bytes, complete } = line;
  if (bytes.length < line.length) return { pieces: [], reason: 'longer than any line can be' };
  if (bytes.length < minEntryBytes) return shortLine(line);
  if (isNestedTooDeep(bytes)) return { pieces: [], reason: 'nested too deeply for an entry' };
  const { json, seal } = unseal(bytes);
  const value = parseJson(json);
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

// Reads the lines of a log or an archive as bytes, whatever they contain, in bounded memory.

interface RawLine {
  /** Without the newline; empty for a line that is longer than any entry. */
  readonly bytes: Buffer;
  /** 1-based. */
  readonly number: number;
  /** Byte offset of its start. */
  readonly offset: number;
  /** Length in the file in bytes, without the newline. */
  readonly length: number;
  /** False for text after the last newline. */
  readonly complete: boolean;
}

/**
 * Splits only at `\n`: U+2028 and similar are ordinary characters in a JSON string. `start` is the byte offset of a
 * line start; lines are numbered from there. Rejects on a disk error, and after the lines of a damaged archive.
 */
export async function* linesOf(file: string, start = 0): AsyncGenerator<RawLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  let number = 1;
  let offset = start;
  const gather = (piece: Buffer): void => {
    length += piece.length;
    if (length <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  const line = (complete: boolean): RawLine => ({
    bytes: pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces),
    number,
    offset,
    length,
    complete,
  });
  let damage: DamagedArchiveError | undefined;
  const source = beforeDamage(bytesOf(file, start), (error) => {
    damage = error;
  });
  for await (const buffer of source) {
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
  if (damage !== undefined) throw damage;
}
