/**
 * Reads a log that may have been through anything: torn lines, zero-filled or garbled bytes, lines glued
 * together, repeated or out of order. Whatever can be read is; the rest is reported and left as it is.
 */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { ENTRY_FORMAT, entrySchema, type JSONLEntry } from '../../protocol/entries.ts';

/** A spot in the file that could not be read, or not without loss. */
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

/** Reads the whole file as a stream. Rejects only when the file itself cannot be read. */
export async function readLog(file: string): Promise<LogContents> {
  const byUuid = new Map<string, JSONLEntry>();
  const damaged: DamagedLine[] = [];
  /** Lines that a full disk cut short, as it seems: the same line follows whole. */
  const torn: { readonly bytes: Buffer; readonly damage: DamagedLine }[] = [];
  let sorted = true;
  let last = -Infinity;
  for await (const line of linesOf(file)) {
    const { entries, reason } = parseLine(line.bytes, line.complete);
    if (reason !== undefined) {
      const damage = { line: line.number, reason, offset: line.offset, bytes: line.bytes.length };
      damaged.push(damage);
      if (entries.length === 0) torn.push({ bytes: line.bytes, damage });
    } else {
      const mended = torn.findIndex(({ bytes }) => bytes.equals(line.bytes.subarray(0, bytes.length)));
      const [whole] = mended === -1 ? [] : torn.splice(mended, 1);
      if (whole !== undefined) damaged.splice(damaged.indexOf(whole.damage), 1);
    }
    for (const entry of entries) {
      if (byUuid.has(entry.uuid)) continue;
      byUuid.set(entry.uuid, entry);
      sorted &&= entry.seq > last;
      last = entry.seq;
    }
  }
  const entries = [...byUuid.values()];
  return { entries: sorted ? entries : entries.sort((a, b) => a.seq - b.seq), damaged };
}

/** One line of a file, whatever it holds. */
export interface RawLine {
  readonly bytes: Buffer;
  readonly number: number;
  readonly offset: number;
  /** False for what follows the last line feed. */
  readonly complete: boolean;
}

/**
 * Splits at line feeds only: U+2028 and its like are ordinary characters inside a JSON string. `start` is the
 * byte at which a line begins; lines are numbered from there.
 */
export async function* linesOf(file: string, start = 0): AsyncGenerator<RawLine> {
  let pieces: Buffer[] = [];
  let number = 1;
  let offset = start;
  for await (const chunk of createReadStream(file, { start, highWaterMark: 256 * 1024 })) {
    const buffer: Buffer = chunk;
    let from = 0;
    for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, from)) {
      pieces.push(buffer.subarray(from, end));
      const bytes = Buffer.concat(pieces);
      yield { bytes, number, offset, complete: true };
      pieces = [];
      number += 1;
      offset += bytes.length + 1;
      from = end + 1;
    }
    pieces.push(buffer.subarray(from));
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.length > 0) yield { bytes, number, offset, complete: false };
}

/** The entries of one line: one, unless the line is damaged. */
export function parseLine(
  bytes: Buffer,
  complete = true,
): { readonly entries: JSONLEntry[]; readonly reason?: string } {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') return { entries: [] };
  const entry = parseEntry(text);
  if (entry !== undefined)
    return isUtf8(bytes)
      ? { entries: [entry] }
      : { entries: [entry], reason: 'holds bytes that are not UTF-8' };
  const entries = salvage(text);
  if (!complete && entries.length === 0) return { entries, reason: 'cut short' };
  if (text.includes('\0')) return { entries, reason: 'holds zero bytes' };
  return { entries, reason: entries.length > 0 ? 'lines run together' : 'not an entry' };
}

/** Looks for whole entries inside a damaged line: between zero bytes, or glued to a torn one. */
function salvage(text: string): JSONLEntry[] {
  // Unescaped, `{"v":` can only be the beginning of a line: inside a string its quotes carry backslashes.
  return text.split(/\0+|(?=\{"v":)/).flatMap((piece) => {
    const entry = parseEntry(piece.slice(0, piece.lastIndexOf('}') + 1));
    return entry === undefined ? [] : [entry];
  });
}

function parseEntry(text: string): JSONLEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = entrySchema.safeParse(value);
  // The value itself, not zod's copy: the copy would put known fields before unknown ones.
  if (parsed.success) return Object.assign(value as JSONLEntry, { v: parsed.data.v });
  return adaptNewer(value);
}

const identitySchema = entrySchema.pick({
  v: true,
  seq: true,
  uuid: true,
  parentUuid: true,
  sessionId: true,
  timestamp: true,
});

/** A line of a newer format that this program does not understand keeps its place and stays readable. */
function adaptNewer(value: unknown): JSONLEntry | undefined {
  const identity = identitySchema.safeParse(value);
  if (!identity.success || identity.data.v <= ENTRY_FORMAT) return undefined;
  const { v, seq, uuid, parentUuid, sessionId, timestamp } = identity.data;
  return {
    v,
    seq,
    uuid,
    parentUuid,
    sessionId,
    timestamp,
    type: 'system',
    subtype: 'unknown',
    cwd: '',
    version: '',
    message: { role: 'system', content: '' },
    data: { line: value },
  };
}
