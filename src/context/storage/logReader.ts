/**
 * Reads a log that may have been through anything: torn lines, zero-filled or garbled bytes, lines glued
 * together, repeated or out of order. Whatever can be read is; the rest is reported and left as it is.
 */
import { isUtf8 } from 'node:buffer';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { mend } from './mend.ts';
import { migrateEntry } from './migrateEntry.ts';
import { linesOf, type RawLine } from './rawLines.ts';
import { type GarbledValue, type Salvaged, salvage } from './salvage.ts';
import { unseal } from './seal.ts';

/** A spot in the file that could not be read, or not as it was written. */
export interface DamagedLine {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
  /** Where the line begins, in bytes from the start of the file. */
  readonly offset: number;
  readonly bytes: number;
}

export interface LogContents {
  /** In order of `seq`, each uuid once. */
  readonly entries: JSONLEntry[];
  readonly damaged: DamagedLine[];
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
  /** What needs its neighbours to be an entry: it stands before the entry with this index. */
  #garbled: { readonly value: GarbledValue; readonly index: number }[] = [];
  /** Lines that a full disk cut short, as it seems: the same line follows whole. */
  #torn: { readonly bytes: Buffer; readonly damage: DamagedLine }[] = [];
  #isSorted = true;

  constructor(onCompaction?: ReadOptions['onCompaction']) {
    this.#onCompaction = onCompaction;
  }

  add(line: RawLine): void {
    const { whole, garbled, reason } = readLine(line, (this.#entries.at(-1)?.seq ?? -1) + 1);
    if (reason === undefined) this.#completeTorn(line.bytes);
    else {
      const damage = { line: line.number, reason, offset: line.offset, bytes: line.length };
      this.#damaged.add(damage);
      if (whole.length + garbled.length === 0 && line.bytes.length > 0)
        this.#torn = [...this.#torn.slice(-maxTorn), { bytes: line.bytes, damage }];
    }
    for (const value of garbled) this.#garbled.push({ value, index: this.#entries.length });
    for (const entry of whole) this.#take(entry);
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
    const mended = this.#garbled.flatMap(
      ({ value, index }) => mend(value, this.#entries[index - 1], this.#entries[index]) ?? [],
    );
    this.#garbled = [];
    for (const entry of mended) {
      if (this.#known.has(entry.uuid)) continue;
      this.#known.add(entry.uuid);
      this.#entries.push(entry);
      this.#isSorted = false;
    }
    if (!this.#isSorted) this.#entries.sort((a, b) => a.seq - b.seq);
    this.#isSorted = true;
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
const maxTorn = 63;

/** The entries of one line: one, unless the line is damaged. What needs its neighbours is not among them. */
export function parseLine(
  bytes: Buffer,
  complete = true,
): { readonly entries: JSONLEntry[]; readonly reason?: string } {
  const line = { bytes, number: 1, offset: 0, length: bytes.length, complete };
  const { whole, garbled, reason } = readLine(line, 0);
  const entries = [...whole, ...garbled.flatMap((value) => migrateEntry({ ...value }, 0) ?? [])];
  return reason === undefined ? { entries } : { entries, reason };
}

function readLine(line: RawLine, seq: number): Salvaged & { readonly reason?: string } {
  const { bytes, complete } = line;
  if (bytes.length < line.length) return { ...nothing, reason: 'longer than any line can be' };
  const { json, seal } = unseal(bytes);
  const value = parse(json);
  const entry = value === undefined ? undefined : migrateEntry(value, seq);
  if (entry !== undefined) {
    if (seal === 'intact' || (seal === 'absent' && isUtf8(bytes))) return { whole: [entry], garbled: [] };
    const reason = isUtf8(bytes) ? 'changed since it was written' : 'holds bytes that are not UTF-8';
    return { whole: [], garbled: [entry], reason };
  }
  if (json.trim() === '') return nothing;
  const found = salvage(bytes);
  if (found.whole.length + found.garbled.length === 0 && !complete) return { ...found, reason: 'cut short' };
  if (bytes.includes(0)) return { ...found, reason: 'holds zero bytes' };
  return { ...found, reason: found.whole.length > 0 ? 'lines run together' : 'not an entry' };
}

const nothing: Salvaged = { whole: [], garbled: [] };

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
