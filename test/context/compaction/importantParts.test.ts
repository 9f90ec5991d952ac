import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importantParts } from '../../../src/context/compaction/snippets.ts';
import type { FileSpot } from '../../../src/context/FileAnalyzer.ts';

const tokensOf = (text: string): number => Math.ceil(text.length / 4);
const file = Array.from({ length: 1000 }, (_, index) => `line ${index + 1} of the file`).join('\n');
const parts = (spots: readonly FileSpot[], maxTokens = 1000, maxLines = 1000): string =>
  importantParts(file, spots, { maxLines, maxTokens, tokensOf });

test('what fits is quoted whole, spots or none', () => {
  expect(parts([], 100_000)).toBe(file);
  expect(parts([{ type: 'lines', from: 10, to: 20 }], 100_000)).toBe(file);
});

test('without spots it is the beginning, with a word that it goes on', () => {
  const text = parts([]);
  expect(text.startsWith('line 1 of the file\nline 2 of the file\n')).toBe(true);
  expect(text.endsWith('\n... (truncated)')).toBe(true);
});

test('the lines around an edit and a read are shown, in the order of the file, each part with its lines', () => {
  const text = parts([
    { type: 'lines', from: 800, to: 803 },
    { type: 'text', text: 'line 300 of the file\nline 301 of the file' },
  ]);
  expect(text).toMatch(/^\[lines \d+-\d+ of 1000\]\nline \d+/);
  for (const line of [292, 300, 301, 309, 792, 800, 803, 811]) expect(text).toContain(`\nline ${line} of`);
  expect(text.indexOf('line 300 ')).toBeLessThan(text.indexOf('line 800 '));
  expect(text).not.toContain('line 1 of');
  expect(text).not.toContain('line 500 of');
});

test('where not all of them fit, the newest do', () => {
  const spots = [100, 400, 700].map((from): FileSpot => ({ type: 'lines', from, to: from + 2 }));
  const text = parts(spots, 220);
  expect(text).toContain('line 700 of');
  expect(text).toContain('line 400 of');
  expect(text).not.toContain('line 100 of');
});

test('text that is gone from the file and lines beyond its end are no spots', () => {
  expect(
    parts([
      { type: 'text', text: 'no such line' },
      { type: 'lines', from: 5000, to: 5010 },
    ]),
  ).toBe(parts([]));
  expect(parts([{ type: 'text', text: '\n' }])).toBe(parts([]));
});

test('both limits hold, every line is one of the file, and the newest spot that fits is in it', () => {
  const spot = fc.oneof(
    fc.record({
      type: fc.constant('lines' as const),
      from: fc.integer({ min: 1, max: 1100 }),
      to: fc.nat(60),
    }),
    fc.record({
      type: fc.constant('text' as const),
      text: fc.integer({ min: 1, max: 1000 }).map((at) => `line ${at} of`),
    }),
  );
  fc.assert(
    fc.property(
      fc.array(spot, { maxLength: 12 }),
      fc.integer({ min: 20, max: 3000 }),
      fc.integer({ min: 2, max: 600 }),
      (drafts, maxTokens, maxLines) => {
        const spots = drafts.map((one) => (one.type === 'lines' ? { ...one, to: one.from + one.to } : one));
        const text = parts(spots, maxTokens, maxLines);
        expect(tokensOf(text)).toBeLessThanOrEqual(maxTokens);
        const lines = text
          .split('\n')
          .filter((line) => !line.startsWith('[lines ') && line !== '... (truncated)');
        expect(lines.length).toBeLessThanOrEqual(maxLines);
        expect(lines.filter((line) => !/^line \d+ of the file$/.test(line))).toEqual([]);
        const last = spots.at(-1);
        if (last?.type === 'text' && maxTokens > 150 && maxLines > 20) expect(text).toContain(last.text);
      },
    ),
    { numRuns: 300 },
  );
});
