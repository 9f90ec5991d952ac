/** Gives an entry whose line was damaged its place in the session back, from the entries around it. */
import { createHash } from 'node:crypto';
import { ENTRY_FORMAT } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { migrateEntry } from './migrateEntry.ts';
import type { GarbledValue } from './salvage.ts';

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

/** An id for an entry that nobody names yet: the same each time the log is read. */
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
