/**
 * Finds what can still be read in a damaged line: whole entries that lost the line feed between them, an entry
 * whose text is garbled, an entry that lost its beginning.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { migrateEntry } from './migrateEntry.ts';
import { unseal, withoutTornSeal } from './seal.ts';

/** Something found in a damaged line. */
export type Piece =
  /** As it was written. */
  | { readonly entry: JSONLEntry }
  /** A JSON object that is an entry, or was one; its identity may be missing or wrong: see `mend`. */
  | { readonly garbled: GarbledValue };

export type GarbledValue = Readonly<Record<string, unknown>>;

/** Unescaped, this can only be the beginning of a line: inside a string its quotes carry backslashes. */
const beginning = Buffer.from('{"v":');

/** What is found, in the order in which it stands. */
export function salvage(line: Buffer): readonly Piece[] {
  return [...splitAt(line, beginnings(line))].flatMap((stretch) => {
    const piece = pieceOf(stretch);
    return piece === undefined
      ? [...splitAt(stretch, garbage(stretch))].flatMap((part) => pieceOf(part) ?? [])
      : piece;
  });
}

function pieceOf(bytes: Buffer): Piece | undefined {
  const entry = wholeEntry(bytes);
  if (entry !== undefined) return { entry };
  const garbled = garbledValue(bytes);
  return garbled === undefined ? undefined : { garbled };
}

/** An entry with anything behind it. */
function wholeEntry(piece: Buffer): JSONLEntry | undefined {
  if (!piece.subarray(0, beginning.length).equals(beginning)) return undefined;
  for (const end of new Set([piece.lastIndexOf('"}') + 2, piece.lastIndexOf('}') + 1])) {
    const { json, seal } = unseal(piece.subarray(0, end));
    const entry = seal === 'broken' ? undefined : migrateEntry(parse(json), 0);
    if (entry !== undefined) return entry;
  }
  const torn = withoutTornSeal(printable(piece));
  return torn === undefined ? undefined : migrateEntry(parse(torn), 0);
}

/** The fields in the order in which a line has them: an entry without its beginning begins with one of them. */
const firstFields = ['v', 'seq', 'uuid', 'parentUuid', 'sessionId', 'timestamp', 'type'];

function garbledValue(piece: Buffer): GarbledValue | undefined {
  // Damage inside a text: what cannot stand in a JSON string is replaced, the rest of it is as it was.
  const text = unseal(piece.subarray(0, piece.lastIndexOf('}') + 1)).json.replace(
    /[\u0000-\u001F]+/g,
    '\uFFFD',
  );
  const starts = firstFields.map((field) => text.indexOf(`"${field}":`)).filter((at) => at !== -1);
  for (const json of [text, ...starts.map((at) => `{${text.slice(at)}`)]) {
    const value = parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const { crc, ...fields } = value as Record<string, unknown>;
    if (typeof fields.type === 'string' && typeof fields.message === 'object') return fields;
  }
  return undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Up to the first byte that no line has. */
function printable(piece: Buffer): string {
  const end = piece.findIndex((byte) => byte < 32);
  return piece.toString('utf8', 0, end === -1 ? piece.length : end);
}

function* beginnings(line: Buffer): Generator<number> {
  for (let at = line.indexOf(beginning); at !== -1; at = line.indexOf(beginning, at + 1)) yield at;
}

/** Where something readable begins again after bytes that no line has. */
function* garbage(piece: Buffer): Generator<number> {
  for (let at = 1; at < piece.length; at++) if ((piece[at - 1] ?? 0) < 32 && (piece[at] ?? 0) >= 32) yield at;
}

function* splitAt(line: Buffer, positions: Iterable<number>): Generator<Buffer> {
  let from = 0;
  for (const at of positions) {
    if (at > from) yield line.subarray(from, at);
    from = at;
  }
  if (from < line.length) yield line.subarray(from);
}
