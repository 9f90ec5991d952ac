import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitsFor } from '../../../src/context/results/boundOutput.ts';
import { truncateObservation, truncationNotice } from '../../../src/context/results/ObservationTruncator.ts';
import { cpuClock } from '../../cpuTime.ts';
import { textOf } from '../texts.ts';

const directions = ['head', 'tail', 'head_tail'] as const;
const lineCount = (text: string): number => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length);

test('both limits hold on the output, whatever the text and the direction', () => {
  const texts = fc.oneof(
    fc.array(fc.string({ maxLength: 80 }), { maxLength: 120 }).map((lines) => lines.join('\n')),
    textOf(600),
    fc.constantFrom('x'.repeat(100_000), '\n'.repeat(5000), '😀'.repeat(5000)),
  );
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom(...directions),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 3000 }),
      (text, direction, maxLines, maxBytes) => {
        const { preview, truncated } = truncateObservation(text, { maxLines, maxBytes }, direction);
        expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(maxBytes);
        expect(lineCount(preview)).toBeLessThanOrEqual(maxLines);
        expect(preview).not.toMatch(/\p{Surrogate}/u);
        expect(truncated).toBe(preview !== text);
      },
    ),
    { numRuns: 500 },
  );
});

test('a text within the limits is unchanged, final newline included', () => {
  expect(truncateObservation('a\r\nb\u2028c\n')).toMatchObject({
    truncated: false,
    preview: 'a\r\nb\u2028c\n',
  });
});

test('one line of a megabyte is cut to the bytes', () => {
  const { preview, stats } = truncateObservation('y'.repeat(1_000_000));
  expect(Buffer.byteLength(preview)).toBe(51_200);
  expect(stats).toMatchObject({ originalLines: 1, originalBytes: 1_000_000, keptLines: 1 });
});

test('six long lines in head and tail mode appear at most once each', () => {
  const lines = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(300));
  const { preview } = truncateObservation(lines.join('\n'), { maxLines: 100, maxBytes: 1200 }, 'head_tail');
  for (const line of lines) expect(preview.split(line.slice(0, 250)).length).toBeLessThanOrEqual(2);
  expect(preview.startsWith('0')).toBe(true);
  expect(preview.endsWith('5'.repeat(300))).toBe(true);
});

test('an error in the middle of a long output is kept', () => {
  const lines = Array.from({ length: 5000 }, (_, index) =>
    index === 2500 ? 'TypeError: x is not a function' : `line ${index}`,
  );
  const { preview } = truncateObservation(lines.join('\n'), undefined, 'head_tail');
  expect(preview).toContain('line 0\n');
  expect(preview).toContain('TypeError: x is not a function');
  expect(preview.endsWith('line 4999')).toBe(true);
});

test('a small window bounds a single result more tightly', () => {
  const settings = { maxLines: 2000, maxBytes: 51_200 };
  expect(limitsFor(settings, 200_000)).toEqual({ ...settings, maxTokens: 50_000 });
  expect(limitsFor(settings, 8000).maxBytes).toBe(4800);
});

test('output with only newlines or errors causes no delay', { tags: 'long' }, () => {
  for (const [line, lines] of [
    ['\n', 8_000_000],
    ['error\n', 2_000_000],
  ] as const) {
    const text = line.repeat(lines);
    const spentMs = cpuClock();
    expect(truncateObservation(text, undefined, 'head_tail').truncated).toBe(true);
    expect(spentMs()).toBeLessThan(5000);
  }
});

test('keeps at most one line of a single-line text', () => {
  const cut = truncateObservation('x'.repeat(10_000), { maxLines: 100, maxBytes: 2000 }, 'head_tail');
  expect(cut.preview).toContain('left out');
  expect(truncationNotice(cut, undefined)).toContain(' 1 of 1 lines, ');
});
