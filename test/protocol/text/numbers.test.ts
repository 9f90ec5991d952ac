import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grouped } from '../../../src/protocol/text/numbers.ts';

test('every whole number is written as in American English', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(grouped(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
  const figures = [0, 999, 1000, -1000, 1_234_567, 12_345.6].map(grouped);
  expect(figures).toEqual(['0', '999', '1,000', '-1,000', '1,234,567', '12,346']);
});
