import { expect, test } from 'vitest';
import {
  estimateMessagesTokens,
  estimateTokens,
  estimateTokensCached,
} from '../../../src/context/tokens/estimate.ts';
import { fingerprint, TokenCache } from '../../../src/context/tokens/TokenCache.ts';

test('100,000 texts leave no more in the cache than it may hold', () => {
  const cache = new TokenCache({ maxEntries: 500, maxBytes: 1_000_000 });
  for (let index = 0; index < 100_000; index++) estimateTokensCached(`text ${index}`, cache);
  expect(cache.size).toBe(500);
  const small = new TokenCache({ maxEntries: 500, maxBytes: 16_000 });
  for (let index = 0; index < 1000; index++) small.set(`key ${index}`, index);
  expect(small.bytes).toBeLessThanOrEqual(16_000);
  expect(small.size).toBeGreaterThan(10);
});

test('what was used last is forgotten last', () => {
  const cache = new TokenCache({ maxEntries: 2, maxBytes: 1_000_000 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  expect(cache.tokens).toBe(4);
});

test('texts that differ in one character have different fingerprints', () => {
  const text = 'The quick brown fox. '.repeat(20);
  const seen = new Set([fingerprint(text)]);
  for (let index = 0; index < text.length; index++) {
    seen.add(fingerprint(`${text.slice(0, index)}~${text.slice(index + 1)}`));
  }
  expect(seen.size).toBe(text.length + 1);
});

test('a remembered estimate is the estimate, and messages have four tokens more each', () => {
  const texts = ['', 'abc', '中文字符', 'a'.repeat(400)];
  for (const text of [...texts, ...texts]) expect(estimateTokensCached(text)).toBe(estimateTokens(text));
  const sum = texts.reduce((total, text) => total + estimateTokens(text), 0);
  expect(estimateMessagesTokens(texts.map((content) => ({ content })))).toBe(sum + 16);
});
