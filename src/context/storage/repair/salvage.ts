/**
 * Recovers entries from a damaged line: complete entries that lost the newline between them, an entry with garbled
 * text, one without its checksum, or one without its beginning.
 */

import { createHash } from 'node:crypto';
import { ENTRY_FORMAT } from '../../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../../protocol/entries.ts';
import { parseJson } from '../../../protocol/json.ts';
import { beforeTornSeal, isTooDeep, migrateEntry, unseal } from '../entryLine.ts';

/** Something found in a damaged line. */
export type Piece =
  | { readonly entry: JSONLEntry }
  /** A JSON object that is or was an entry; its identity may be missing or wrong: see `mend`. */
  | { readonly garbled: GarbledValue };

export type GarbledValue = Readonly<Record<string, unknown>>;

/** Returns the entries found, in order. */
export function salvage(line: Buffer): readonly Piece[] {
  return [...chunksOf(line)].flatMap((stretch): readonly Piece[] => {
    if (stretch.length < minEntryBytes) return [];
    const entry = wholeEntry(stretch);
    return entry === undefined ? garbledIn(stretch).map((garbled) => ({ garbled })) : [{ entry }];
  });
}

/** Shorter text contains no entry, not even one without its beginning. */
export const minEntryBytes = 64;

/** Unescaped, this is always the beginning of a line: inside a string its quotes would be escaped. */
const beginning = Buffer.from('{"v":');

function* chunksOf(line: Buffer): Generator<Buffer> {
  let from = 0;
  for (let at = line.indexOf(beginning, 1); at !== -1; at = line.indexOf(beginning, at + 1)) {
    yield line.subarray(from, at);
    from = at;
  }
  yield line.subarray(from);
}

/** An entry, possibly followed by other text. */
function wholeEntry(stretch: Buffer): JSONLEntry | undefined {
  if (!stretch.subarray(0, beginning.length).equals(beginning)) return undefined;
  for (const end of new Set([stretch.lastIndexOf('"}') + 2, stretch.lastIndexOf('}') + 1])) {
    const { json, seal } = unseal(stretch.subarray(0, end));
    const entry = seal === 'broken' ? undefined : migrateEntry(parseJson(json), 0);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** One value or, if damage joined two lines, the first without its end and the second without its beginning. */
function garbledIn(stretch: Buffer): readonly GarbledValue[] {
  const bytes = stretch.subarray(0, stretch.lastIndexOf('}') + 1);
  // Damage inside a text: replace characters that a JSON string cannot contain and keep the rest.
  const text = unseal(bytes).json.replace(/[\u0000-\u001F]+/g, '\uFFFD');
  const second = secondOf(text);
  const whole = second === undefined ? objectOf(text) : undefined;
  if (whole !== undefined) return [whole];
  const first = objectOf(beforeTornSeal(stretch.toString('utf8')));
  const last =
    second ?? withoutBeginning(text.slice(text.lastIndexOf('\uFFFD') + 1)) ?? withoutBeginning(text);
  return [first, last].filter((value) => value !== undefined);
}

/** Fields in the order of a line: an entry without its beginning starts with one of them. */
const firstFields = ['v', 'seq', 'uuid', 'parentUuid', 'sessionId', 'timestamp', 'type'];

/** Repeated fields are the start of a second entry; parsed as one object, both would look like a single entry. */
function secondOf(text: string): GarbledValue | undefined {
  const starts = firstFields.flatMap((field) => {
    const name = `"${field}":`;
    const first = text.indexOf(name);
    const second = first === -1 ? -1 : text.indexOf(name, first + 1);
    return second === -1 ? [] : [second];
  });
  return starts.length === 0 ? undefined : objectOf(`{${text.slice(Math.min(...starts))}`);
}

function withoutBeginning(text: string): GarbledValue | undefined {
  for (const field of firstFields) {
    const at = text.indexOf(`"${field}":`);
    const value = at === -1 ? undefined : objectOf(`{${text.slice(at)}`);
    if (value !== undefined) return value;
  }
  return undefined;
}

function objectOf(json: string | undefined): GarbledValue | undefined {
  const value = json === undefined ? undefined : parseJson(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isTooDeep(value))
    return undefined;
  const { crc: _, ...fields } = value as Record<string, unknown>;
  return typeof fields.type === 'string' && typeof fields.message === 'object' ? fields : undefined;
}

// Restores the place of a damaged entry in the session, from the entries around it.

/**
 * The entry between two others, or undefined if too much of it is lost. The entry after it knows its id, and both limit
 * its seq; its own values are used as far as they are compatible.
 */
export function repairEntry(
  value: GarbledValue,
  before: JSONLEntry | undefined,
  after: JSONLEntry | undefined,
): JSONLEntry | undefined {
  const near = before ?? after;
  const isBetween = after !== undefined && (before?.seq ?? -1) < after.seq - 1;
  const own = isSeq(value.seq, before, after) ? value.seq : undefined;
  const seq = own ?? (isBetween ? after.seq - 1 : after === undefined ? (before?.seq ?? -1) + 1 : undefined);
  if (seq === undefined) return undefined;
  const repaired = {
    ...value,
    v: typeof value.v === 'number' && Number.isInteger(value.v) ? value.v : ENTRY_FORMAT,
    seq,
    uuid:
      (isBetween && seq === after.seq - 1 ? after.parentUuid : undefined) ??
      sound(value.uuid) ??
      (isBetween || isNewest(value, before) ? nameOf(value) : undefined),
    parentUuid: (seq === (before?.seq ?? -1) + 1 ? before?.uuid : sound(value.parentUuid)) ?? null,
    sessionId: near?.sessionId ?? sound(value.sessionId),
    timestamp: isTime(value.timestamp) ? value.timestamp : near?.timestamp,
    cwd: sound(value.cwd) ?? near?.cwd,
    version: sound(value.version) ?? near?.version,
  };
  return hasSoundCall(repaired) ? migrateEntry(repaired, seq) : undefined;
}

/** False for a copy of an older line without its beginning at the end of the file, which is not a new entry. */
function isNewest(value: GarbledValue, before: JSONLEntry | undefined): boolean {
  return isTime(value.timestamp) && value.timestamp >= (before?.timestamp ?? '');
}

/** An id for an entry that no other refers to; the same whenever the log is read. */
function nameOf(value: GarbledValue): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 21);
}

function isSeq(seq: unknown, before: JSONLEntry | undefined, after: JSONLEntry | undefined): seq is number {
  if (typeof seq !== 'number' || !Number.isInteger(seq) || seq < 0) return false;
  const isBehind = before === undefined || seq > before.seq;
  // At the end of the file there is no upper bound, so only the next seq is accepted.
  return after === undefined ? isBehind && seq <= (before?.seq ?? seq) + 1 : isBehind && seq < after.seq;
}

function sound(text: unknown): string | undefined {
  return typeof text === 'string' && !text.includes('\uFFFD') ? text : undefined;
}

function isTime(text: unknown): text is string {
  return typeof text === 'string' && !Number.isNaN(Date.parse(text));
}

/** A call's exact arguments are sent to the model again: invalid JSON would break every request. */
function hasSoundCall(value: Readonly<Record<string, unknown>>): boolean {
  const { tool } = value;
  if (typeof tool !== 'object' || tool === null || !('arguments' in tool)) return true;
  try {
    JSON.parse(String(tool.arguments));
    return true;
  } catch {
    return false;
  }
}
