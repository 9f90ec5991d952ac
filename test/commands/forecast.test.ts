/** Forecasts: what reading the conversation again costs. */
import { expect, test } from 'vitest';
import { compactForecast, resumeForecast } from '../../src/commands/cost/forecast.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';

const price = { input: 10, cachedInput: 1, output: 50 };
const start = Date.UTC(2026, 4, 1, 12);
const minutes = (count: number): number => start + count * 60_000;
const entry = (more: object): JSONLEntry =>
  ({ timestamp: new Date(start).toISOString(), message: {}, ...more }) as unknown as JSONLEntry;
const reply = entry({ type: 'assistant', message: { usage: { input_tokens: 49_000, output_tokens: 1000 } } });
const boundary = entry({
  type: 'system',
  subtype: 'compact_boundary',
  compactMetadata: { postTokens: 12_000 },
});

test.each([
  ['a day later', [reply], price, 24 * 60, /again, 50,000 tokens: about \$0\.5000\.$/],
  ['without a price', [reply], undefined, 24 * 60, /again, 50,000 tokens\.$/],
  ['after a compaction', [reply, boundary], price, 24 * 60, /again, 12,000 tokens: about \$0\.1200\.$/],
])('a resume %s', (_what, entries, given, after, expected) => {
  expect(resumeForecast(entries, given, minutes(after))).toMatch(expected);
});

test.each([
  ['soon after', [reply], 30],
  [
    'a short conversation',
    [entry({ type: 'assistant', message: { usage: { input_tokens: 900, output_tokens: 1 } } })],
    999,
  ],
  ['nothing was answered', [entry({ type: 'user' })], 999],
])('a resume shows no forecast: %s', (_what, entries, after) => {
  expect(resumeForecast(entries, price, minutes(after))).toBeUndefined();
});

test('a summary reads the conversation from the cache while it is there', () => {
  expect(compactForecast([reply], 50_000, price, minutes(1))).toMatch(/about \$0\.0500, from the cache\./);
  expect(compactForecast([reply], 50_000, price, minutes(10))).toMatch(/about \$0\.5000\. Later/);
  expect(compactForecast([reply], 50_000, undefined, minutes(10))).toMatch(
    /conversation, 50,000 tokens\. Later/,
  );
  expect(compactForecast([reply], 5000, price, minutes(10))).toBeUndefined();
});
