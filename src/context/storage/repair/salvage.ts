/**
 * Finds what can still be read in a damaged line: whole entries that lost the line feed between them, an entry
 * whose text is garbled, one that lost its checksum, one that lost its beginning.
 */

import { createHash } from 'node:crypto';
import { ENTRY_FORMAT } from '../../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../../protocol/entries.ts';
import { beforeTornSeal, isTooDeep, migrateEntry, unseal } from '../entryLine.ts';

/** Something found in a damaged line. */
export type Piece =
  /** As it was written. */
  | { readonly entry: JSONLEntry }
  /** A JSON object that is an entry, or was one; its identity may be missing or wrong: see `mend`. */
  | { readonly garbled: GarbledValue };

export type GarbledValue = Readonly<Record<string, unknown>>;

/** What is found, in the order in which it stands. */
export function salvage(line: Buffer): readonly Piece[] {
  return [...stretchesOf(line)].flatMap((stretch): readonly Piece[] => {
    if (stretch.length < minEntryBytes) return [];
    const entry = wholeEntry(stretch);
    return entry === undefined ? garbledIn(stretch).map((garbled) => ({ garbled })) : [{ entry }];
  });
}

/** What is shorter holds no entry, with or without its beginning: it need not be looked at. */
export const minEntryBytes = 64;

/** Unescaped, this can only be the beginning of a line: inside a string its quotes carry backslashes. */
const beginning = Buffer.from('{"v":');

function* stretchesOf(line: Buffer): Generator<Buffer> {
  let from = 0;
  for (let at = line.indexOf(beginning, 1); at !== -1; at = line.indexOf(beginning, at + 1)) {
    yield line.subarray(from, at);
    from = at;
  }
  yield line.subarray(from);
}

/** An entry with anything behind it. */
function wholeEntry(stretch: Buffer): JSONLEntry | undefined {
  if (!stretch.subarray(0, beginning.length).equals(beginning)) return undefined;
  for (const end of new Set([stretch.lastIndexOf('"}') + 2, stretch.lastIndexOf('}') + 1])) {
    const { json, seal } = unseal(stretch.subarray(0, end));
    const entry = seal === 'broken' ? undefined : migrateEntry(parseText(json), 0);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** One value, or of two lines that damage has joined the first without its end and the second without its beginning. */
function garbledIn(stretch: Buffer): readonly GarbledValue[] {
  const bytes = stretch.subarray(0, stretch.lastIndexOf('}') + 1);
  // Damage inside a text: what cannot stand in a JSON string is replaced, the rest of it is as it was.
  const text = unseal(bytes).json.replace(/[\u0000-\u001F]+/g, '\uFFFD');
  const second = secondOf(text);
  const whole = second === undefined ? objectOf(text) : undefined;
  if (whole !== undefined) return [whole];
  const first = objectOf(beforeTornSeal(stretch.toString('utf8')));
  const last =
    second ?? withoutBeginning(text.slice(text.lastIndexOf('\uFFFD') + 1)) ?? withoutBeginning(text);
  return [first, last].filter((value) => value !== undefined);
}

/** The fields in the order in which a line has them: an entry without its beginning begins with one of them. */
const firstFields = ['v', 'seq', 'uuid', 'parentUuid', 'sessionId', 'timestamp', 'type'];

/** Where fields come for the second time, a second entry begins; as one object, both could pass for one. */
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
  const value = json === undefined ? undefined : parseText(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isTooDeep(value))
    return undefined;
  const { crc: _, ...fields } = value as Record<string, unknown>;
  return typeof fields.type === 'string' && typeof fields.message === 'object' ? fields : undefined;
}

function parseText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

// Gives an entry whose line was damaged its place in the session back, from the entries around it.

/**
 * The entry that stood between two others in the file, or undefined when too much of it is gone. The entry behind
 * it knows its id, and both know its position; what it says of itself counts where they leave room for it.
 */
export function mend(
  value: GarbledValue,
  before: JSONLEntry | undefined,
  after: JSONLEntry | undefined,
): JSONLEntry | undefined {
  const near = before ?? after;
  const isBetween = after !== undefined && (before?.seq ?? -1) < after.seq - 1;
  const own = isSeq(value.seq, before, after) ? value.seq : undefined;
  const seq = own ?? (isBetween ? after.seq - 1 : after === undefined ? (before?.seq ?? -1) + 1 : undefined);
  if (seq === undefined) return undefined;
  const mended = {
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
  return hasSoundCall(mended) ? migrateEntry(mended, seq) : undefined;
}

/** A copy of an older line, without its beginning, at the end of the file is not a new entry. */
function isNewest(value: GarbledValue, before: JSONLEntry | undefined): boolean {
  return isTime(value.timestamp) && value.timestamp >= (before?.timestamp ?? '');
}

/** An id for an entry that no other names yet: the same each time the log is read. */
function nameOf(value: GarbledValue): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 21);
}

function isSeq(seq: unknown, before: JSONLEntry | undefined, after: JSONLEntry | undefined): seq is number {
  if (typeof seq !== 'number' || !Number.isInteger(seq) || seq < 0) return false;
  const isBehind = before === undefined || seq > before.seq;
  // At the end of a file nothing bounds a position from above: the next one is taken for it.
  return after === undefined ? isBehind && seq <= (before?.seq ?? seq) + 1 : isBehind && seq < after.seq;
}

function sound(text: unknown): string | undefined {
  return typeof text === 'string' && !text.includes('\uFFFD') ? text : undefined;
}

function isTime(text: unknown): text is string {
  return typeof text === 'string' && !Number.isNaN(Date.parse(text));
}

/** The exact arguments of a call go back to the model: ones that are no longer JSON would spoil every request. */
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
