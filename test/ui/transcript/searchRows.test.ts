import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapColumns } from '../../../src/ui/print/spans.ts';
import { findInRows, markRow, searchPattern } from '../../../src/ui/transcript/search.ts';

const find = (rows: string[], query: string) => {
  const pattern = searchPattern(query);
  return pattern === undefined ? [] : findInRows(rows, pattern);
};

test.each([
  { rows: ['one two', 'Two'], query: 'two', found: [[[0, 4, 7]], [[1, 0, 3]]] },
  { rows: ['one two', 'Two'], query: 'Two', found: [[[1, 0, 3]]] },
  {
    rows: ['the end of', '  a row'],
    query: 'of a row',
    found: [
      [
        [0, 8, 10],
        [1, 2, 7],
      ],
    ],
  },
  {
    rows: ['  ⎿ unbro', '    ken'],
    query: 'unbroken',
    found: [
      [
        [0, 4, 9],
        [1, 4, 7],
      ],
    ],
  },
  { rows: ['\u001B[1mbo\u001B[22mld'], query: 'bold', found: [[[0, 0, 4]]] },
  { rows: ['a.b', 'axb'], query: 'a.b', found: [[[0, 0, 3]]] },
  { rows: ['(x|y)*'], query: '(x|y)*', found: [[[0, 0, 6]]] },
  { rows: ['漢字を探す'], query: '字を', found: [[[0, 1, 3]]] },
  { rows: ['anything'], query: '  ', found: [] },
])('“$query” is found in $rows', ({ rows, query, found }) => {
  expect(find(rows, query).map((match) => match.map(({ row, from, to }) => [row, from, to]))).toEqual(found);
});

test('a match is found even if a row ends within it', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{3,40}$/), fc.integer({ min: 2, max: 12 }), (word, width) => {
      const rows = wrapColumns([{ text: `xx${word.toUpperCase()}xx` }], width).map((line) =>
        line.map((span) => span.text).join(''),
      );
      const [match] = find(rows, word.toUpperCase());
      expect(match?.map(({ row, from, to }) => rows[row]?.slice(from, to)).join('')).toBe(word.toUpperCase());
    }),
  );
});

test('marking changes no text and keeps every style', () => {
  const piece = fc.record({ text: fc.stringMatching(/^[a-z 漢]{0,6}$/), bold: fc.boolean() });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.nat(20), fc.nat(8), (pieces, from, length) => {
      const painted = pieces.map(({ text, bold }) => (bold ? `\u001B[1m${text}\u001B[22m` : text)).join('');
      const plain = pieces.map(({ text }) => text).join('');
      const marked = markRow(painted, [{ from, to: from + length, isCurrent: false }]);
      expect(stripVTControlCharacters(marked)).toBe(plain);
      const inverted = [...marked.matchAll(/\u001B\[7m(.*?)\u001B\[27m/g)]
        .map(([, text = '']) => text)
        .join('');
      expect(inverted).toBe(plain.slice(from, from + length));
    }),
  );
});

test('two matches on a row are distinguished', () => {
  const ranges = [
    { from: 0, to: 1, isCurrent: false },
    { from: 2, to: 3, isCurrent: true },
  ];
  expect(markRow('a b', ranges)).toBe('\u001B[7ma\u001B[27m \u001B[7;4mb\u001B[27;24m');
});
