import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replyBounds } from '../../../../src/model/replyBounds.ts';
import { createAccumulator } from '../../../../src/model/wires/chat/accumulate.ts';

const delta = (fields: object, rest: object = {}) => ({ choices: [{ delta: fields, ...rest }] });
const calls = (...fragments: object[]) => delta({ tool_calls: fragments });
const fn = (name: string | undefined, args?: unknown) => ({ function: { name, arguments: args } });

async function fold(chunks: readonly unknown[], finish = 'tool_calls') {
  let made = 0;
  const accumulator = createAccumulator(() => `new${++made}`);
  const events = chunks.flatMap((chunk) => accumulator.push(chunk));
  accumulator.push({ choices: [{ delta: {}, finish_reason: finish }] });
  return { events, reply: await accumulator.reply() };
}

describe('tool calls of servers that', () => {
  const A = { name: 'A', arguments: '{"x":1}' };
  const B = { name: 'B', arguments: '{"y":2}' };
  test.each([
    [
      'follow the standard',
      [
        calls({ index: 0, id: 'a', ...fn('A', '') }),
        calls({ index: 1, id: 'b', ...fn('B', '') }),
        calls({ index: 0, ...fn(undefined, '{"x":') }),
        calls({ index: 1, ...fn(undefined, '{"y":2}') }),
        calls({ index: 0, ...fn(undefined, '1}') }),
      ],
      [
        { id: 'a', ...A },
        { id: 'b', ...B },
      ],
    ],
    [
      'count from 1 with gaps',
      [
        calls({ index: 1, id: 'a', ...fn('A', A.arguments) }),
        calls({ index: 7, id: 'b', ...fn('B', B.arguments) }),
      ],
      [
        { id: 'a', ...A },
        { id: 'b', ...B },
      ],
    ],
    [
      'use index 0 for every call, with new ids',
      [
        calls({ index: 0, id: 'a', ...fn('A', A.arguments) }),
        calls({ index: 0, id: 'b', ...fn('B', B.arguments) }),
      ],
      [
        { id: 'a', ...A },
        { id: 'b', ...B },
      ],
    ],
    [
      'use index 0 for every complete call, without ids',
      [calls({ index: 0, ...fn('A', A.arguments) }), calls({ index: 0, ...fn('A', '{"x":3}') })],
      [
        { id: 'new1', ...A },
        { id: 'new2', name: 'A', arguments: '{"x":3}' },
      ],
    ],
    [
      'omit index and id, all in one chunk',
      [calls(fn('A', A.arguments), fn('B', B.arguments))],
      [
        { id: 'new1', ...A },
        { id: 'new2', ...B },
      ],
    ],
    [
      'omit index, id and arguments, twice the same',
      [calls(fn('A'), fn('A'))],
      [
        { id: 'new1', name: 'A', arguments: '{}' },
        { id: 'new2', name: 'A', arguments: '{}' },
      ],
    ],
    [
      'omit the index and use the id',
      [
        calls({ id: 'a', ...fn('A', '{"x"') }),
        calls({ id: 'b', ...fn('B', '{"y"') }),
        calls({ id: 'a', ...fn(undefined, ':1}') }),
        calls({ id: 'b', ...fn(undefined, ':2}') }),
      ],
      [
        { id: 'a', ...A },
        { id: 'b', ...B },
      ],
    ],
    [
      'create a new id for every fragment',
      [
        calls({ index: 0, id: 'a', ...fn('A', '') }),
        calls({ index: 0, id: 'z', ...fn(undefined, A.arguments) }),
      ],
      [{ id: 'a', ...A }],
    ],
    [
      'repeat the name in every fragment',
      [calls({ index: 0, id: 'a', ...fn('A', '{"x"') }), calls({ index: 0, ...fn('A', ':1}') })],
      [{ id: 'a', ...A }],
    ],
    [
      'send the name in fragments',
      [
        calls({ index: 0, id: 'a', ...fn('Web') }),
        calls({ index: 0, ...fn('Fetch') }),
        calls({ index: 0, ...fn(undefined, '{}') }),
      ],
      [{ id: 'a', name: 'WebFetch', arguments: '{}' }],
    ],
    [
      'send a growing name',
      [calls({ index: 0, id: 'a', ...fn('Web') }), calls({ index: 0, ...fn('WebFetch', '{}') })],
      [{ id: 'a', name: 'WebFetch', arguments: '{}' }],
    ],
    [
      'repeat the full call at the end',
      [
        calls({ index: 0, id: 'a', ...fn('A', A.arguments) }),
        calls({ index: 0, id: 'a', ...fn('A', A.arguments) }),
      ],
      [{ id: 'a', ...A }],
    ],
    [
      'use the same id twice',
      [calls({ index: 0, id: 'a', ...fn('A', A.arguments) }, { index: 1, id: 'a', ...fn('B', B.arguments) })],
      [
        { id: 'a', ...A },
        { id: 'new1', ...B },
      ],
    ],
    [
      'send arguments as an object',
      [calls({ index: 0, id: 'a', ...fn('A', { x: 1 }) })],
      [{ id: 'a', ...A }],
    ],
    [
      'still use function_call',
      [
        delta({ function_call: { name: 'A', arguments: '{"x"' } }),
        delta({ function_call: { arguments: ':1}' } }),
      ],
      [{ id: 'new1', ...A }],
    ],
  ])('%s', async (_name, chunks, expected) => {
    const { reply } = await fold(chunks);
    expect(reply?.message.toolCalls).toEqual(expected);
    expect(reply?.finishReason).toBe('tool_calls');
  });
});

test.each(['length', 'content_filter'])(
  'calls of a reply that ended with %s are kept but never run',
  async (finish) => {
    const { reply } = await fold(
      [
        calls(
          { index: 0, id: 'a', ...fn('A', '{"x":1}') },
          { index: 1, id: 'b', ...fn('Write', '{"content":"half') },
        ),
      ],
      finish,
    );
    expect(reply?.finishReason).toBe(finish);
    expect(reply?.message.toolCalls).toEqual([
      { id: 'a', name: 'A', arguments: '{"x":1}', invalid: expect.stringContaining('did not run') },
      {
        id: 'b',
        name: 'Write',
        arguments: '{}',
        rawArguments: '{"content":"half',
        invalid: expect.stringContaining('"half'),
      },
    ]);
  },
);

test('a call without a name never runs', async () => {
  const { reply } = await fold([calls({ index: 0, id: 'a', ...fn(undefined, '{}') })]);
  expect(reply?.message.toolCalls[0]?.invalid).toContain('no tool name');
});

test.each([
  ['stop', false, 'stop'],
  ['stop', true, 'tool_calls'],
  ['tool_calls', false, 'stop'],
  ['function_call', true, 'tool_calls'],
  ['length', true, 'length'],
  ['MAX_TOKENS', false, 'length'],
  ['sensitive', false, 'content_filter'],
  ['end_turn', false, 'stop'],
  ['constructor', false, 'stop'],
])('finish reason %s with calls: %s is %s', async (word, hasCalls, expected) => {
  const { reply } = await fold(hasCalls ? [calls({ index: 0, id: 'a', ...fn('A', '{}') })] : [], word);
  expect(reply?.finishReason).toBe(expected);
});

test('a reply without a finish reason, or whose server gave up, is a failure', async () => {
  const accumulator = createAccumulator(() => 'x');
  accumulator.push(delta({ content: 'half' }));
  expect(accumulator.ended()).toBe(false);
  expect(await accumulator.reply()).toBeUndefined();
  expect((await fold([delta({ content: 'half' })], 'insufficient_system_resource')).reply).toBeUndefined();
});

describe('a reply that exceeds a limit', () => {
  const bounds = { ...replyBounds, maxCharacters: 100, maxArguments: 50, maxCalls: 2 };
  const long = 'x'.repeat(60);
  const tooMuch: readonly (readonly [string, readonly object[]])[] = [
    ['of text', [delta({ content: long }), delta({ content: long })]],
    ['of reasoning', [delta({ reasoning: long }), delta({ reasoning: long })]],
    ['of both', [delta({ reasoning: long }), delta({ content: [{ type: 'text', text: long }] })]],
    ['of arguments', [calls({ index: 0, id: 'a', ...fn('A', long) })]],
    ['of ids', [calls({ index: 0, id: long, ...fn('A') }), calls({ index: 1, id: `${long}2`, ...fn('A') })]],
    ['of names', [calls({ index: 0, ...fn('A'.repeat(101)) })]],
    ['of calls', [calls({ id: 'a', ...fn('A') }, { id: 'b', ...fn('B') }, { id: 'c', ...fn('C') })]],
  ];
  test.each(tooMuch)('%s is discarded, even if the server has ended it', async (_name, chunks) => {
    const accumulator = createAccumulator(() => 'x', [], false, bounds);
    accumulator.push({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    expect(accumulator.ended()).toBe(true);
    expect(() => {
      for (const chunk of chunks) accumulator.push(chunk);
    }).toThrow('The reply holds');
    expect(accumulator.ended()).toBe(false);
    expect(await accumulator.reply()).toBeUndefined();
  });

  test('includes calls that are written as text', () => {
    const tools = [{ name: 'A', description: '', parameters: {} }];
    const accumulator = createAccumulator(() => 'x', tools, false, bounds);
    accumulator.push(delta({ content: '<tool_call>{"name": "A", "arguments": {"a": "' }));
    accumulator.push(delta({ content: 'x' }));
    expect(accumulator.size()).toBe(46);
    expect(() => accumulator.push(delta({ content: long }))).toThrow('more than 100 characters');
  });
});

test('the name of the model that replied is limited', async () => {
  const { reply } = await fold([{ model: 'm'.repeat(1000), choices: [] }], 'stop');
  expect(reply?.model).toHaveLength(200);
});

test.each([
  ['reasoning_content', { reasoning_content: 'hm' }],
  ['reasoning', { reasoning: 'hm', reasoning_content: '' }],
  ['thinking', { thinking: 'hm' }],
  ['reasoning_content', { reasoning_content: 'hm', reasoning: 'hm' }],
  ['thinking', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }],
])('reasoning in the field %s is read once', async (field, fields) => {
  const { reply, events } = await fold([delta(fields)], 'stop');
  expect(reply?.message.reasoning).toEqual({ field, text: 'hm' });
  expect(reply?.message.content).toBe('');
  expect(events).toEqual([{ type: 'reasoning_delta', text: 'hm', field }]);
});

test.each([
  [
    "OpenAI's",
    {
      usage: {
        prompt_tokens: 9,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      choices: [],
    },
    { inputTokens: 9, outputTokens: 3, cachedTokens: 4, reasoningTokens: 2 },
  ],
  [
    "DeepSeek's",
    { usage: { prompt_tokens: 9, completion_tokens: 3, prompt_cache_hit_tokens: 4 } },
    { inputTokens: 9, outputTokens: 3, cachedTokens: 4 },
  ],
  [
    "Groq's",
    { x_groq: { usage: { prompt_tokens: 9, completion_tokens: 3 } } },
    { inputTokens: 9, outputTokens: 3 },
  ],
  [
    "Moonshot's",
    { choices: [{ delta: {}, usage: { prompt_tokens: 9, completion_tokens: 3 } }] },
    { inputTokens: 9, outputTokens: 3 },
  ],
  ['zeros', { usage: { prompt_tokens: 0, completion_tokens: 0 } }, undefined],
  ['null', { usage: null }, undefined],
  ['nonsense', { usage: { prompt_tokens: 'many', completion_tokens: -1 } }, undefined],
])('%s usage is read', async (_name, chunk, expected) => {
  expect((await fold([chunk], 'stop')).reply?.usage).toEqual(expected);
});

test('whatever a server sends, accumulating it does not throw', () => {
  const field = fc.constantFrom(
    'choices',
    'delta',
    'message',
    'tool_calls',
    'function',
    'arguments',
    'name',
    'id',
    'index',
    'content',
    'usage',
    'finish_reason',
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(null, 0, 1, -1, '', 'x', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(field, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), (chunks) => {
      const accumulator = createAccumulator(() => 'x');
      for (const chunk of chunks) accumulator.push(chunk);
    }),
    { numRuns: 500 },
  );
});

test('however text and arguments are split into chunks, the reply is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1 }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.integer({ min: 1, max: 9 }),
      async (said, value, size) => {
        const json = JSON.stringify(value);
        const pieces = (text: string) =>
          Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
            text.slice(at * size, (at + 1) * size),
          );
        const { reply, events } = await fold([
          ...pieces(said).map((content) => delta({ content })),
          calls({ index: 0, id: 'a', ...fn('A', '') }),
          ...pieces(json).map((piece) => calls({ index: 0, ...fn(undefined, piece) })),
        ]);
        expect(reply?.message).toEqual({
          role: 'assistant',
          content: said,
          toolCalls: [{ id: 'a', name: 'A', arguments: json }],
        });
        expect(events.at(-1)).toEqual({
          type: 'tool_call_delta',
          index: 0,
          name: 'A',
          argumentsLength: json.length,
        });
      },
    ),
  );
});

test('an endless name does not fill the log, and a missing id is created', async () => {
  const call = calls({ index: 0, id: 'i'.repeat(20_000), ...fn('N'.repeat(500_000), '{}') });
  const { reply } = await fold([call, calls({ index: 1, id: 's'.repeat(9000), ...fn('B', '{}') })]);
  expect(reply?.message.toolCalls.map(({ id, name }) => [id.length, name.length])).toEqual([
    [4, 200],
    [9000, 1],
  ]);
});
