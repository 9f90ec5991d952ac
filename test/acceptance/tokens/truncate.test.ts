/** Every cut by tokens. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTokens, truncateToTokens } from '../../../src/context/index.ts';

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '中文句子。',
    '読みます！',
    'Done. ',
    'src/a.b/c.ts ',
    '😀👩‍👩‍👧',
    'a'.repeat(300),
    '0f3a9c',
    '\n',
  ),
);
const mixed = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));

test('`truncateToTokens` keeps 1,000 mixed strings within their tokens, well-formed, and complete if they fit', () => {
  let cuts = 0;
  fc.assert(
    fc.property(
      mixed,
      fc.integer({ min: 0, max: 120 }),
      fc.constantFrom('...', '', '… (cut)'),
      (text, max, suffix) => {
        const cut = truncateToTokens(text, max, suffix);
        expect(estimateTokens(cut)).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(true);
        if (estimateTokens(text) <= max) expect(cut).toBe(text);
        else {
          cuts++;
          const head = cut.slice(0, cut.length - suffix.length);
          expect(cut === '' || (cut.endsWith(suffix) && text.startsWith(head))).toBe(true);
        }
      },
    ),
    { numRuns: 1000 },
  );
  expect(cuts).toBeGreaterThan(100);
});

test('a cut falls at the end of a sentence in the second half, and not at a dot in a path', () => {
  const text = `${'word '.repeat(14)}end. ${'more '.repeat(40)}`;
  expect(truncateToTokens(text, 25)).toBe(`${'word '.repeat(14)}end....`);
  expect(truncateToTokens(`${'词'.repeat(20)}。${'字'.repeat(40)}`, 18)).toBe(`${'词'.repeat(20)}。...`);
  // The dot is in the second half of the kept text, where the end of a sentence would count.
  const path = `${'word '.repeat(14)}src/context/manager.ts${'x'.repeat(200)}`;
  expect(truncateToTokens(path, 25)).toMatch(/manager\.tsx+\.\.\.$/);
  const early = `One. ${'word '.repeat(60)}`;
  expect(truncateToTokens(early, 25).length).toBeGreaterThan(60);
});
