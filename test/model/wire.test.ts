import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toWireMessages, toWireTools } from '../../src/model/wire.ts';
import type { Message } from '../../src/protocol/messages.ts';

const call = { id: 'c1', name: 'Read', arguments: '{"path": "a"}' };
const assistant = (rest: object): Message => ({ role: 'assistant', content: '', toolCalls: [], ...rest });

const table: readonly (readonly [string, Message, unknown])[] = [
  ['system', { role: 'system', content: 's' }, { role: 'system', content: 's' }],
  ['user', { role: 'user', content: 'u' }, { role: 'user', content: 'u' }],
  [
    'user with an image',
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    },
  ],
  ['assistant without calls', assistant({ content: 'a' }), { role: 'assistant', content: 'a' }],
  [
    'assistant with calls and no text',
    assistant({ toolCalls: [call] }),
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'Read', arguments: '{"path": "a"}' } }],
    },
  ],
  [
    'tool result',
    { role: 'tool', toolCallId: 'c1', name: 'Read', content: 'r', isError: false },
    { role: 'tool', tool_call_id: 'c1', content: 'r' },
  ],
];

test.each(table)('%s has its wire form', (_name, message, expected) => {
  expect(toWireMessages([message], { returnReasoning: false })).toEqual([expected]);
});

test('an empty assistant message is left out', () => {
  expect(toWireMessages([assistant({})], { returnReasoning: true })).toEqual([]);
});

describe('reasoning', () => {
  const thought = assistant({ content: 'a', reasoning: { field: 'thinking', text: 'hm' } });
  test('is sent back under its own name, or not at all', () => {
    expect(toWireMessages([thought], { returnReasoning: true })).toEqual([
      { role: 'assistant', content: 'a', thinking: 'hm' },
    ]);
    expect(toWireMessages([thought], { returnReasoning: false })).toEqual([
      { role: 'assistant', content: 'a' },
    ]);
  });

  test('is sent empty with calls that another model made without it', () => {
    const [sent] = toWireMessages([assistant({ toolCalls: [call] })], { returnReasoning: true });
    expect(sent).toMatchObject({ reasoning_content: '' });
  });
});

test.each([
  ['functions.Read', 'functions_Read'],
  ['', 'unknown'],
  ['Bash\n{"a":1}', 'Bash___a__1_'],
  ['x'.repeat(99), 'x'.repeat(64)],
])('the invented name %j is sent as %j', (name, expected) => {
  const [sent] = toWireMessages([assistant({ toolCalls: [{ ...call, name }] })], { returnReasoning: false });
  expect(sent).toMatchObject({ tool_calls: [{ function: { name: expected } }] });
});

test('no string that is sent contains half a character, and arguments remain the same JSON otherwise', () => {
  const anyText = fc.string({ unit: fc.constantFrom('a', '😀', '\ud83d', '\ude00', '"', '\\') });
  fc.assert(
    fc.property(anyText, fc.boolean(), (text, returnReasoning) => {
      const messages: Message[] = [
        { role: 'system', content: text },
        { role: 'user', content: [{ type: 'text', text }] },
        assistant({
          content: `x${text}`,
          reasoning: { field: 'reasoning', text },
          toolCalls: [{ ...call, arguments: JSON.stringify({ text }) }],
        }),
        { role: 'tool', toolCallId: 'c1', name: 'Read', content: text, isError: false },
      ];
      const sent = JSON.stringify(toWireMessages(messages, { returnReasoning }));
      expect(sent).not.toMatch(/\\ud[89a-f]/); // stringify escapes lone surrogates, and only those
      const [, , reply] = JSON.parse(sent) as [
        never,
        never,
        { tool_calls: [{ function: { arguments: string } }] },
      ];
      const sentArguments = reply.tool_calls[0].function.arguments;
      if (text.isWellFormed()) expect(sentArguments).toBe(JSON.stringify({ text }));
      else expect(JSON.parse(sentArguments)).toEqual({ text: text.toWellFormed() });
    }),
  );
});

test('tools are sent as functions, and without tools there is no list', () => {
  const parameters = { type: 'object', properties: {} };
  expect(toWireTools([])).toBeUndefined();
  expect(toWireTools([{ name: 'Read', description: 'd', parameters }])).toEqual([
    { type: 'function', function: { name: 'Read', description: 'd', parameters } },
  ]);
});
