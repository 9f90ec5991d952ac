/** Counting texts and messages. */
import { expect, test } from 'vitest';
import { TokenCounter, type TokenEncoder } from '../../../src/context/index.ts';
import { countExactly } from '../../../src/context/tokens/exact/countExactly.ts';
import { loadVocabulary } from '../../../src/context/tokens/exact/vocabulary.ts';
import type { Message } from '../../../src/protocol/messages.ts';

const o200k = await loadVocabulary('o200k_base');
const cl100k = await loadVocabulary('cl100k_base');
const encoder: TokenEncoder = {
  count: async (name, texts) =>
    texts.map((text) => countExactly(name === 'o200k_base' ? o200k : cl100k, text)),
  close: () => undefined,
};
const chinese = '请把解析器里的错误修好，并且不要改动测试。';

test('`TokenCounter` counts texts and messages, and its cache can be inspected and cleared', async () => {
  const counter = new TokenCounter({ encoder });
  counter.setModel({ tokenizer: 'o200k_base' });
  const message: Message = { role: 'user', content: chinese };
  const call = { id: 'call_1', name: 'Read', arguments: '{"file_path":"src/a.ts"}' };
  const calling: Message = {
    role: 'assistant',
    content: chinese,
    toolCalls: [call, { ...call, id: 'call_2' }],
  };
  await counter.refine([message, calling]);
  const text = countExactly(o200k, chinese);
  expect(counter.countMessage(message)).toBe(text + 4);
  expect(counter.countMessage(calling)).toBeGreaterThan(text + 4 + 20);
  expect(counter.countMessages([message, calling])).toBe(
    counter.countMessage(message) + counter.countMessage(calling) + 3,
  );
  expect(counter.countText(chinese)).toBe(text);
  expect(counter.getCacheSize()).toBeGreaterThan(0);
  expect(counter.getCacheStats().cachedMessages).toBe(2);
  expect(counter.getCacheStats().totalCachedTokens).toBeGreaterThan(0);
  counter.clearCache();
  expect([counter.getCacheSize(), counter.getCacheStats()]).toEqual([
    0,
    { cachedMessages: 0, totalCachedTokens: 0 },
  ]);
});

test('the vocabulary depends on the model', async () => {
  const [newer, older] = [new TokenCounter({ encoder }), new TokenCounter({ encoder })];
  newer.setModel({ tokenizer: 'o200k_base' });
  older.setModel({ tokenizer: 'cl100k_base' });
  expect(await newer.countTextAsync(chinese)).toEqual({ tokens: countExactly(o200k, chinese), exact: true });
  expect(await older.countTextAsync(chinese)).toEqual({ tokens: countExactly(cl100k, chinese), exact: true });
  expect(countExactly(cl100k, chinese)).not.toBe(countExactly(o200k, chinese));
});

test('if the encoder fails, or there is none, a careful estimate is used', async () => {
  const broken = new TokenCounter({
    encoder: { count: () => Promise.reject(new Error('gone')), close: () => undefined },
  });
  broken.setModel({ tokenizer: 'o200k_base' });
  const message: Message = { role: 'user', content: chinese };
  expect(await broken.refine([message])).toBe(false);
  expect(broken.isExact([message])).toBe(false);
  for (const counter of [broken, new TokenCounter()]) {
    expect(counter.countMessage(message)).toBeGreaterThanOrEqual(countExactly(o200k, chinese) + 4);
    expect(counter.countText('abc')).toBeGreaterThanOrEqual(1);
    expect(Math.abs(counter.countText(''))).toBe(0);
  }
});
