/** Folds the events of a wire into a reply, and keeps the parts that have to be sent back unchanged. No side effects. */

import { customAlphabet } from 'nanoid';
import type { Reasoning, ToolSchema } from '../../protocol/messages.ts';
import type { ModelEvent, Reply } from '../../protocol/models/model.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { replyBounds, tooLarge } from '../replyBounds.ts';
import { type Accumulator, createAccumulator } from './chat/accumulate.ts';
import { sealOf } from './seal.ts';

type Item = NonNullable<Reasoning['items']>[number];

/** Reads the events of one reply. */
export interface EventTranslator {
  /** The event as chunks of a chat completion; empty if it contains nothing new. */
  translate(event: object): readonly object[];
  /** The parts of the reply so far, in order: reasoning verbatim, and the positions of text and calls. */
  items(): readonly Item[];
  /** How many parts it keeps. */
  count(): number;
  /** Characters of the parts that are not in the text, reasoning or calls. */
  size(): number;
  /** True after the last event of the reply. */
  isOver(): boolean;
}

/** A chunk of a chat completion with a part of the call at `index`; `id` only with its first part. */
export function callChunk(index: number, fields: object, id?: unknown): object {
  return { choices: [{ delta: { tool_calls: [{ index, id, function: fields }] } }] };
}

interface Options {
  readonly tools: readonly ToolSchema[];
  readonly translator: EventTranslator;
  /** The `field` of reasoning in our messages. */
  readonly field: string;
  readonly origin: string;
}

/** `isReasoning`: true for an item that must be sent back. If there is none, no items are kept. */
export function createItemAccumulator(
  { tools, translator, field, origin }: Options,
  isReasoning: (item: Item) => boolean,
): Accumulator {
  const inner = createAccumulator(newCallId, tools, true);
  const size = (): number => inner.size() + translator.size();

  function push(event: unknown): readonly ModelEvent[] {
    const chunks = translator.translate(event as object);
    if (size() > replyBounds.maxCharacters)
      throw tooLarge(`more than ${grouped(replyBounds.maxCharacters)} characters`);
    if (translator.count() > replyBounds.maxParts)
      throw tooLarge(`more than ${grouped(replyBounds.maxParts)} parts`);
    return chunks
      .flatMap((chunk) => inner.push(chunk))
      .map((one) => (one.type === 'reasoning_delta' ? { ...one, field } : one));
  }

  async function reply(): Promise<Reply | undefined> {
    const found = await inner.reply();
    if (found === undefined) return undefined;
    const { message, usage } = found;
    const items = translator.items();
    if (!items.some(isReasoning)) {
      if (message.reasoning === undefined) return found;
      return { ...found, message: { ...message, reasoning: { ...message.reasoning, field } } };
    }
    const tokens = usage?.reasoningTokens;
    const reasoning: Reasoning = {
      field,
      text: message.reasoning?.text ?? '',
      items,
      seal: sealOf(origin, items),
      ...(tokens === undefined ? {} : { tokens }),
    };
    return { ...found, message: { ...message, reasoning } };
  }

  return { ...inner, push, size, reply };
}

/** Nine characters, letters and digits: the strictest id format that any server requires (Mistral's). */
export const newCallId = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 9);
