import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateLarge, estimateTokens, HIGH } from '../../../src/context/tokens/estimate.ts';
import { sumOf } from '../../../src/context/tokens/weigh.ts';

const pieces = [
  'word ',
  '中文字符',
  '😀',
  'a',
  '\n    ',
  '{"key": 12345},\n',
  '3f2504e04f8911d3',
  '-=+',
  'привіт ',
];
const block = fc
  .tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 30_000 }))
  .map(([piece, times]) => piece.repeat(times));

test('a sample is never below the estimate of the whole by more than its error', { tags: 'long' }, () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 2, maxLength: 8 }), (blocks) => {
      const text = blocks.join('');
      const { classes, error } = estimateLarge(text, HIGH);
      const whole = estimateTokens(text, HIGH);
      expect(sumOf(classes)).toBeGreaterThanOrEqual(whole - error - 1);
      if (text.length <= 65_536) expect(error).toBe(0);
    }),
    { numRuns: 150 },
  );
});

test.each(pieces.map((piece) => [piece]))(
  'a megabyte of %j is estimated from few characters, and near',
  (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const { classes, error } = estimateLarge(text, HIGH);
    const whole = estimateTokens(text, HIGH);
    expect(error).toBeGreaterThan(0);
    expect(Math.abs(sumOf(classes) - error - whole)).toBeLessThan(0.05 * whole + 3000);
  },
);

test('a dense stretch that hides between samples is within the error', () => {
  const text = ' '.repeat(500_000) + '中'.repeat(12_000) + ' '.repeat(500_000);
  const { classes, error } = estimateLarge(text, HIGH);
  expect(sumOf(classes)).toBeGreaterThanOrEqual(estimateTokens(text, HIGH) - error);
});
