/** Texts of all kinds for property tests. Built from pieces: fast-check's own character tables take seconds to load. */
import fc from 'fast-check';

const pieces = [
  'a',
  'Z9',
  'word ',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '\u2028',
  '\0',
  'é',
  'ß',
  'İ',
  '错误',
  'カナ',
  '한',
  '😀',
  '👩‍💻',
  'error: ',
  'src/a.ts:12:5 ',
  '{"a":[1]}',
  'x1'.repeat(40),
] as const;

/** Well-formed text of up to `maxPieces` pieces. */
export const textOf = (maxPieces: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom<string>(...pieces), { maxLength: maxPieces }).map((all) => all.join(''));

/** The same, including lone surrogates. */
export const brokenTextOf = (maxPieces: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom<string>(...pieces, '\ud83d', '\ude00'), { maxLength: maxPieces })
    .map((all) => all.join(''));
