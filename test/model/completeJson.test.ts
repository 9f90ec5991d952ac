import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCompletenessWatch } from '../../src/model/completeJson.ts';

/** The slow way to say it. */
function isObject(text: string): boolean {
  try {
    return text.trim().startsWith('{') && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

test('text that grows is complete exactly when it is a JSON object', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      ' ',
      '\n',
      '{}',
      '{"a":',
      '"a"',
      '1',
      '{"a":"}"}',
    ),
    fc.object({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const watch = createCompletenessWatch();
      let whole = '';
      for (const one of pieces) {
        watch.pass(one);
        whole += one;
        expect(watch.isComplete(whole)).toBe(isObject(whole));
      }
    }),
    { numRuns: 2000 },
  );
});
