import { expect, test } from 'vitest';
import { ContextBuilder, DEFAULT_CONTEXT_CONFIG } from '../../src/context/index.ts';
import type { Message } from '../../src/protocol/messages.ts';

const user = (content: string): Message => ({ role: 'user', content });
const reply = (content: string): Message => ({ role: 'assistant', content, toolCalls: [] });
const step = (id: string, output: string): Message[] => [
  { role: 'assistant', content: '', toolCalls: [{ id, name: 'Read', arguments: '{}' }] },
  { role: 'tool', toolCallId: id, name: 'Read', content: output, isError: false },
];
const thread = {
  summary: 'They chose foxes.',
  memories: ['prefers tabs'],
  messages: [user('first'), reply('yes'), user('second'), ...step('a', 'text '.repeat(50))],
};

test('the parts of a request are in cache order, and their tokens add up to the total', () => {
  const built = new ContextBuilder().buildContext(thread, 'second', 'You are a helper.');
  expect(built.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'user',
    'user',
    'assistant',
    'user',
    'assistant',
    'tool',
    'user',
  ]);
  const { total, ...parts } = built.tokenStats;
  expect(Object.values(parts).reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
  expect(total).toBeLessThanOrEqual(DEFAULT_CONTEXT_CONFIG.totalBudget);
  expect(built.metadata).toMatchObject({ usedSummary: true, retrievedMemoryCount: 1 });
});

test('each part can be turned off', () => {
  const off = { enableSummary: false, enableMemoryRetrieval: false, enableInstructionPinning: false };
  const built = new ContextBuilder(off).buildContext(thread, 'second', 'S');
  const text = JSON.stringify(built.messages);
  expect(text).not.toContain('foxes');
  expect(text).not.toContain('tabs');
  expect(text).not.toContain('current goal');
  const builder = new ContextBuilder();
  builder.setConfig({ slidingWindowSize: 1 });
  expect(JSON.stringify(builder.buildContext(thread, 'second', 'S').messages)).not.toContain('first');
});

test('the current prompt appears once and in full, even if it is larger than the budget', () => {
  const builder = new ContextBuilder({ totalBudget: 4000 });
  const prompt = 'Do it thoroughly. '.repeat(2000);
  for (const includeCurrentInput of [true, false]) {
    const { messages } = builder.buildContext(
      { messages: [user('Do it thoroughly, but not now.')] },
      prompt,
      'S',
      {
        includeCurrentInput,
      },
    );
    expect(messages.filter(({ content }) => content === prompt)).toHaveLength(1);
  }
});

test('a call and its result are sent together or not at all', () => {
  const messages = [
    user('go'),
    ...Array.from({ length: 40 }, (_, at) => step(`c${at}`, 'x '.repeat(400))).flat(),
  ];
  const built = new ContextBuilder({ totalBudget: 6000 }).buildContext({ messages }, 'go', 'S');
  const roles = built.messages
    .map(({ role }) => role)
    .filter((role) => role === 'tool' || role === 'assistant');
  expect(roles.length % 2).toBe(0);
  expect(built.tokenStats.total).toBeLessThanOrEqual(6000);
  expect(built.metadata.excludedMessageCount).toBeGreaterThan(0);
});

test('the simple context is the system prompt, earlier messages and the prompt', () => {
  expect(
    new ContextBuilder().buildSimpleContext('S', 'hi', [user('a'), reply('b')]).map(({ role }) => role),
  ).toEqual(['system', 'user', 'assistant', 'user']);
});
