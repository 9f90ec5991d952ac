import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fold,
  indexText,
  matches,
  parseQuery,
  snippetOf,
} from '../../../../src/context/storage/catalogue/words.ts';
import { anyText } from '../../../anyText.ts';
import { cpuClock } from '../../../cpuTime.ts';

const finds = (query: string, text: string): boolean | undefined => {
  const parsed = parseQuery(query);
  return parsed && matches(parsed, fold(text));
};

test.each([
  ['words in any order and case', 'Basket PRICE', 'the price of a basket', true],
  ['all words are required', 'basket missing', 'the price of a basket', false],
  ['whole words', 'bask', 'the price of a basket', false],
  ['the beginning of a word', 'bask*', 'the price of a basket', true],
  ['a phrase', '"price of a"', 'the price of a basket', true],
  ['a phrase across lines', '"price of"', 'the price\n  of a basket', true],
  ['not the separate words of a phrase', '"price basket"', 'the price of a basket', false],
  ['a path as a phrase', 'src/cart.ts', 'see src/cart.ts:12', true],
  ['parts of a path, in order', 'cart/src', 'see src/cart.ts', false],
  ['accents in the text are ignored', 'cafe', 'Un Café, s’il vous plaît', true],
  ['accents in the query are ignored', 'café', 'the cafe', true],
  ['Chinese inside a sentence', '购物车', '先看一下购物车是怎么计算总价的', true],
  ['Chinese in this order only', '物购车', '先看一下购物车是怎么计算总价的', false],
  ['one Chinese character', '车', '购物车', true],
  ['Japanese', 'テスト', '単体テストを実行', true],
  ['Korean inside a word', '장바', '장바구니를', true],
  ['Thai', 'ตะกร้า', 'ในตะกร้าสินค้า', true],
  ['Hindi keeps its vowel signs', 'हिन्दी', 'यह हिन्दी है', true],
  ['an unfinished quote', '"price of', 'the price of a basket', true],
  ['Han outside the basic plane', '𠮷野', '𠮷野家で', true],
])('%s', (_, query, text, expected) => {
  expect(finds(query, text)).toBe(expected);
});

test.each(['', '   ', '"" * - +', '()', 'ZWJ\u200d'.slice(3), '\ud83d'])('%j is an empty query', (query) => {
  expect(parseQuery(query)).toBeUndefined();
});

test('any text is a valid query, and the index query contains only words', {
  tags: 'long',
}, () => {
  fc.assert(
    fc.property(anyText(), anyText(), (query, text) => {
      const parsed = parseQuery(query);
      if (parsed === undefined) return;
      expect(parsed.match).toMatch(/^("[\p{L}\p{N}\p{M}\p{Co}]+"\*?( AND )?)+$/u);
      const { snippet, marks } = snippetOf(parsed, text);
      expect(snippet.isWellFormed()).toBe(true);
      expect(snippet).not.toMatch(/[\u0000-\u001f\u007f]/);
      let last = 0;
      for (const [start, end] of marks) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(snippet.length);
    }),
  );
});

test('folding keeps character positions', { tags: 'long' }, () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(fold(text)).toHaveLength(text.length);
    }),
  );
});

test('a word is found in its own text', () => {
  const word = fc.stringMatching(/^[a-zA-Zäöüéñ0-9]{1,12}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), fc.nat(), (words, pick) => {
      expect(finds(words[pick % words.length] ?? '', words.join(' '))).toBe(true);
    }),
  );
});

test('the snippet shows the words, marked, on one line', () => {
  const query = parseQuery('basket "adds up"');
  const text = `${'nothing here\n'.repeat(200)}how the\n\tbasket \u001b[31madds up its rows${' and on'.repeat(90)}`;
  const { snippet, marks } = snippetOf(query ?? never(), text);
  expect(snippet.length).toBeLessThan(200);
  expect(snippet).toMatch(/^….* nothing here how the basket adds up its rows.*…$/);
  expect(marks.map(([start, end]) => snippet.slice(start, end))).toEqual(['basket', 'adds up']);
});

test('text that would bloat the index and is never searched is left out', () => {
  const image = 'iVBORw0KGgo+/aB3'.repeat(100);
  expect(indexText(`before ${image} after ${'x'.repeat(255)}`)).toBe(`before   after ${'x'.repeat(255)}`);
  expect(indexText(image)).toBe(' ');
});

test('indexes a line of one megabyte in linear time', {
  tags: 'long',
}, () => {
  const spentMs = cpuClock();
  for (const unit of ['a', 'ab ', '购', 'é', '\ud83d', 'x_-/']) {
    const text = unit.repeat(2 ** 20 / unit.length);
    indexText(text);
    snippetOf(parseQuery('needle* "a b"') ?? never(), text);
  }
  expect(spentMs()).toBeLessThan(10_000);
});

function never(): never {
  throw new Error('not a query');
}
