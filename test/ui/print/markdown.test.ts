import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadMarkdown, plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { cpuClock } from '../../cpuTime.ts';

const markdown = await loadMarkdown();
const color = chooseTheme('dark', { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' });
const ansi = chooseTheme('ansi', { noColor: false, term: 'xterm' });
const print = (text: string, width = 40): string =>
  stripVTControlCharacters(markdown(text, { width, theme: color }));

test.each([
  ['headings and paragraphs', '# Title\nText', 'Title\n\nText'],
  ['emphasis without its marks', 'a **b** *c* ~~d~~ `e`', 'a b c d e'],
  ['line breaks as intended', 'one\ntwo', 'one\ntwo'],
  ['a list right after its sentence', 'Do:\n- a\n- b', 'Do:\n• a\n• b'],
  ['a list separated by an empty line', 'Do:\n\n- a', 'Do:\n\n• a'],
  ['nested lists', '- a\n  - b\n    1. c', '• a\n  • b\n    1. c'],
  ['numbers aligned', '9. a\n10. b', ' 9. a\n10. b'],
  ['tasks', '- [x] done\n- [ ] open', '☒ done\n☐ open'],
  ['long items under their text', '- one two three four', '• one two\n  three four', 12],
  ['quotes', '> a\n>\n> b', '│ a\n│\n│ b'],
  ['links with their address', '[x](http://a.b)', 'x (http://a.b)'],
  ['a bare address once', '<http://a.b>', 'http://a.b'],
  ['indented code verbatim', '```js\nif (a)\n    b();\n```', '  if (a)\n      b();'],
  ['code in an unknown language', '```nolang\nx\n```', '  x'],
  ['long code lines in full', '```\nabcdefghij\n```', '  abcdef\n  ghij', 8],
  ['an unclosed fence', 'x\n\n```\ny', 'x\n\n  y'],
  ['a rule', 'a\n\n---\n\nb', 'a\n\n────────────\n\nb', 12],
  ['entities', 'a &lt; b &amp; c', 'a < b & c'],
  ['HTML as written', 'a <b>c</b>', 'a <b>c</b>'],
  ['a break tag', 'a<br>b', 'a\nb'],
  ['a table', '| a | b |\n|---|--:|\n| x | 10 |', 'a │  b\n──┼───\nx │ 10'],
  [
    'a table with wide characters, shrunk to fit',
    '| 名 | 説明 |\n|---|---|\n| 一 | とても長い説明 |',
    '名 │ 説明\n───┼───────────\n一 │ とても長い\n   │ 説明',
    15,
  ],
  [
    'a table too wide for the screen as records',
    '| a | b | c |\n|---|---|---|\n| long1 | long2 | long3 |',
    'a: long1\nb: long2\nc: long3',
    12,
  ],
  ['nothing for empty text', '\n\n', ''],
] as [string, string, string, number?][])('prints %s', (_, text, expected, width) => {
  expect(print(text, width)).toBe(expected);
});

test('uses the terminal’s own sixteen colors if it has no more', () => {
  expect(markdown('**b** `c`', { width: 40, theme: ansi })).toBe(
    '\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m',
  );
  expect(markdown('```js\nconst a = 1\n```', { width: 40, theme: ansi })).toBe(
    '  \u001b[35mconst\u001b[39m a = \u001b[33m1\u001b[39m',
  );
});

test('writes no escape sequence without colors, and keeps meaning in characters', () => {
  const theme = chooseTheme('dark', { noColor: true, term: 'xterm-256color' });
  expect(markdown('## T\n`c` **b**\n```js\nconst a\n```', { width: 40, theme })).toBe(
    '## T\n\n`c` b\n\n  const a',
  );
});

test('writes hyperlinks only when asked', () => {
  const options = { width: 40, theme: ansi, hyperlinks: true };
  expect(markdown('[x](http://a.b/ä)', options)).toContain('\u001b]8;;http://a.b/%C3%A4\u0007');
  expect(markdown('[x](http://a.b)', { width: 40, theme: ansi })).not.toContain('\u001b]8');
});

test('escapes inside Markdown never reach the terminal', () => {
  const evil = 'a \u001b]0;t\u0007 `\u001b[2J` [x](http://a\u001b[31m)\n\n```\n\u001b[5mcode\u009b1m\n```';
  expect(markdown(evil, { width: 40, theme: chooseTheme('plain', { noColor: true }) })).not.toMatch(
    /[\u001b\u0080-\u009f]/,
  );
});

test('no line is wider than the terminal', { tags: 'long' }, () => {
  const piece = fc.constantFrom(
    '# A heading that is long\n\n',
    '- item with many words in it\n',
    '  - nested 中文中文中文中文\n',
    '> a quote with words\n\n',
    '| column one | column two | three |\n|---|---|---|\n| some text | 中文字符 | `code` |\n\n',
    '```ts\nconst value = someFunction(argument);\n```\n\n',
    'plain words 👩‍👩‍👧 and more words\n\n',
    '1. one\n',
    '[link](http://example.com/path)\n\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.integer({ min: 16, max: 60 }), (pieces, width) => {
      for (const line of print(pieces.join(''), width).split('\n'))
        expect(textWidth(line)).toBeLessThanOrEqual(width);
    }),
    { numRuns: 150 },
  );
});

test('the fallback prints the text as written, wrapped', () => {
  expect(plainMarkdown('\n**a** b c\n\n', { width: 6, theme: ansi })).toBe('**a**\nb c');
});

test('200 kB are printed without delay', { tags: 'long' }, () => {
  const text =
    '## Part\n\nSome *text* with `code` and [a link](http://a.b).\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\n'.repeat(
      2000,
    );
  const spentMs = cpuClock();
  markdown(text, { width: 100, theme: color });
  expect(spentMs()).toBeLessThan(8000);
});

test('endlessly nested quotes are printed without an error', { tags: 'long' }, () => {
  expect(print('>'.repeat(20_000))).toContain('│ │ │');
  expect(print('>'.repeat(50_000))).toContain('>>>');
});
