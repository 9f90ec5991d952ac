/**
 * Assembles the fragments of streamed tool calls. By the standard they are matched by `index`; id and name come once,
 * then pieces of the arguments. Servers deviate from every part of that; the rules below cover all known variants.
 */

import { grouped } from '../../../protocol/text/numbers.ts';
import { count, record, text } from '../../json.ts';
import { type ReplyBounds, replyBounds, tooLarge } from '../../replyBounds.ts';

export interface CallSlot {
  readonly ordinal: number;
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

interface CallSlots {
  /** Adds the fragments of one chunk and returns the slots that changed. Throws if the reply exceeds a bound. */
  add(fragments: readonly unknown[]): readonly CallSlot[];
  all(): readonly CallSlot[];
  /** Characters of all calls so far. */
  size(): number;
}

interface OpenSlot extends CallSlot {
  readonly watch: CompletenessWatch;
}

/** Creates an empty set of slots. */
export function createCallSlots(bounds: ReplyBounds = replyBounds): CallSlots {
  const slots: OpenSlot[] = [];
  let size = 0;

  function begin(index: number | undefined): OpenSlot {
    if (slots.length >= bounds.maxCalls) throw tooLarge(`more than ${bounds.maxCalls} tool calls`);
    const slot = {
      ordinal: slots.length,
      index,
      id: '',
      name: '',
      arguments: '',
      watch: createCompletenessWatch(),
    };
    slots.push(slot);
    return slot;
  }

  return {
    all: () => slots,
    size: () => size,
    add(fragments) {
      const changed = new Set<OpenSlot>();
      for (const fragment of fragments) {
        const piece = readFragment(fragment);
        const slot = findSlot(slots, piece, changed) ?? begin(piece.index);
        const before = sizeOf(slot);
        fill(slot, piece);
        size += sizeOf(slot) - before;
        if (slot.arguments.length > bounds.maxArguments)
          throw tooLarge(
            `a tool call with more than ${grouped(bounds.maxArguments)} characters of arguments`,
          );
        changed.add(slot);
      }
      return [...changed];
    },
  };
}

function sizeOf(slot: CallSlot): number {
  return slot.id.length + slot.name.length + slot.arguments.length;
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
  const input = fn.arguments;
  const isStructured = typeof input === 'object' && input !== null; // an object instead of a JSON string
  return {
    index: count(call.index),
    id: text(call.id) ?? '',
    name: text(fn.name) ?? '',
    arguments: isStructured ? JSON.stringify(input) : (text(input) ?? ''),
  };
}

/** The call that a fragment continues; undefined if it starts a new one. */
function findSlot(
  slots: readonly OpenSlot[],
  piece: Fragment,
  inThisChunk: ReadonlySet<OpenSlot>,
): OpenSlot | undefined {
  const sameId = piece.id === '' ? undefined : slots.findLast((slot) => slot.id === piece.id);
  if (sameId !== undefined && (piece.index === undefined || sameId.index === piece.index)) return sameId;
  const last =
    piece.index === undefined ? slots.at(-1) : slots.findLast((slot) => slot.index === piece.index);
  if (last === undefined) return undefined;
  if (piece.name === '') return last; // some servers generate a new id for every fragment
  if (piece.id !== '' && last.id !== '') return undefined; // index 0 for every call, distinguished by id
  if (piece.arguments !== '' && last.watch.isComplete(last.arguments)) return undefined; // complete calls without ids
  if (piece.index === undefined && (inThisChunk.has(last) || last.name !== piece.name)) return undefined;
  return last;
}

function fill(slot: OpenSlot, piece: Fragment): void {
  if (slot.id === '') slot.id = piece.id;
  // A name arrives once, repeatedly, as a growing prefix, or (rarely) in pieces.
  if (piece.name.startsWith(slot.name)) slot.name = piece.name;
  else if (piece.name !== '' && slot.arguments === '') slot.name += piece.name;
  // Some servers send the complete arguments again at the end.
  const isSummary =
    piece.name !== '' &&
    piece.arguments.length === slot.arguments.length &&
    slot.watch.isComplete(slot.arguments) &&
    piece.arguments === slot.arguments;
  if (isSummary) return;
  slot.arguments += piece.arguments;
  slot.watch.pass(piece.arguments);
}

/**
 * Tracks whether growing text is a complete JSON object yet. Scans each character once and parses the whole at most
 * once: parsing after every piece would take quadratic time.
 */
interface CompletenessWatch {
  /** Adds the next piece. */
  pass(piece: string): void;
  /** `whole`: all pieces added so far, joined. */
  isComplete(whole: string): boolean;
}

/** Starts before the first character. */
export function createCompletenessWatch(): CompletenessWatch {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  /** `closed`: the outermost bracket has closed, and only white space has followed. */
  let state: 'blank' | 'open' | 'closed' | 'never' = 'blank';
  let isValid: boolean | undefined;

  function take(char: string): void {
    if (inString) {
      if (isEscaped) isEscaped = false;
      else if (char === '\\') isEscaped = true;
      else if (char === '"') inString = false;
      return;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) state = 'closed';
  }

  return {
    pass(piece) {
      for (let at = 0; at < piece.length && state !== 'never'; at += 1) {
        const char = piece[at] ?? '';
        if (state === 'open') take(char);
        else if (char.trim() === '') continue;
        else if (state === 'blank' && char === '{') {
          state = 'open';
          depth = 1;
        } else state = 'never';
      }
    },
    isComplete(whole) {
      if (state !== 'closed') return false;
      isValid ??= isJson(whole);
      return isValid;
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
