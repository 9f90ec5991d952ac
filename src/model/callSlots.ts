/**
 * Sorts the fragments of tool calls into calls. The standard says: by `index`, with id and name once, then
 * pieces of arguments. Servers differ in every part of that, and the rules below hold for all that are known.
 */
import { count, record, text } from './json.ts';
import { REPLY_TOO_LARGE } from './network.ts';

/** No model asks for more at once; a server may, without end. */
const MAX_CALLS = 100;
/** Characters. A file of that size is written in several calls. */
const MAX_ARGUMENTS = 1_000_000;

export interface CallSlot {
  readonly ordinal: number;
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

export interface CallSlots {
  /** Takes the calls of one chunk; returns the slots that changed. */
  add(fragments: readonly unknown[]): readonly CallSlot[];
  all(): readonly CallSlot[];
}

/** Starts without calls. */
export function createCallSlots(): CallSlots {
  const slots: CallSlot[] = [];
  return {
    all: () => slots,
    add(fragments) {
      const changed = new Set<CallSlot>();
      for (const fragment of fragments) {
        const piece = readFragment(fragment);
        let slot = findSlot(slots, piece, changed);
        if (slot === undefined) {
          if (slots.length >= MAX_CALLS) throw tooLarge(`more than ${MAX_CALLS} tool calls`);
          slot = { ordinal: slots.length, index: piece.index, id: '', name: '', arguments: '' };
          slots.push(slot);
        }
        if (slot.arguments.length + piece.arguments.length > MAX_ARGUMENTS)
          throw tooLarge(`a tool call with more than ${MAX_ARGUMENTS} characters of arguments`);
        fill(slot, piece);
        changed.add(slot);
      }
      return [...changed];
    },
  };
}

function tooLarge(what: string): Error {
  return Object.assign(new Error(`The reply holds ${what}.`), { code: REPLY_TOO_LARGE });
}

interface Fragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

function readFragment(value: unknown): Fragment {
  const call = record(value);
  const fn = record(call.function ?? call);
  const given = fn.arguments;
  const isStructured = typeof given === 'object' && given !== null; // not encoded as a string at all
  return {
    index: count(call.index),
    id: text(call.id) ?? '',
    name: text(fn.name) ?? '',
    arguments: isStructured ? JSON.stringify(given) : (text(given) ?? ''),
  };
}

/** The call that a fragment continues; undefined when it begins another one. */
function findSlot(
  slots: readonly CallSlot[],
  piece: Fragment,
  inThisChunk: ReadonlySet<CallSlot>,
): CallSlot | undefined {
  const sameId = piece.id === '' ? undefined : slots.findLast((slot) => slot.id === piece.id);
  if (sameId !== undefined && (piece.index === undefined || sameId.index === piece.index)) return sameId;
  const last =
    piece.index === undefined ? slots.at(-1) : slots.findLast((slot) => slot.index === piece.index);
  if (last === undefined) return undefined;
  if (piece.name === '') return last; // some servers make up a new id for every fragment
  if (piece.id !== '' && last.id !== '') return undefined; // index 0 for every call, told apart by id
  if (isComplete(last.arguments) && piece.arguments !== '') return undefined; // whole calls, no ids
  if (piece.index === undefined && (inThisChunk.has(last) || last.name !== piece.name)) return undefined;
  return last;
}

function fill(slot: CallSlot, piece: Fragment): void {
  if (slot.id === '') slot.id = piece.id;
  // A name comes once, or again and again, or grows, or (rarely) in pieces.
  if (piece.name.startsWith(slot.name)) slot.name = piece.name;
  else if (piece.name !== '' && slot.arguments === '') slot.name += piece.name;
  // A server that sums up at the end sends the whole text once more.
  if (piece.name === '' || piece.arguments !== slot.arguments || !isComplete(slot.arguments)) {
    slot.arguments += piece.arguments;
  }
}

function isComplete(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
