/**
 * Reads lines of other versions of the format as entries of this one. The file is never rewritten for it: a line
 * is brought up to date each time it is read.
 */
import { ENTRY_FORMAT, entrySchema } from '../../protocol/entries/fields.ts';
import { type JSONLEntry, parseEntry } from '../../protocol/entries.ts';
import { standIn } from './standIn.ts';
import { isTooDeep } from './tooDeep.ts';

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
  return standIn({ ...identity.data, cwd: '', version: '' }, { line: value });
}
