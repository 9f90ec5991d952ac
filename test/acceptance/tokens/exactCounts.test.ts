/** Exact counts with a vocabulary. */
import { expect, test } from 'vitest';
import { TokenCounter } from '../../../src/context/index.ts';
import { countExactly } from '../../../src/context/tokens/exact/countExactly.ts';
import { loadVocabulary } from '../../../src/context/tokens/exact/vocabulary.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { cpuMs } from '../../cpuTime.ts';
import { runPrint } from '../support/project.ts';

const fixtures = [
  '',
  'Hello, world!',
  'export function parse(text: string): Node[] {\n  return text.split(/\\s+/).map(toNode);\n}\n',
  '请把解析器里的错误修好，并且不要改动测试。',
  'パーサーのバグを直してください。 한국어도 있습니다. Привет, мир! مرحبا',
  '😀👩‍👩‍👧‍👦🇩🇪 naïve café — “quotes” …',
  '<|endoftext|> <|fim_prefix|> <|im_start|>user',
  '{"a":[1,2,{"b":null}],"c":"\\u00e9"}\t\r\n   \n\n',
  'c2hvcnQgYmFzZTY0IHRleHQ=',
];

test.each(['o200k_base', 'cl100k_base'] as const)(
  'counts equal the reference for %s',
  { tags: 'long' },
  async (name) => {
    const vocabulary = await loadVocabulary(name);
    const { getEncoding } = await import('js-tiktoken');
    const reference = getEncoding(name);
    const encoder = {
      count: async (_: string, texts: readonly string[]) =>
        texts.map((text) => countExactly(vocabulary, text)),
      close: () => undefined,
    };
    const counter = new TokenCounter({ encoder });
    counter.setModel({ tokenizer: name });
    const messages: Message[] = fixtures.map((content) => ({ role: 'user', content }));
    const call = { id: 'call_1', name: 'Read', arguments: '{"file_path":"a.ts"}' };
    const calling: Message = { role: 'assistant', content: 'I read.', toolCalls: [call] };
    await counter.refine([...messages, calling]);
    const tokens = (text: string): number => reference.encode(text, [], []).length;
    for (const [index, content] of fixtures.entries())
      expect([content, counter.countTokens(messages.slice(index, index + 1))]).toEqual([
        content,
        tokens(content) + 4 + 3,
      ]);
    const all = fixtures.reduce((sum, content) => sum + tokens(content) + 4, 3);
    expect(counter.countTokens(messages)).toBe(all);
    const parts = tokens('I read.') + tokens(call.id) + tokens(call.name) + tokens(call.arguments);
    expect(counter.countTokens([calling])).toBe(parts + 4 + 10 + 3);
    counter.clearCache();
    expect(counter.getCacheSize()).toBe(0);
  },
);

test('forty thousand "a" take less than a second, and exactly 80 % triggers', async () => {
  const o200k = await loadVocabulary('o200k_base');
  const counter = new TokenCounter();
  for (const text of ['a'.repeat(40_000), '中'.repeat(40_000), '-'.repeat(40_000), ' '.repeat(40_000)]) {
    expect(cpuMs(() => countExactly(o200k, text), 3)).toBeLessThan(1000);
    expect(cpuMs(() => counter.countText(text), 3)).toBeLessThan(1000);
  }
  for (const window of [35, 1000, 8192, 128_000, 1_000_000]) {
    expect(counter.shouldCompact(Math.ceil(window * 0.8), window)).toBe(true);
    expect(counter.shouldCompact(Math.ceil(window * 0.8) - 1, window)).toBe(false);
  }
  expect(counter.estimateTokens('中'.repeat(150))).toBe(100);
  expect(counter.estimateTokens('a'.repeat(400))).toBe(100);
});

test('a session’s counter learns from the server’s counts', { tags: 'long' }, async () => {
  const text = 'Please explain what the scanner does. '.repeat(200);
  const report = (n: number) => ({
    text: `Answer ${n}.`,
    usage: { prompt_tokens: 9000 + n, completion_tokens: 3 },
  });
  const first = await runPrint(text, { replies: [report(1)] });
  const second = await first.again('more', { replies: [report(20)] });
  const used = second.result?.context_usage.used_tokens ?? 0;
  expect(Math.abs(used - 9020) / 9020).toBeLessThan(0.05);
});
