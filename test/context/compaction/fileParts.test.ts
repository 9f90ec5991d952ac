import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FilePart, importantPart, isShownElsewhere } from '../../../src/context/compaction/fileParts.ts';
import type { FileSpot } from '../../../src/context/FileAnalyzer.ts';

const tokensOf = ({ label, text }: Pick<FilePart, 'label' | 'text'>): number =>
  Math.ceil((label.length + text.length) / 4);
const lines = Array.from({ length: 1000 }, (_, index) => `line ${index + 1} of the file`);
const fileWith = (shown: Iterable<number> = []) => ({
  lines,
  isAll: true,
  shown: new Set([...shown].map((n) => n - 1)),
});
const partOf = (
  spots: readonly FileSpot[],
  maxTokens = 1000,
  maxLines = 1000,
  shown: Iterable<number> = [],
) => importantPart(fileWith(shown), spots, { maxLines, maxTokens, tokensOf });
const numbersIn = ({ text }: FilePart): number[] =>
  [...text.matchAll(/^line (\d+) of the file$/gm)].map(([, n]) => Number(n));
const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('a file that fits is quoted in full, with or without spots', () => {
  for (const spots of [[], [{ type: 'lines', from: 10, to: 20 } as const]])
    expect(partOf(spots, 100_000)).toEqual({
      label: 'whole file, 1000 lines',
      text: lines.join('\n'),
      lines: 1000,
      isWhole: true,
    });
});

test('without spots, the beginning is quoted, and the label says how much', () => {
  const part = partOf([]);
  expect(part.text.startsWith('line 1 of the file\nline 2 of the file\n')).toBe(true);
  expect(part.label).toBe(`lines 1-${part.lines} of 1000`);
  expect(numbersIn(part)).toEqual(from(1, part.lines));
});

test('lines around edits and reads are shown in file order, each part with its line numbers', () => {
  const part = partOf([
    { type: 'lines', from: 800, to: 803 },
    { type: 'text', text: 'line 300 of the file\nline 301 of the file' },
  ]);
  expect(part.label).toBe('2 parts of 1000 lines');
  expect(part.text).toMatch(/^\[lines \d+-\d+\]\nline \d+/);
  for (const line of [292, 300, 301, 309, 792, 800, 803, 811])
    expect(part.text).toContain(`\nline ${line} of`);
  expect(part.text.indexOf('line 300 ')).toBeLessThan(part.text.indexOf('line 800 '));
  expect(part.text).not.toContain('line 1 of');
  expect(part.text).not.toContain('line 500 of');
});

test('if not all of them fit, the newest are shown', () => {
  const spots = [100, 400, 700].map((at): FileSpot => ({ type: 'lines', from: at, to: at + 2 }));
  const { text } = partOf(spots, 220);
  expect(text).toContain('line 700 of');
  expect(text).toContain('line 400 of');
  expect(text).not.toContain('line 100 of');
});

describe('if a spot does not fit with the lines around it', () => {
  const spot: FileSpot = { type: 'lines', from: 500, to: 503 };

  test.each([
    [60, 1000],
    [1000, 6],
  ])('it is shown with fewer lines (%s tokens, %s lines)', (maxTokens, maxLines) => {
    const part = partOf([spot], maxTokens, maxLines);
    expect(numbersIn(part)).toEqual(expect.arrayContaining([500, 501, 502, 503]));
    expect(part.lines).toBeLessThan(12);
    expect(part.label).toMatch(/^lines \d+-\d+ of 1000$/);
  });

  test('its own beginning is shown, not the beginning of the file', () => {
    const part = partOf([{ type: 'lines', from: 500, to: 700 }], 120);
    expect(numbersIn(part)).toEqual(from(500, 499 + part.lines));
    expect(part.label).toBe(`lines 500-${499 + part.lines} of 1000`);
  });
});

test('a single line that is too long is cut, and the label says so', () => {
  const long = { lines: ['a', 'x'.repeat(4000), 'b'], isAll: true, shown: new Set([0]) };
  const part = importantPart(long, [], { maxLines: 10, maxTokens: 100, tokensOf });
  expect(part.label).toBe('line 2 of 3, cut');
  expect(part.text).toMatch(/^x+…$/);
  expect(tokensOf(part)).toBeLessThanOrEqual(100);
  const only = { lines: ['x'.repeat(4000)], isAll: true, shown: new Set<number>() };
  expect(importantPart(only, [], { maxLines: 10, maxTokens: 100, tokensOf })).toMatchObject({
    label: 'line 1 of 1, cut',
    isWhole: false,
  });
});

test('a file that was not read to its end has more lines than are known', () => {
  const part = importantPart({ ...fileWith(), isAll: false }, [], {
    maxLines: 10,
    maxTokens: 1000,
    tokensOf,
  });
  expect(part).toMatchObject({ label: 'lines 1-10 of more than 1000', isWhole: false });
});

test('lines that are shown elsewhere are not quoted again', () => {
  const edit: FileSpot = { type: 'text', text: 'line 300 of the file' };
  expect(numbersIn(partOf([edit], 200, 1000, from(295, 299)))).not.toContain(297);
  expect(numbersIn(partOf([edit], 200, 1000, from(295, 299)))).toContain(300);
  // A spot shown elsewhere makes room for another.
  const read: FileSpot = { type: 'lines', from: 700, to: 720 };
  expect(numbersIn(partOf([edit, read], 200, 1000, from(690, 730)))).toContain(300);
  expect(partOf([], 100_000, 1000, from(1, 600)).label).toBe('lines 601-1000 of 1000');
});

test('a file counts as shown elsewhere if all of it is, or all of its spots are', () => {
  const spots: readonly FileSpot[] = [
    { type: 'lines', from: 10, to: 20 },
    { type: 'text', text: 'gone' },
  ];
  expect(isShownElsewhere(fileWith(from(1, 1000)), [])).toBe(true);
  expect(isShownElsewhere(fileWith(from(5, 25)), spots)).toBe(true);
  expect(isShownElsewhere(fileWith(from(15, 25)), spots)).toBe(false);
  expect(isShownElsewhere(fileWith(from(5, 25)), [])).toBe(false);
  expect(isShownElsewhere(fileWith(), spots)).toBe(false);
});

test('text that is gone from the file and lines beyond its end are not spots', () => {
  expect(
    partOf([
      { type: 'text', text: 'no such line' },
      { type: 'lines', from: 5000, to: 5010 },
    ]),
  ).toEqual(partOf([]));
  expect(partOf([{ type: 'text', text: '\n' }])).toEqual(partOf([]));
});

test('both limits hold, every line is new, the label is correct, and the newest edit is included', {
  tags: 'long',
}, () => {
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
      fc.array(fc.integer({ min: 1, max: 990 }), { maxLength: 4 }),
      (drafts, maxTokens, maxLines, seen) => {
        const spots = drafts.map((one) => (one.type === 'lines' ? { ...one, to: one.from + one.to } : one));
        const shown = new Set(seen.flatMap((first) => from(first, first + 9)));
        const part = partOf(spots, maxTokens, maxLines, shown);
        expect(tokensOf(part)).toBeLessThanOrEqual(maxTokens);
        expect(part.lines).toBeLessThanOrEqual(maxLines);
        if (part.label.endsWith('cut')) return;
        const quoted = numbersIn(part);
        expect(quoted).toHaveLength(part.lines);
        expect(quoted.filter((number) => shown.has(number))).toEqual([]);
        const named = [
          ...`${part.label}\n${part.text}`.matchAll(/^\[?lines? (\d+)(?:-(\d+))?( of 1000|\])$/gm),
        ];
        expect(named.flatMap(([, first, last = first]) => from(Number(first), Number(last)))).toEqual(quoted);
        const last = spots.at(-1);
        const number = last?.type === 'text' ? Number(/\d+/.exec(last.text)?.[0]) : undefined;
        if (number !== undefined && !shown.has(number)) expect(quoted).toContain(number);
      },
    ),
    { numRuns: 300 },
  );
});
