/**
 * The user's own words in a compaction: prompts that leave the conversation are copied into the summary message word
 * for word, so that no constraint depends on what a summary says. Pure.
 */
import type { CompactMetadata, JSONLEntry } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/grouped.ts';
import { contentText } from '../facts/entryText.ts';
import { headOf, tailOf } from '../tokens/wellFormed.ts';
import { SUMMARY_END, SUMMARY_START } from './summaryText.ts';

/** One prompt as it stands in a summary message. */
export interface KeptMessage {
  readonly entry: JSONLEntry;
  /** Characters kept of its beginning and of its end; absent = all of it. */
  readonly ends?: { readonly head: number; readonly tail: number };
}

export interface KeepBudget {
  /** Tokens of all of them together, with what stands around each. */
  readonly tokens: number;
  readonly sizeOf: (text: string) => number;
}

/**
 * Which of these prompts are kept: the first, then the newest, as far as the budget goes. The first and the newest
 * are shortened in their middle where they are too long; of the others a long one is left out. In log order.
 */
export function chooseUserMessages(
  prompts: readonly JSONLEntry[],
  { tokens, sizeOf }: KeepBudget,
): KeptMessage[] {
  const [first, ...others] = prompts.filter((entry) => textOf(entry).trim() !== '');
  if (first === undefined) return [];
  const kept: KeptMessage[] = [];
  let left = tokens - sizeOf(INTRODUCTION);
  for (const [index, entry] of [first, ...others.reverse()].entries()) {
    if (kept.length >= MAX_MESSAGES) break;
    const isOutermost = index <= 1;
    // The first leaves room for the newest.
    const room = index === 0 && others.length > 0 ? left / 2 : left;
    const one = keepWithin(entry, room, sizeOf, isOutermost);
    if (one === undefined) continue;
    kept.push(one);
    // With the line end between two of them, which may be a token of its own.
    left -= sizeOf(`${quote(one)}\n`);
  }
  return kept.sort((a, b) => a.entry.seq - b.entry.seq);
}

/** The record of a compaction names each of them; more would make it long, and are one Recall away. */
const MAX_MESSAGES = 150;
/** Less than this of a long message says nothing. */
const MIN_CHARACTERS = 200;

function keepWithin(
  entry: JSONLEntry,
  room: number,
  sizeOf: KeepBudget['sizeOf'],
  mayBeCut: boolean,
): KeptMessage | undefined {
  const text = textOf(entry);
  // A token has a quarter of a character at least: what is far beyond the room is not counted first.
  if (text.length <= room * 12 && sizeOf(quote({ entry })) <= room) return { entry };
  if (!mayBeCut) return undefined;
  for (let characters = Math.min(text.length, room * 4); characters >= MIN_CHARACTERS; characters *= 0.7) {
    const ends = { head: Math.floor(characters * 0.7), tail: Math.floor(characters * 0.3) };
    if (ends.head + ends.tail < text.length && sizeOf(quote({ entry, ends })) <= room) return { entry, ends };
  }
  return undefined;
}

/** The block for a summary message; empty for none. */
export function quoteUserMessages(messages: readonly KeptMessage[]): string {
  if (messages.length === 0) return '';
  return `${INTRODUCTION}${messages.map(quote).join('\n')}`;
}

const INTRODUCTION =
  "## The user's earlier messages\n\nWord for word, oldest first. The record above says what has been done about them. Limits and wishes in them still hold, unless a later message changes them.\n\n";

function quote({ entry, ends }: KeptMessage): string {
  const text = textOf(entry);
  const shown =
    ends === undefined
      ? text
      : `${headOf(text, ends.head)}\n[${grouped(text.length - ends.head - ends.tail)} characters left out; all: Recall("#${entry.seq}")]\n${tailOf(text, ends.tail)}`;
  return `<user-message id="#${entry.seq}">\n${tame(shown)}\n</user-message>`;
}

/** Nothing in a message can end its quote, or the summary around it. */
function tame(text: string): string {
  return text
    .replaceAll('</user-message', '&lt;/user-message')
    .replaceAll(SUMMARY_END, '(End of summary)')
    .replaceAll(SUMMARY_START, '(Previous conversation summary)');
}

function textOf({ message }: JSONLEntry): string {
  return contentText(message.content);
}

/** As the record of a compaction names them. */
export function namesOfMessages(
  messages: readonly KeptMessage[],
): NonNullable<CompactMetadata['userMessages']> {
  return messages.map(({ entry, ends }) => ({ uuid: entry.uuid, ...(ends ?? {}) }));
}

/** The same, looked up again; what is not among the entries any more is left out. */
export function messagesNamed(
  names: CompactMetadata['userMessages'],
  entries: readonly JSONLEntry[],
): KeptMessage[] {
  if (names === undefined || names.length === 0) return [];
  const byUuid = new Map(names.map((name) => [name.uuid, name]));
  return entries.flatMap((entry) => {
    const name = byUuid.get(entry.uuid);
    if (name === undefined) return [];
    const { head, tail } = name;
    return [head === undefined || tail === undefined ? { entry } : { entry, ends: { head, tail } }];
  });
}
