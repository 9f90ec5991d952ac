import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Lexer, Tokenizer } from 'marked';
import { expect, test } from 'vitest';
import { boundMarkdown } from '../../../src/protocol/text/boundMarkdown.ts';

const docs = join(import.meta.dirname, '../../docs');
const lex = (text: string, tokenizer = new Tokenizer()): object =>
  new Lexer({ gfm: true, tokenizer }).lex(text);

/** Characters that the tokenizer itself scanned: no more than the emphasis that it found. */
function lookedThrough(text: string): number {
  const tokenizer = new Tokenizer();
  let characters = 0;
  for (const name of ['emStrong', 'inlineText', 'url'] as const) {
    const read = tokenizer[name].bind(tokenizer) as (source: string, ...rest: unknown[]) => unknown;
    tokenizer[name] = (source: string, ...rest: unknown[]) => {
      const token = read(source, ...rest) as { readonly raw: string } | undefined;
      const found = name === 'emStrong' ? token?.raw : undefined;
      characters += found?.length ?? source.length;
      return token as undefined;
    };
  }
  lex(text, boundMarkdown(tokenizer));
  return characters;
}

test.each(['_a', '*a', '**a', 'a_', '*a*', '_a*', '~a', '*_'])(
  'a word of only %s is scanned a bounded number of times',
  (part) => {
    const text = part.repeat(30_000 / part.length);
    // Unbounded it would be half of its square, 450 million.
    expect(lookedThrough(text)).toBeLessThan(700 * text.length + 3_000_000);
  },
);

test.each([
  ['quotes', '>'],
  ['quotes with spaces', '> '],
  ['lists', '1. '],
  ['emphasis', '*a '],
])('%s nested without end become text at the end', (_what, part) => {
  const text = `${part.repeat(50_000)}x`;
  const tokens = JSON.stringify(lex(text, boundMarkdown(new Tokenizer())));
  expect(tokens.split('"tokens":').length).toBeLessThan(200);
});

test('ordinary Markdown is read as before', () => {
  const files = readdirSync(docs).filter((name) => name.endsWith('.md'));
  for (const name of files) {
    const text = readFileSync(join(docs, name), 'utf8');
    expect(lex(text, boundMarkdown(new Tokenizer())), name).toEqual(lex(text));
  }
  const parts = [
    'a',
    'word ',
    '*',
    '**',
    '_',
    '~~',
    '`',
    '[',
    '](http://a.b)',
    '<b>',
    '> ',
    '- ',
    '1. ',
    '\n',
    '\n\n',
  ];
  const more = [
    'me@a.example',
    'http://a.b/c_d*e*',
    'www.a.b',
    '|',
    '\\',
    '&amp;',
    '# ',
    '![',
    '    ',
    '```\n',
  ];
  const markdown = fc.array(fc.constantFrom(...parts, ...more), { maxLength: 40 });
  fc.assert(
    fc.property(markdown, (pieces) => {
      const text = pieces.join('');
      fc.pre(!/\S{300}/.test(text));
      expect(lex(text, boundMarkdown(new Tokenizer()))).toEqual(lex(text));
    }),
  );
});

test('in a word of hundreds of characters marks, URLs and email addresses are still found', () => {
  const word = 'x'.repeat(400);
  const text = `${word}**bold**${word}\`code\`${word}[link](http://a.b)${word}<http://c.d>${word} me@a.example`;
  expect(lex(text, boundMarkdown(new Tokenizer()))).toEqual(lex(text));
});
