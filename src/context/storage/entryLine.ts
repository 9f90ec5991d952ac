/**
 * A line's checksum: its last field, `"crc"`, is the CRC-32 of all bytes before that field, in hex. It reveals changes
 * that would otherwise still parse as an entry, such as a flipped bit in a text or the joined halves of two lines.
 * Lines without a checksum are from older versions or edited by hand and cannot be checked.
 */
import { crc32 } from 'node:zlib';
import { ENTRY_FORMAT, entrySchema } from '../../protocol/entries/fields.ts';
import { type JSONLEntry, type KindEntry, parseEntry } from '../../protocol/entries.ts';

/**
 * Longer lines are neither written nor read: the longest are prompts whose images have up to 64 MB. A reader skips one
 * without holding it in memory.
 */
export const MAX_LINE_BYTES = 96 * 2 ** 20;

/** Length of a checksum: `,"crc":"`, eight digits and `"}`. */
export const CHECKSUM_BYTES = 18;
const sealed = /^,"(...)":"(.{8})"\}$/;

interface Unsealed {
  /** The line without its checksum, which is not part of the entry. */
  readonly json: string;
  readonly seal: 'intact' | 'broken' | 'absent';
}

/** Adds a checksum to the line, replacing an existing one. */
export function seal(line: string): string {
  const body = line.slice(-CHECKSUM_BYTES).startsWith(',"crc":"')
    ? line.slice(0, -CHECKSUM_BYTES)
    : line.slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}`;
}

/** Splits a line into its JSON and the state of its checksum. */
export function unseal(line: Buffer): Unsealed {
  const start = line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const end = endOf(line);
  const found = sealed.exec(line.toString('latin1', Math.max(start, end - CHECKSUM_BYTES), end));
  const body = line.subarray(start, end - CHECKSUM_BYTES);
  const [, name, digits] = found ?? [];
  const isIntact = found !== null && checksum(body) === digits;
  // The right digits under another name are a checksum whose name was damaged.
  if (name !== 'crc' && !isIntact) return { json: line.toString('utf8', start, end), seal: 'absent' };
  return { json: `${body.toString('utf8')}}`, seal: isIntact && name === 'crc' ? 'intact' : 'broken' };
}

function checksum(body: Buffer | string): string {
  return crc32(body).toString(16).padStart(8, '0');
}

/** The line before a checksum that may be incomplete; undefined if there is no sign of one. */
export function beforeTornSeal(text: string): string | undefined {
  const at = text.indexOf(',"cr');
  return at === -1 ? undefined : `${text.slice(0, at)}}`;
}

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

/** Length without trailing spaces and a carriage return that an editor may have added. */
function endOf(line: Buffer): number {
  let end = line.length;
  for (let last = line[end - 1]; last === 32 || last === 9 || last === 13; last = line[end - 1]) end -= 1;
  return end;
}

/** Fields that an entry of any version needs to keep its place in the session. */
const identitySchema = entrySchema.pick({
  v: true,
  seq: true,
  uuid: true,
  parentUuid: true,
  sessionId: true,
  timestamp: true,
});

/**
 * Converts a line's JSON value to an entry; undefined if it is not one. `seq` is used for a line of a version that did
 * not store it.
 */
export function migrateEntry(value: unknown, seq: number): JSONLEntry | undefined {
  if (isTooDeep(value)) return undefined;
  const current = toCurrent(value, seq);
  return parseEntry(current) ?? adaptNewer(current);
}

/** Version 0 had neither `v` nor `seq`: lines were numbered by position. Other field names are the same. */
function toCurrent(value: unknown, seq: number): unknown {
  if (typeof value !== 'object' || value === null || 'seq' in value || 'v' in value) return value;
  return { v: 0, seq, ...value };
}

/** A line in an unknown newer format keeps its place as an unreadable entry. */
function adaptNewer(value: unknown): JSONLEntry | undefined {
  const identity = identitySchema.safeParse(value);
  if (!identity.success || identity.data.v <= ENTRY_FORMAT) return undefined;
  return unreadableEntry({ ...identity.data, cwd: '', version: '' }, { line: value });
}

/** Maximum nesting of objects and arrays; entries, including tool arguments, need far less. */
const MAX_LEVELS = 500;

/** True if a value is nested so deeply that copying or serializing it could overflow the stack. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1));
}

/** A shorter line is parsed within milliseconds, whatever it contains. */
const MIN_CHECKED_BYTES = 64 * 1024;

/**
 * The same for a long line that was not parsed yet: parsing takes time that grows with the square of the nesting. Reads
 * the bytes once, and skips strings.
 */
export function isNestedTooDeep(line: Buffer): boolean {
  if (line.length < MIN_CHECKED_BYTES) return false;
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (byte === QUOTE) {
      at = endOfString(line, at);
      if (at === -1) return false;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_LEVELS) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125];

/** Index of the quote that ends the string; -1 if there is none. */
function endOfString(line: Buffer, start: number): number {
  for (let end = line.indexOf(QUOTE, start + 1); end !== -1; end = line.indexOf(QUOTE, end + 1)) {
    let first = end;
    while (line[first - 1] === BACKSLASH && first - 1 > start) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return -1;
}

type Identity = 'v' | 'seq' | 'uuid' | 'parentUuid' | 'sessionId' | 'timestamp' | 'cwd' | 'version';

/** Placeholder for an entry that cannot be read; the model never sees it. `data` has what is known about it. */
export function unreadableEntry(
  { v, seq, uuid, parentUuid, sessionId, timestamp, cwd, version }: Pick<JSONLEntry, Identity>,
  data: NonNullable<KindEntry<'unknown'>['data']>,
): JSONLEntry {
  return {
    v,
    seq,
    uuid,
    parentUuid,
    sessionId,
    timestamp,
    type: 'system',
    subtype: 'unknown',
    cwd,
    version,
    message: { role: 'system', content: '' },
    data,
  };
}
