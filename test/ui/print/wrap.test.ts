import headless from '@xterm/headless';
import fc from 'fast-check';
import fullStringWidth from 'string-width';
import { expect, test } from 'vitest';
import { reveal } from '../../../src/protocol/text/reveal.ts';
import { paintLine, wrapColumns, wrapSpans, wrapText } from '../../../src/ui/print/spans.ts';
import {
  drawnWidth,
  padEnd,
  padStart,
  takeColumns,
  textWidth,
  truncate,
} from '../../../src/ui/print/width.ts';

const mixed = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'word',
        'a',
        ' ',
        '  ',
        '中文字',
        '。',
        '（',
        '日本',
        '한국어',
        '👩‍👩‍👧',
        '🇩🇪',
        'é',
        'ᄀ'.repeat(40),
        'हिन्दी',
        '\n',
        '.',
        '—',
      ),
      fc.string({ maxLength: 12 }).map((text) => text.replace(/[\u0000-\u001f\u007f]/g, '')),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

test('the cursor moves as string-width has it, and no text takes more columns than are counted', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      expect(drawnWidth(text)).toBe(fullStringWidth(text));
      expect(textWidth(text)).toBeGreaterThanOrEqual(drawnWidth(text));
    }),
  );
  expect(textWidth('\u001b[31mred\u001b[39m')).toBe(3);
});

test.each([
  ['Chinese and Latin letters', '中文 äöü', 8],
  ['Japanese and Korean', 'かな、カナ。한국어', 18],
  ['emoji and flags', '😀 ✅ 🇩🇪 ❤️', 11],
  ['a family, each of whom some terminals draw', '👩‍👩‍👧', 6],
  ['a syllable of many Hangul letters', `${'ᄀ'.repeat(40)}ᅡ`, 81],
  ['circled numbers, wide in some terminals', '㉈㉏', 4],
])('counts the most columns that terminals draw: %s', (_, text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test('a terminal that adds up characters draws no more columns than are counted', async () => {
  const lines: string[] = [];
  for (let code = 0xa1; code < 0x20000; code += 1) {
    const text = `a${String.fromCodePoint(code)}`;
    // These are known to take two columns, or none that can be drawn.
    if (/[\p{sc=Han}\p{sc=Tang}가-힣\p{Co}\p{Cs}]/u.test(text)) continue;
    if (reveal(text) === text) lines.push(text);
  }
  const terminal = new headless.Terminal({
    cols: 6,
    rows: 2,
    scrollback: lines.length,
    allowProposedApi: true,
  });
  await new Promise<void>((done) => terminal.write(lines.map((line) => `${line}|\r\n`).join(''), done));
  const { active } = terminal.buffer;
  const wrong = lines.filter((text, row) => {
    const line = active.getLine(row);
    const drawn = [0, 1, 2, 3, 4, 5].find((x) => line?.getCell(x)?.getChars() === '|') ?? 6;
    return drawn > textWidth(text);
  });
  expect(wrong).toEqual([]);
});

test('a grapheme that is wider than a line is broken', () => {
  const rows = wrapColumns([{ text: `ab${'ᄀ'.repeat(9)}ᅡcd` }], 6).map(paintLine);
  expect(rows).toEqual(['abᄀᄀ', 'ᄀᄀᄀ', 'ᄀᄀᄀ', '가cd']);
});

test.each([
  ['short', 10, 'end', 'short'],
  ['too long here', 8, 'end', 'too lon…'],
  ['/home/me/project', 8, 'start', '…project'],
  ['中文字符', 5, 'end', '中文…'],
  ['中文字符', 4, 'end', '中…'],
  ['👩‍👩‍👧 family', 8, 'end', '👩‍👩‍👧 …'],
  ['x', 0, 'end', ''],
  ['xy', 1, 'end', '…'],
] as const)('cuts %j to %d columns (%s)', (text, columns, cut, expected) => {
  expect(truncate(text, columns, cut)).toBe(expected);
});

test('cut text never takes more columns than allowed, and text that fits is unchanged', () => {
  fc.assert(
    fc.property(
      mixed,
      fc.nat({ max: 30 }),
      fc.constantFrom('end' as const, 'start' as const),
      (text, columns, cut) => {
        const line = text.replaceAll('\n', '');
        const short = truncate(line, columns, cut);
        expect(textWidth(short)).toBeLessThanOrEqual(columns);
        if (textWidth(line) <= columns) expect(short).toBe(line);
        expect(line.startsWith(takeColumns(line, columns))).toBe(true);
      },
    ),
  );
});

test('padding fills wide text to the column count', () => {
  expect(padEnd('中', 4)).toBe('中  ');
  expect(padStart('7', 3)).toBe('  7');
  expect(padEnd('longer', 3)).toBe('longer');
});

test.each([
  ['breaks at spaces', 'the quick brown fox', 10, ['the quick', 'brown fox']],
  ['breaks a word that is wider than a line', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['puts such a word on its own line', 'ab cdefgh', 4, ['ab', 'cdef', 'gh']],
  ['keeps line ends and indents', 'a\n  b', 10, ['a', '  b']],
  ['breaks between Chinese characters', '中文没有空格', 6, ['中文没', '有空格']],
  ['starts no line with a full stop', '一二三。四', 6, ['一二', '三。四']],
  ['ends no line with an opening bracket', '一二（三）', 6, ['一二', '（三）']],
  ['keeps an emoji sequence whole', 'ab👩‍👩‍👧👩‍👩‍👧', 8, ['ab👩‍👩‍👧', '👩‍👩‍👧']],
  ['keeps empty lines', 'a\n\nb', 5, ['a', '', 'b']],
])('%s', (_, text, columns, expected) => {
  expect(wrapText(text, columns)).toEqual(expected);
});

test('wrapped prose fits, and loses nothing but spaces and line ends', () => {
  fc.assert(
    fc.property(mixed, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const lines = wrapText(text, columns);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('').replace(/ /g, '')).toBe(text.replace(/[ \n]/g, ''));
    }),
  );
});

test('wrapped code fits and loses nothing', () => {
  fc.assert(
    fc.property(mixed, fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const code = text.replaceAll('\n', '');
      const lines = wrapColumns([{ text: code }], columns).map(paintLine);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('')).toBe(code);
    }),
  );
});

test('a style across a line end is applied to each line separately', () => {
  const paint = (text: string): string => `<${text}>`;
  const lines = wrapSpans([{ text: 'say ' }, { text: 'hello world', paint }, { text: '!' }], 10).map(
    paintLine,
  );
  expect(lines).toEqual(['say <hello>', '<world>!']);
});
