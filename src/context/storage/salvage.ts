/**
 * Finds what can still be read in a damaged line: whole entries that lost the line feed between them, an entry
 * whose text is garbled, one that lost its checksum, one that lost its beginning.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { migrateEntry } from './migrateEntry.ts';
import { beforeTornSeal, unseal } from './seal.ts';
import { isTooDeep } from './tooDeep.ts';

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
    const entry = seal === 'broken' ? undefined : migrateEntry(parse(json), 0);
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
  const value = json === undefined ? undefined : parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isTooDeep(value))
    return undefined;
  const { crc: _, ...fields } = value as Record<string, unknown>;
  return typeof fields.type === 'string' && typeof fields.message === 'object' ? fields : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
