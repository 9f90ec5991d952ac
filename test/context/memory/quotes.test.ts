import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine, plainText } from '../../../src/context/memory/formatMemories.ts';

const ZWJ = '\u200d';
const ZWNJ = '\u200c';
const FAMILY = ['👩', '👩', '👧'].join(ZWJ);

test.each([
  ['a family is one sign', `fix ${FAMILY} now`, `fix ${FAMILY} now`],
  ['so is a flag with a variation selector', `🏳️${ZWJ}🌈`, `🏳️${ZWJ}🌈`],
  ['and a worker with a colour of skin', `👩🏽${ZWJ}💻`, `👩🏽${ZWJ}💻`],
  ['Persian keeps its narrow gap', `می${ZWNJ}خواهم`, `می${ZWNJ}خواهم`],
  ['Hindi keeps its half letters', `क्${ZWJ}ष`, `क्${ZWJ}ष`],
  ['between letters of ASCII a joiner hides something', `sys${ZWJ}tem`, 'sys tem'],
  ['at either end it joins nothing', `${ZWJ}é${ZWNJ}`, ' é '],
  ['nor beside a blank', `👩${ZWJ} 👩`, '👩  👩'],
  ['nor beside another joiner', `é${ZWJ}${ZWJ}é`, 'é  é'],
  ['nor beside what was taken out', `é${ZWJ}\u202eé`, 'é  é'],
])('joiners stay where they are writing: %s', (_, text, plain) => {
  expect(plainText(text)).toBe(plain);
});

test('what is plain is plain already, and no wrapper of ours is in it', () => {
  const pieces = fc.constantFrom(
    ZWJ,
    ZWNJ,
    '👩',
    'é',
    'a',
    ' ',
    '\u202e',
    '\ud83d',
    '<',
    '</',
    'system-note',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const plain = plainText(parts.join(''));
      expect(plainText(plain)).toBe(plain);
      expect(plain).not.toMatch(/<\s*\/?\s*system-note/i);
      expect(plain).not.toMatch(/[a ][\u200c\u200d]|[\u200c\u200d][a ]/);
    }),
  );
});

test('a line is cut with a sign that it was', () => {
  expect(oneLine(`${FAMILY}\n and more`, 40)).toBe(`${FAMILY} and more`);
  expect(oneLine('abcdef', 3)).toBe('abc…');
});
