import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { beforeAll, describe, expect, test } from 'vitest';
import { countExactly } from '../../../../src/context/tokens/exact/countExactly.ts';
import { readVocabulary, type Vocabulary } from '../../../../src/context/tokens/exact/vocabulary.ts';
import { anyText } from '../../../anyText.ts';
import { cpuMs } from '../../../cpuTime.ts';
import { firstIsQuick } from '../../../e2e/support/long.ts';

const fixtures = [
  '',
  'a',
  "Hello, world! It's 12345 o'clock; WE'LL see.",
  'const x = (a: number): string => `[a]`; // ok\r\n\r\n\t\treturn x;\n',
  '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行',
  'これはテストです。カタカナと漢字と、ひらがな。',
  '안녕하세요 세계, 토큰을 셉니다.',
  'Привіт, світе! Це перевірка підрахунку.',
  'مرحبا بالعالم، هذا اختبار',
  'नमस्ते दुनिया, यह एक परीक्षण है',
  'สวัสดีชาวโลก นี่คือการทดสอบ',
  '😀👨‍👩‍👧‍👦🏳️‍🌈 emoji 🤖🤖🤖',
  '<|endoftext|> and <|im_start|>system<|fim_prefix|>',
  '\u001b[31merror\u001b[0m   \t  \n \n   x   ',
  '3f2504e0-4f89-11d3-9a0c-0305e82c3301 deadbeefcafebabe',
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  '-'.repeat(200),
  ' '.repeat(200),
  '\n'.repeat(150),
  'lone \ud83d and \udc00 halves \ud83d\ud83d\ude00',
];

for (const { row, options } of firstIsQuick([
  { name: 'o200k_base', file: o200k },
  { name: 'cl100k_base', file: cl100k },
]))
  describe(`with ${row.name}`, options, () => {
    let reference: Tiktoken;
    let vocabulary: Vocabulary;
    beforeAll(() => {
      reference = new Tiktoken(row.file);
      vocabulary = readVocabulary(row.file);
    });
    const expected = (text: string): number => reference.encode(text, [], []).length;

    test.each(fixtures.map((text) => [text]))('%j has as many tokens as the reference finds', (text) => {
      expect(countExactly(vocabulary, text)).toBe(expected(text));
    });

    test('a source file has as many tokens as the reference finds', () => {
      const text = readFileSync('package-lock.json', 'utf8').slice(0, 20_000);
      expect(countExactly(vocabulary, text)).toBe(expected(text));
    });

    test('any text has as many tokens as the reference finds', { tags: 'long' }, () => {
      const pieces = fc.constantFrom(
        ...fixtures,
        "'s",
        "'LL",
        ' ',
        '\n',
        '\r\n',
        'é',
        '中',
        '9',
        '1234',
        '//',
        'ΑΒΓαβγ',
      );
      const text = fc.oneof(
        anyText({ maxLength: 200 }),
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ maxLength: 200 }),
        fc
          .array(fc.oneof(pieces, fc.string({ maxLength: 6 })), { maxLength: 12 })
          .map((parts) => parts.join('')),
      );
      fc.assert(
        fc.property(text, (text) => {
          expect(countExactly(vocabulary, text)).toBe(expected(text));
        }),
        { numRuns: 400 },
      );
    });

    test('a run of any length is merged as in the reference', { tags: 'long' }, () => {
      const piece = fc.oneof(
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 60, maxLength: 300 }),
        fc.string({ unit: fc.constantFrom('中', '文', '字', '的'), minLength: 20, maxLength: 120 }),
        fc.string({ unit: fc.constantFrom('=', '-', '*'), minLength: 60, maxLength: 200 }),
      );
      fc.assert(
        fc.property(piece, (text) => {
          expect(countExactly(vocabulary, text)).toBe(expected(text));
        }),
        { numRuns: 60 },
      );
    });

    test('the position of window cuts changes nothing', { tags: 'long' }, () => {
      const text = `${fixtures.join('\n')}\n`.repeat(30);
      expect(text.length).toBeGreaterThan(32_768);
      expect(countExactly(vocabulary, text)).toBe(expected(text));
    });
  });

const vocabulary = readVocabulary(o200k);

test.each([['a'], ['中'], [' '], ['-'], ['\n'], ['😀'], ['aB3'], ['̈']])(
  '40,000 times %j are counted within a second',
  { tags: 'long' },
  (piece) => {
    const text = piece.repeat(40_000);
    expect(countExactly(vocabulary, text)).toBeGreaterThan(0);
    expect(cpuMs(() => countExactly(vocabulary, text), 2)).toBeLessThan(1000);
  },
);

test('a split run has hardly more tokens than an unsplit one', { tags: 'long' }, () => {
  // Eight letters are one token, so that no cut goes unnoticed.
  const tokens = countExactly(vocabulary, 'a'.repeat(400_000));
  expect(Math.abs(tokens - 50_000)).toBeLessThan(0.005 * 50_000);
});
