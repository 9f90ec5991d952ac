import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadMarkdown } from '../../../src/ui/print/markdown.ts';
import { liveTail, printablePieces, splitFinished } from '../../../src/ui/print/streaming.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

const markdown = await loadMarkdown();
const theme = chooseTheme('plain', { noColor: true });
const print = (text: string): string => markdown(text, { width: 60, theme });

test.each([
  ['nothing while the first paragraph is unfinished', 'Hello wor', ''],
  ['nothing at an empty line with nothing after it', 'Hello.\n\n', ''],
  ['a paragraph once the next begins', 'Hello.\n\nW', 'Hello.\n\n'],
  ['never inside a fence', '```\na\n\nb\n', ''],
  ['before a fence', 'Look:\n\n```ts\na\n\nb', 'Look:\n\n'],
  ['after a closed fence', '```\na\n\nb\n```\n\nDone', '```\na\n\nb\n```\n\n'],
  ['not at a shorter mark that only looks like the end', '````\n```\n\nx\n\ny', ''],
  ['not between items of a list', '- a\n\n- b\n\n- c', ''],
  ['not before what may become an item', '- a\n\n-', ''],
  ['not before an indented continuation', '- a\n\n  more', ''],
  ['after a list, at a plain line', '- a\n\nThen', '- a\n\n'],
  ['after a list, at emphasis', '- a\n\n**T', '- a\n\n'],
  ['not inside a comment', '<!-- a\n\nb', ''],
  ['after a list whose code block was never closed', '- a\n\n  ```\n  x\n\nThen', '- a\n\n  ```\n  x\n\n'],
  ['at the last of several positions', 'a\n\nb\n\nc\n\nd', 'a\n\nb\n\nc\n\n'],
])('splits %s', (_, text, finished) => {
  expect(splitFinished(text)).toEqual({ finished, rest: text.slice(finished.length) });
});

const block = fc.constantFrom(
  'A paragraph with **bold** and `code`.',
  'Two lines\nof one paragraph',
  '# Heading',
  'Title\n---',
  '- one\n- two',
  '- loose\n\n- items',
  '- outer\n  - inner\n\n    text',
  '1. first\n2. second',
  '1. with code:\n\n   ```sh\n   ls\n\n   pwd\n   ```',
  '- [x] done\n- [ ] open',
  '* star',
  '> quoted\n> twice',
  '> - list\n> - in quote',
  '```ts\nconst a = 1;\n\nconst b = 2;\n```',
  '~~~\n```\n\nx\n~~~',
  '````md\n```\ninner\n```\n\n````',
  '    indented\n\n    code',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '---',
  '* * *',
  '**Bold** start',
  '123456 numbers',
  '2024. A year that looks like a list',
  '<div>\nhtml\n</div>',
  '<!-- a comment\n\nwith a gap -->',
  '中文段落，没有空格。',
);
const document = fc
  .array(fc.tuple(block, fc.constantFrom('\n\n', '\n\n', '\n\n', '\n\n\n', '\n', '\n \n')), { maxLength: 8 })
  .map((parts) => parts.flat().join(''));

test('printing the finished part and the rest equals printing the whole', () => {
  fc.assert(
    fc.property(document, (text) => {
      const { finished, rest } = splitFinished(text);
      expect(finished + rest).toBe(text);
      expect([print(finished), print(rest)].filter((part) => part !== '').join('\n\n')).toBe(print(text));
    }),
    { numRuns: 400 },
  );
});

test('a stream prints the same text, however it is split', () => {
  fc.assert(
    fc.property(
      document,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      (text, sizes) => {
        const printed: string[] = [];
        let pending = '';
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          pending += text.slice(at, at + size);
          at += size;
          const { finished, rest } = splitFinished(pending);
          if (print(finished) !== '') printed.push(print(finished));
          pending = rest;
        }
        if (print(pending) !== '') printed.push(print(pending));
        expect(printed.join('\n\n')).toBe(print(text));
      },
    ),
    { numRuns: 150 },
  );
});

test('the tail of a long block is its last lines', () => {
  expect(liveTail('a\nb\nc\nd', 2)).toBe('c\nd');
  expect(liveTail('a\nb', 5)).toBe('a\nb');
  expect(liveTail('a\n```\nb\n``', 5)).toBe('a\n```\nb');
});

test('draws only the end of an endless line', () => {
  const words = 'word '.repeat(100_000);
  const tail = liveTail(words, 10);
  expect([tail.length <= 20_000, words.endsWith(tail), tail.startsWith('word')]).toEqual([true, true, true]);
  expect(liveTail('x'.repeat(100_000), 10)).toHaveLength(20_000);
  expect(liveTail(`\`\`\`\n${'x'.repeat(100_000)}`, 1)).toBe(`\`\`\`\n${'x'.repeat(20_000)}`);
});

test('the tail of a cut code block is still formatted as code', () => {
  expect(liveTail('```ts\na\nb\nc\n', 2)).toBe('```ts\nc\n');
  expect(liveTail('```ts\na\n```\ntext\nmore', 2)).toBe('text\nmore');
});

describe('a block without end', () => {
  const endless: readonly [string, string][] = [
    ['a line', 'x'.repeat(2_000_000)],
    ['words', 'Lorem ipsum. '.repeat(150_000)],
    ['a table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(200_000)}`],
    ['code', `\`\`\`js\n${'f("x");\n'.repeat(250_000)}`],
    ['quotes', `${'>'.repeat(3000)} a\n`.repeat(600)],
    ['brackets', '['.repeat(2_000_000)],
    ['Chinese', '漢字'.repeat(500_000)],
    ['emoji', '👍'.repeat(500_000)],
  ];

  test.each(endless)('%s is cut while it streams', (_, text) => {
    const { finished, rest } = splitFinished(text);
    expect(finished + rest).toBe(text);
    expect(rest.length).toBeLessThanOrEqual(60_000);
    expect(rest.isWellFormed()).toBe(true);
  });

  test.each(endless)('%s prints in full and immediately', { tags: 'long' }, (_, text) => {
    const pieces = printablePieces(text);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.every((piece) => piece.text.length <= 60_001)).toBe(true);
    expect(print(text).length).toBeGreaterThan(text.length / 10);
  });

  test('text after a long block is Markdown again', () => {
    expect(print(`${'a '.repeat(60_000)}\n\n# Title\n\n**bold**`)).toMatch(/\n\n# Title\n\nbold$/);
  });

  test('a table of two thousand rows is still a table', () => {
    expect(print(`| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(2000)}`)).toContain('1 │ 2');
  });
});
