/**
 * A line's checksum: its last field, `"crc"`, is the CRC-32 of all bytes before that field, in hex. With it a line
 * tells by itself whether it is as it was written: a flipped bit in a text, or two halves of different lines, would
 * otherwise pass for an entry. Lines without one are older, or written by hand; nothing is known of them.
 */
import { crc32 } from 'node:zlib';
import { ENTRY_FORMAT, entrySchema } from '../../protocol/entries/fields.ts';
import { type JSONLEntry, type KindEntry, parseEntry } from '../../protocol/entries.ts';

/** `,"crc":"`, eight digits, `"}`. */
const sealBytes = 18;
const sealed = /^,"(...)":"(.{8})"\}$/;

export interface Unsealed {
  /** The line without its checksum, which is no part of an entry. */
  readonly json: string;
  readonly seal: 'intact' | 'broken' | 'absent';
}

/** The line with its checksum; one that it already has is replaced. */
export function seal(line: string): string {
  const body = line.slice(-sealBytes).startsWith(',"crc":"') ? line.slice(0, -sealBytes) : line.slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}`;
}

/** What a line says of itself. */
export function unseal(line: Buffer): Unsealed {
  const start = line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const end = endOf(line);
  const found = sealed.exec(line.toString('latin1', Math.max(start, end - sealBytes), end));
  const body = line.subarray(start, end - sealBytes);
  const [, name, digits] = found ?? [];
  const isIntact = found !== null && checksum(body) === digits;
  // The right digits under another name are a checksum too, and one that was hit itself.
  if (name !== 'crc' && !isIntact) return { json: line.toString('utf8', start, end), seal: 'absent' };
  return { json: `${body.toString('utf8')}}`, seal: isIntact && name === 'crc' ? 'intact' : 'broken' };
}

function checksum(body: Buffer | string): string {
  return crc32(body).toString(16).padStart(8, '0');
}

/** A line up to its checksum, of which only the beginning may be left; undefined where nothing like one is there. */
export function beforeTornSeal(text: string): string | undefined {
  const at = text.indexOf(',"cr');
  return at === -1 ? undefined : `${text.slice(0, at)}}`;
}

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

/** Without blanks and the carriage return that an editor may have put there. */
function endOf(line: Buffer): number {
  let end = line.length;
  for (let last = line[end - 1]; last === 32 || last === 9 || last === 13; last = line[end - 1]) end -= 1;
  return end;
}

/** What every version has to say about itself to keep its place in the session. */
const identitySchema = entrySchema.pick({
  v: true,
  seq: true,
  uuid: true,
  parentUuid: true,
  sessionId: true,
  timestamp: true,
});

/**
 * The entry that a line's JSON value stands for; undefined when it is none. `seq` is the position for a line of a
 * version that did not count them.
 */
export function migrateEntry(value: unknown, seq: number): JSONLEntry | undefined {
  if (isTooDeep(value)) return undefined;
  const current = toCurrent(value, seq);
  return parseEntry(current) ?? adaptNewer(current);
}

/** Version 0 had neither `v` nor `seq`: its lines were counted by where they stood. Field names are the same. */
function toCurrent(value: unknown, seq: number): unknown {
  if (typeof value !== 'object' || value === null || 'seq' in value || 'v' in value) return value;
  return { v: 0, seq, ...value };
}

/** A line of a newer format that this program does not understand keeps its place and stays readable. */
function adaptNewer(value: unknown): JSONLEntry | undefined {
  const identity = identitySchema.safeParse(value);
  if (!identity.success || identity.data.v <= ENTRY_FORMAT) return undefined;
  return unreadableEntry({ ...identity.data, cwd: '', version: '' }, { line: value });
}

/** Levels of objects and lists; those of an entry are few, its arguments included. */
const MAX_LEVELS = 500;

/** Whether a value is nested so deeply that copying it, or writing it, would take more of the stack than there is. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1));
}

type Identity = 'v' | 'seq' | 'uuid' | 'parentUuid' | 'sessionId' | 'timestamp' | 'cwd' | 'version';

/** Keeps the place of an entry that cannot be read: no model sees it. `data` says what is known of it. */
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
