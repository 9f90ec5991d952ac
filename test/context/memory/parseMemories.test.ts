import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Memory, readMemories } from '../../../src/context/memory/parseMemories.ts';
import { cpuClock } from '../../cpuTime.ts';

const parseMemories = (markdown: string): Memory[] =>
  [...readMemories(markdown)].filter((memory) => memory !== undefined);
const texts = (markdown: string): string[] => parseMemories(markdown).map(({ content }) => content);

test.each<[string, string, string[]]>([
  ['paragraphs without a heading', 'one\nmore of one\n\ntwo', ['one\nmore of one', 'two']],
  [
    'items without a heading',
    '- one\n  more\n* two\n3. three\n- [x] four',
    ['one\n  more', 'two', 'three', 'four'],
  ],
  ['an item with its own paragraph', '- one\n\n  still one\n\ntwo', ['one\n  still one', 'two']],
  ['a section as one memory', '# A\n\none\n\ntwo', ['A\none\n\ntwo']],
  ['a section that is a list, item by item', '# A\n- one\n- two\n', ['A: one', 'A: two']],
  ['a section with one item as one memory', '# A\n- one', ['A\n- one']],
  ['nested headings', '# A\n## B\nb\n# C\nc', ['A › B\nb', 'C\nc']],
  [
    'a fence with the paragraph before it',
    'run:\n```\n# no heading\n\n- no item\n```\n',
    ['run:\n```\n# no heading\n\n- no item\n```'],
  ],
  ['an empty heading', '# A\n', []],
  ['nothing', '\ufeff \r\n', []],
])('%s', (_, markdown, expected) => {
  expect(texts(markdown)).toEqual(expected);
});

test('a category comes from the front matter, or from the first line of a section', () => {
  const markdown = '---\ntitle: x\ncategory: "Prefs"\n---\n- one\n\n# A\ncategory: Other\n- two\n- three';
  expect(parseMemories(markdown)).toEqual<Memory[]>([
    { content: 'one', category: 'prefs' },
    { content: 'A: two', category: 'other' },
    { content: 'A: three', category: 'other' },
  ]);
});

test('a long section becomes several memories, split between paragraphs if possible', () => {
  const paragraph = (letter: string): string => letter.repeat(900);
  const found = texts(`# A\n\n${['x', 'y', 'z'].map(paragraph).join('\n\n')}\n\n${'😀'.repeat(2000)}`);
  expect(found.slice(0, 3)).toEqual(['x', 'y', 'z'].map((letter) => `A\n${paragraph(letter)}`));
  expect(found.every((text) => text.isWellFormed() && text.length < 1600)).toBe(true);
});

test('any text quickly gives bounded, well-formed memories', { tags: 'long' }, () => {
  const line = fc.oneof(
    fc.string({
      unit: fc.constantFrom('x', ' ', '#', '-', '`', '字', '😀', '\ud800', '\u0000', '\r'),
      maxLength: 30,
    }),
    fc.constantFrom('# A', '## B', '- x', '```', '~~~~', '---', 'category: c', '', '  y', '1. z'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      for (const { content } of parseMemories(lines.join('\n'))) expect(content.length).toBeLessThan(3000);
    }),
  );
  const spentMs = cpuClock();
  for (const unit of ['- a\n', '# a\n', '```\n', 'a\n', '\n', ' ', '#', '- ', '1.', '---\n']) {
    expect(parseMemories(unit.repeat(1_000_000 / unit.length)).length).toBeLessThanOrEqual(2000);
  }
  expect(spentMs()).toBeLessThan(10_000);
});
