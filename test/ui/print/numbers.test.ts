import { expect, test } from 'vitest';
import { count, shortTokens } from '../../../src/protocol/text/numbers.ts';
import { formatAge, formatBytes, formatCost, formatDuration } from '../../../src/ui/print/numbers.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [12_345, '12.3k'],
  [99_960, '100k'],
  [128_000, '128k'],
  [999_999, '1M'],
  [1_250_000, '1.3M'],
])('%d tokens are %s', (tokens, text) => expect(shortTokens(tokens)).toBe(text));

test.each([
  [0, '0 B'],
  [4200, '4.2 kB'],
  [1_300_000, '1.3 MB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test.each([
  [-5, '0.0s'],
  [420, '0.4s'],
  [9_999, '10s'],
  [59_400, '59s'],
  [59_600, '1m 00s'],
  [65_000, '1m 05s'],
  [7_380_000, '2h 03m'],
])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [0, '$0.00'],
  [0.00001, '<$0.0001'],
  [0.0042, '$0.0042'],
  [1.234, '$1.23'],
])('%d dollars are %s', (usd, text) => expect(formatCost(usd)).toBe(text));

const now = new Date(2026, 10, 21, 9, 0, 0);
test.each([
  ['seconds', new Date(2026, 10, 21, 8, 59, 30), 'just now'],
  ['the future (a clock set back)', new Date(2026, 10, 21, 10, 0, 0), 'just now'],
  ['minutes', new Date(2026, 10, 21, 8, 55, 0), '5 min ago'],
  ['hours', new Date(2026, 10, 21, 6, 0, 0), '3 h ago'],
  ['the same night', new Date(2026, 10, 20, 23, 30, 0), 'yesterday'],
  ['the day before', new Date(2026, 10, 20, 7, 0, 0), 'yesterday'],
  ['days', new Date(2026, 10, 17, 23, 0, 0), '4 days ago'],
  ['weeks', new Date(2026, 9, 1, 12, 0, 0), '2026-10-01'],
  ['nonsense', new Date('nonsense'), 'unknown'],
])('%s ago', (_, then, text) => expect(formatAge(then, now)).toBe(text));

test('counts in words', () => {
  expect([count(1, 'line'), count(0, 'line'), count(2, 'entry', 'entries')]).toEqual([
    '1 line',
    '0 lines',
    '2 entries',
  ]);
});
