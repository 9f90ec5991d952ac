import fc from 'fast-check';
import { expect, test } from 'vitest';
import { perFile } from '../../src/tools/grep.ts';

test('every file is included while there is a line or two for each, and the limit always holds', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 100 }), (counts, limit) => {
      const files = counts.map((count, file) => ({
        path: `f${file}`,
        lines: Array.from({ length: count }, (_, line) => `f${file}:${line}`),
      }));
      const all = counts.reduce((sum, count) => sum + count, 0);
      const shown = perFile(files, limit);
      expect(shown.length).toBeLessThanOrEqual(limit);
      if (all <= limit) expect(shown).toHaveLength(all);
      if (2 * files.length <= limit)
        expect(files.filter(({ path }) => !shown.includes(`${path}:0`))).toEqual([]);
    }),
  );
});

test('omitted matches are counted', () => {
  const lines = (path: string, count: number) =>
    Array.from({ length: count }, (_, line) => `${path}:${line}`);
  const files = [
    { path: 'a', lines: lines('a', 5) },
    { path: 'b', lines: lines('b', 1) },
  ];
  expect(perFile(files, 4)).toEqual(['a:0', 'a:1', 'a: (+3 more in this file)', 'b:0']);
});
