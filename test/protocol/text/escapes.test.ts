import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutEscapes } from '../../../src/protocol/text/escapes.ts';
import { joinLines, withoutTrailing } from '../../../src/protocol/text/trimming.ts';
import { cpuClock } from '../../cpuTime.ts';

test.each([
  ['colors', '\u001b[31mred\u001b[0m', 'red'],
  ['colors with colons', '\u001b[38:2::1:2:3mred\u001b[m', 'red'],
  ['private modes', '\u001b[?25la\u001b[?1049hb', 'ab'],
  ['a sequence with an intermediate byte', '\u001b[2 qa', 'a'],
  ['a character set selection', '\u001b(Ba\u001b)0b', 'ab'],
  ['short escapes', '\u001b7a\u001b8b\u001bMc\u001b=d\u001bce', 'abcde'],
  ['8-bit controls', 'a\u009b31mb\u009d0;t\u009cc', 'abc'],
  ['a title', '\u001b]0;a title of words\u0007text', 'text'],
  ['a hyperlink, but not its label', '\u001b]8;;http://a b\u001b\\label\u001b]8;;\u001b\\', 'label'],
  ['a sequence interrupted by another', '\u001b[31\u001b[32mgreen', 'green'],
  ['an unfinished sequence at the end', 'a\u001b[38;5;1', 'a'],
  ['a lone escape at the end', 'a\u001b', 'a'],
  ['only the start of an unterminated string', 'a\u001b]0;b', 'a0;b'],
])('removes %s', (_, text, expected) => {
  expect(withoutEscapes(text)).toBe(expected);
});

test('does not change text without escapes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const plain = text.replace(/[\u001b\u0080-\u009f]/g, '');
      expect(withoutEscapes(plain)).toBe(plain);
    }),
  );
});

test('agrees with Node on complete sequences', () => {
  const part = fc.oneof(
    fc.stringMatching(/^[a-z \n]{0,5}$/),
    fc
      .tuple(fc.array(fc.nat(255), { maxLength: 4 }), fc.constantFrom(...'mHJKhl'))
      .map(([n, end]) => `\u001b[${n.join(';')}${end}`),
    fc.stringMatching(/^[a-z]{1,5}$/).map((title) => `\u001b]0;${title}\u0007`),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(withoutEscapes(parts.join(''))).toBe(stripVTControlCharacters(parts.join('')));
    }),
  );
});

const begun = [
  ...[
    '\u001b',
    '\u001b ',
    '\u001b[',
    '\u001b[ ',
    '\u001b[1;',
    '\u001b[?',
    '\u001b]',
    '\u001b]0;',
    '\u001bP',
    '\u001b(',
    '\u001b#',
  ],
  ...['\u009b', '\u009d', '\u0090a\u001b', '\u001b;a', '\u001b[;#', ' ', '\n', '\t', '\r', '\r '],
];

test.each(begun)('takes linear time for %j, repeated, or once before a long text', (start) => {
  const spentMs = cpuClock();
  for (const text of [
    start.repeat(200_000),
    `${start}${start.slice(1).repeat(200_000)}`,
    start + ';#'.repeat(200_000),
  ]) {
    withoutEscapes(text);
    joinLines(`${text}x`, ' ');
    withoutTrailing(`${text}x`, ' \n\r\t');
  }
  expect(spentMs()).toBeLessThan(2000);
});

test('joins lines together with the space around them, and keeps other white space', () => {
  expect(joinLines('a  b \n\n  c\td\n', ' ')).toBe('a  b c\td ');
  fc.assert(
    fc.property(fc.stringMatching(/^[ab \n\t]{0,30}$/), (text) => {
      expect(joinLines(text, '|')).toBe(text.replace(/\s*\n\s*/g, '|'));
      expect(withoutTrailing(text, ' \t')).toBe(text.replace(/[ \t]+$/, ''));
    }),
  );
});
