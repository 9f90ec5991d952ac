import o200k from 'js-tiktoken/ranks/o200k_base';
import { expect, test } from 'vitest';
import { TokenCounter } from '../../../src/context/TokenCounter.ts';
import { countExactly } from '../../../src/context/tokens/exact/countExactly.ts';
import { readVocabulary, type TokenEncoder } from '../../../src/context/tokens/exact/vocabulary.ts';
import type { Message, ToolSchema } from '../../../src/protocol/messages.ts';

const vocabulary = readVocabulary(o200k);
const o200kModel = { tokenizer: 'o200k_base' } as const;
const unknownModel = { tokenizer: 'unknown' } as const;

/** Counts at once and records its inputs. */
class LocalEncoder implements TokenEncoder {
  readonly asked: (readonly string[])[] = [];
  failures = 0;

  async count(_: string, texts: readonly string[]): Promise<readonly number[]> {
    this.asked.push(texts);
    if (this.failures-- > 0) throw new Error('no thread');
    return texts.map((text) => countExactly(vocabulary, text));
  }

  close(): void {}
}

const messages: readonly Message[] = [
  { role: 'system', content: 'You are a coding agent.' },
  { role: 'user', content: '请修复 parser.ts 里的错误 <|endoftext|> 😀' },
  {
    role: 'assistant',
    content: 'Let me look.',
    reasoning: { field: 'reasoning', text: 'The parser fails on empty input.' },
    toolCalls: [{ id: 'call_1', name: 'Read', arguments: '{"file_path":"src/parser.ts","limit":200}' }],
  },
  {
    role: 'tool',
    toolCallId: 'call_1',
    name: 'Read',
    content: 'export function parse() {}\n'.repeat(40),
    isError: false,
  },
];
const tools: readonly ToolSchema[] = [
  {
    name: 'Read',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { file_path: { type: 'string' } } },
  },
];

/**
 * The definition, with counts that `countExactly.test.ts` compares with the reference: four per message, ten per call
 * and tool, three to start the reply.
 */
function reference(): number {
  const count = (text: string): number => countExactly(vocabulary, text);
  let tokens = 3 + tools.reduce((sum, tool) => sum + 10 + count(JSON.stringify(tool)), 0);
  for (const message of messages) {
    tokens += 4 + count(String(message.content));
    if (message.role === 'tool') tokens += count(message.toolCallId);
    if (message.role !== 'assistant') continue;
    tokens += count(message.reasoning?.text ?? '');
    for (const call of message.toolCalls)
      tokens += 10 + count(call.id) + count(call.name) + count(call.arguments);
  }
  return tokens;
}

test('a refined request has exactly the tokens of its parts', async () => {
  const encoder = new LocalEncoder();
  const counter = new TokenCounter({ encoder });
  counter.setModel(o200kModel);
  expect(counter.isExact(messages, tools)).toBe(false);
  expect(counter.countTokens(messages, tools)).toBeGreaterThanOrEqual(reference());
  expect(await counter.refine(messages, tools)).toBe(true);
  expect(counter.isExact(messages, tools)).toBe(true);
  expect(counter.countTokens(messages, tools)).toBe(reference());
  expect(encoder.asked).toHaveLength(1);
  expect(await counter.refine(messages, tools)).toBe(false);
  expect(encoder.asked).toHaveLength(1);
});

test('a text that was counted exactly once is exact in another message too', async () => {
  const encoder = new LocalEncoder();
  const counter = new TokenCounter({ encoder });
  counter.setModel(o200kModel);
  await counter.refine(messages);
  const copies = structuredClone(messages);
  expect(counter.countMessages(copies)).toBe(counter.countMessages(messages));
  expect(counter.isExact(copies)).toBe(true);
  expect(counter.getCacheSize()).toBeGreaterThan(4);
});

test('a model with another vocabulary is counted again, and switching back costs nothing', async () => {
  const encoder = new LocalEncoder();
  const counter = new TokenCounter({ encoder });
  const before = counter.countMessages(messages);
  counter.setModel(o200kModel);
  await counter.refine(messages);
  const exact = counter.countMessages(messages);
  counter.setModel(unknownModel);
  expect(counter.isExact(messages)).toBe(false);
  expect(counter.countMessages(messages)).toBe(before);
  expect(await counter.refine(messages)).toBe(false);
  counter.setModel(o200kModel);
  expect(counter.countMessages(messages)).toBe(exact);
  expect(encoder.asked).toHaveLength(1);
});

test('without an encoder, or with one that fails, estimates are used; after three failures it is not called again', async () => {
  const encoder = new LocalEncoder();
  encoder.failures = 99;
  const counter = new TokenCounter({ encoder });
  counter.setModel(o200kModel);
  const estimate = counter.countMessages(messages);
  for (let times = 0; times < 5; times++) expect(await counter.refine(messages)).toBe(false);
  expect(counter.countMessages(messages)).toBe(estimate);
  expect(encoder.asked).toHaveLength(3);
  expect((await counter.countTextAsync('Hello, world!')).exact).toBe(false);
  const alone = new TokenCounter();
  alone.setModel(o200kModel);
  expect(await alone.refine(messages)).toBe(false);
  expect(alone.countMessages(messages)).toBe(estimate);
});

test('one failure is forgiven', async () => {
  const encoder = new LocalEncoder();
  encoder.failures = 1;
  const counter = new TokenCounter({ encoder });
  counter.setModel(o200kModel);
  expect(await counter.refine(messages)).toBe(false);
  expect(await counter.refine(messages)).toBe(true);
  expect(counter.isExact(messages)).toBe(true);
});

test('an abort ends the wait even if the encoder hangs', async () => {
  const counter = new TokenCounter({ encoder: { count: () => new Promise(() => {}), close: () => {} } });
  counter.setModel(o200kModel);
  const abort = new AbortController();
  const refining = counter.refine(messages, tools, abort.signal);
  setTimeout(() => abort.abort(), 10);
  expect(await refining).toBe(false);
  expect(counter.isExact(messages)).toBe(false);
});

test('a large text is sent in pieces, and the sum equals the whole', async () => {
  const encoder = new LocalEncoder();
  const counter = new TokenCounter({ encoder });
  counter.setModel(o200kModel);
  const text = 'The quick brown fox, 12345 times; {"key": [1, 2]}\n'.repeat(20_000);
  expect(await counter.countTextAsync(text)).toEqual({ tokens: countExactly(vocabulary, text), exact: true });
  expect(encoder.asked.length).toBeGreaterThan(2);
  for (const texts of encoder.asked) expect(texts.join('').length).toBeLessThanOrEqual(131_072);
});

test('without a public vocabulary, a large message is first estimated from samples, then in full', async () => {
  const counter = new TokenCounter();
  counter.setModel(unknownModel);
  const message: Message = { role: 'user', content: `${'word '.repeat(60_000)}${'中'.repeat(60_000)}` };
  const first = counter.countMessage(message);
  expect(await counter.refine([message])).toBe(true);
  const whole = counter.countMessage(message);
  expect(whole).toBeLessThan(first);
  expect(whole - 4).toBe((await counter.countTextAsync(message.content as string)).tokens);
  expect(await counter.refine([message])).toBe(false);
});

test('after three replies of a server with its own vocabulary, the next request is predicted within 3 %', () => {
  const counter = new TokenCounter();
  counter.setModel(unknownModel);
  const model = 'private';
  const served = (request: readonly Message[]): number =>
    request.reduce((sum, message) => sum + 4 + countExactly(vocabulary, String(message.content)), 3);
  const blocks = [
    'Why does the parser fail on an empty line? Please look at src/parser.ts first. ',
    'export const parse = (line: string): Token[] => line.split(",").map((part) => ({ part }));\n',
    '函数在输入为空的时候应该返回一个空的列表,而不是抛出错误。',
    '2026-03-14T12:00:01.123Z ERROR [parser] failed id=48213 took 12ms\n',
  ];
  const request: Message[] = [];
  for (let step = 0; step < 4; step++) {
    for (const [index, block] of blocks.entries()) {
      request.push({ role: 'user', content: block.repeat(4 + ((step * 7 + index * 3) % 9)) });
    }
    const features = counter.featuresOf(request);
    expect(features).toHaveLength(8);
    const counted = counter.countMessages(request);
    const truth = served(request);
    if (step === 3)
      expect(Math.abs((counted * counter.ratio(model, features)) / truth - 1)).toBeLessThan(0.03);
    counter.observe(model, counted, truth, features);
  }
  expect(counter.errorShare(model)).toBeLessThan(0.2);
  expect(counter.errorShare('another')).toBe(0.25);
});

test.each([
  [79_900, 100_000, false],
  [80_000, 100_000, true],
  [28, 35, true],
  [27, 35, false],
  [102_400, 128_000, true],
  [102_399, 128_000, false],
])('%d of %d tokens: compact is %j', (tokens, window, expected) => {
  expect(new TokenCounter().shouldCompact(tokens, window)).toBe(expected);
});

test('the tokens of an image depend on its size and on the provider', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000400000004000806000000', 'hex').toString(
    'base64',
  );
  const message: Message = { role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: png }] };
  const counter = new TokenCounter();
  counter.setModel(o200kModel);
  expect(counter.countMessage(message)).toBe(4 + 765);
  counter.setModel(unknownModel);
  expect(counter.countMessage(message)).toBe(4 + 1399);
});

test('statistics count what is remembered, and clearing forgets it', async () => {
  const counter = new TokenCounter({ encoder: new LocalEncoder() });
  counter.setModel(o200kModel);
  await counter.refine(messages);
  const tokens = counter.countMessages(messages) - 3;
  expect(counter.getCacheStats().cachedMessages).toBe(messages.length);
  expect(tokens).toBeGreaterThan(0);
  counter.clearCache();
  expect(counter.getCacheSize()).toBe(0);
  expect(counter.getCacheStats()).toEqual({ cachedMessages: 0, totalCachedTokens: 0 });
  expect(counter.isExact(messages)).toBe(false);
  expect(counter.estimateTokens('中'.repeat(100))).toBe(67);
});
