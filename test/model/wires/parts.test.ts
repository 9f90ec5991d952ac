/** Small pure parts of the wire formats: cache breakpoints, and the ids of calls. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheBreakpoints } from '../../../src/model/wires/anthropic/body.ts';
import { createAnthropicTranslator } from '../../../src/model/wires/anthropic/events.ts';
import { createCallIds } from '../../../src/model/wires/callIds.ts';
import { createItemAccumulator } from '../../../src/model/wires/itemAccumulator.ts';
import { createResponsesTranslator } from '../../../src/model/wires/responses/events.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { cpuClock } from '../../cpuTime.ts';

const system: Message = { role: 'system', content: 's' };
const user: Message = { role: 'user', content: 'u' };
const reply = (...ids: string[]): Extract<Message, { role: 'assistant' }> => ({
  role: 'assistant',
  content: 'a',
  toolCalls: ids.map((id) => ({ id, name: 'Read', arguments: '{}' })),
});
const result: Message = { role: 'tool', toolCallId: 'c', name: 'Read', content: 'r', isError: false };

describe('cache breakpoints', () => {
  const at = (messages: readonly Message[], stableMessages?: number): readonly number[] =>
    cacheBreakpoints({
      model: 'm',
      tools: [],
      messages,
      ...(stableMessages === undefined ? {} : { stableMessages }),
    });

  test.each<readonly [string, readonly Message[], number | undefined, readonly number[]]>([
    ['the first request ends with the prompt', [system, user], 1, [1]],
    ['a step: the end of the last request, and its own end', [system, user, reply('c'), result], 1, [1, 3]],
    ['after a compaction, the summary as well', [system, user, user, user, reply(), user], 3, [2, 3, 5]],
    ['the summary is the end of the last request', [system, user, user, reply(), user], 3, [2, 4]],
    ['no known stable part', [user, reply('c'), result], undefined, [0, 2]],
    ['only a system prompt', [system], 1, []],
  ])('%s', (_what, messages, stable, expected) => {
    expect(at(messages, stable)).toEqual(expected);
  });

  test('the end of one request is a breakpoint of the next, so that the next reads it', () => {
    const first = [system, user, reply('c'), result];
    const next = [...first, reply('d'), result];
    expect(at(next, 1)).toContain(at(first, 1).at(-1));
  });
});

describe('a reply with very many short parts', () => {
  const thinking = (index: number) => [
    { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '' } },
  ];
  const empty = (index: number) => [
    { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  ];
  const items = (output_index: number) => [
    { type: 'response.output_item.done', output_index, item: { type: 'message', content: [] } },
  ];
  const argumentsOnly = (output_index: number) => [
    { type: 'response.output_text.delta', output_index, delta: '' },
  ];

  test.each([
    ['endless thinking blocks', createAnthropicTranslator(), thinking],
    ['empty texts', createAnthropicTranslator(), empty],
    ['empty items', createResponsesTranslator(), items],
    ['text for items that never started', createResponsesTranslator(), argumentsOnly],
  ])('%s is rejected', (_, translator, events) => {
    const { push } = createItemAccumulator({ tools: [], translator, field: 'f', origin: 'o' }, () => false);
    const all = (count: number): void => {
      for (let index = 0; index < count; index++) for (const event of events(index)) push(event);
    };
    all(4000);
    expect(() => all(4001)).toThrow('more than 4,000 parts');
  });

  test('token counts in unknown fields are not kept', { tags: 'long' }, () => {
    const translator = createAnthropicTranslator();
    const usages = Array.from({ length: 1000 }, (_, event) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`u${event}_${at}`, at])),
    );
    const spentMs = cpuClock();
    for (const usage of usages) translator.translate({ type: 'message_delta', usage });
    // A second or two here; minutes if they were kept.
    expect(spentMs()).toBeLessThan(15_000);
  });
});

describe('call ids', () => {
  test('are unique and valid for every log, and a longer conversation keeps those of a shorter one', () => {
    const id = fc.oneof(
      fc.constantFrom('call_0', 'call_0-2', 'functions.Read:0', ''),
      fc.string(),
      fc.string({ minLength: 65 }),
    );
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(id, { maxLength: 4 }), { maxLength: 8 }), (replies) => {
        const idsOf = (some: readonly string[][]): readonly string[][] => {
          const ids = createCallIds();
          return some.map((one) => {
            const found = ids.next(reply(...one));
            expect(one.map((given) => ids.ofResult(given))).toEqual(found);
            return [...found];
          });
        };
        const all = idsOf(replies);
        expect(new Set(all.flat()).size).toBe(all.flat().length);
        for (const one of all.flat()) expect(one).toMatch(/^[\w-]{1,64}$/);
        expect(idsOf(replies.slice(0, -1))).toEqual(all.slice(0, -1));
      }),
    );
  });

  test('a valid id that is used once is kept', () => {
    const ids = createCallIds();
    expect(ids.next(reply('toolu_1', 'call_2'))).toEqual(['toolu_1', 'call_2']);
  });
});
