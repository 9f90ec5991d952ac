import { readOptions } from './options.ts';
import type { ReadOnlyUse } from './readOnlyUse.ts';

/** An expression up to its delimiter; between brackets some take the delimiter for a character, so there it is neither. */
const upTo = (delimiter: string): string =>
  String.raw`(?:(?!${delimiter})[^\\\n[]|\\[^\n]|\[(?!\^?\])(?:(?!${delimiter})[^\][\\\n]|\\[^\]\n]|\[:\w+:\])*\])*${delimiter}`;
const address = String.raw`(?:\d+|\$|/${upTo('/')})`;
const command = String.raw`(?:[pdq=]|s([/|#,@])${upTo(String.raw`\1`)}(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*)`;
const script = new RegExp(`^\\s*(?:${address}(?:,[+~]?${address})?)?\\s*!?${command}\\s*$`);

/** `sed` that prints, deletes from what it prints, or replaces; without `-i`, `w`, `e` and scripts in files. */
export function sedUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, {
    flags: 'nErsz',
    values: 'e',
    long: ['--quiet', '--silent', '--regexp-extended'],
    isFirst: true,
  });
  if (read === undefined) return undefined;
  const given = read.options.filter(({ name }) => name === '-e').map(({ value }) => value);
  const [first, ...rest] = read.operands;
  const scripts = given.length > 0 ? given : [first ?? null];
  if (!scripts.every((text) => text !== null && isHarmless(text))) return undefined;
  const files = given.length > 0 ? read.operands : rest;
  return { contents: files.map((word) => word ?? ''), names: [] };
}

/** One command, or several simple ones: a `;` inside a replacement is not worth telling apart. */
const isHarmless = (text: string): boolean =>
  script.test(text) || (!text.includes('s') && text.split(';').every((piece) => script.test(piece)));
