import { expect, test } from 'vitest';
import { importsOf, resolveImport } from '../../../src/context/memory/InstructionReader.ts';
import { cpuClock } from '../../cpuTime.ts';

test.each<[string, string, string[]]>([
  ['on a line of its own', '@./style.md\n@docs/tests.md', ['./style.md', 'docs/tests.md']],
  ['in a sentence', 'See @README.md, (@./a.md) and "@../b.md".', ['README.md', './a.md', '../b.md']],
  ['in a list and a quote', '- @a.md\n> @b.md', ['a.md', 'b.md']],
  ['in the home', '@~/notes/me.md', ['~/notes/me.md']],
  ['with a blank', '@./my\\ style.md now', ['./my style.md']],
  ['each once', '@a.md @a.md', ['a.md']],
  ['not within a word', 'me@example.com x@a.md', []],
  ['not in a span', 'run `npm i @scope/a.md` and ``x ` @b.md``, then @c.md', ['c.md']],
  ['not right after a code span', '`x`@a.md', []],
  ['after a lone backtick', 'a ` lone one @a.md', ['a.md']],
  ['in the paragraph after a lone backtick', 'a ` lone one\n\n@a.md `', ['a.md']],
  ['not in a fence', '```\n@a.md\n```\n@b.md\n~~~~ts\n@c.md\n```\n~~~\n@d.md\n~~~~\n@e.md', ['b.md', 'e.md']],
  ['not in an unclosed fence', '@a.md\n```\n@b.md', ['a.md']],
])('an import %s', (_, markdown, expected) => {
  expect(importsOf(markdown)).toEqual(expected);
});

test('number and time are limited', () => {
  expect(importsOf(Array.from({ length: 500 }, (_, n) => `@${n}.md`).join(' '))).toHaveLength(100);
  const spentMs = cpuClock();
  for (const unit of ['`a` ', '` `` ', '`', '@', '@a\\', '@\\ ', '```\n']) importsOf(unit.repeat(10_000));
  importsOf(Array.from({ length: 300 }, (_, n) => '`'.repeat(n)).join(' '));
  expect(spentMs()).toBeLessThan(3000);
});

test('is relative to its file, absolute, or below the home', () => {
  expect(resolveImport('../b.md', '/r/docs/a.md', '/home/me')).toBe('/r/b.md');
  expect(resolveImport('/etc/hosts', '/r/a.md', '/home/me')).toBe('/etc/hosts');
  expect(resolveImport('~/x.md', '/r/a.md', '/home/me')).toBe('/home/me/x.md');
  expect(resolveImport('~/x.md', '/r/a.md', undefined)).toBeUndefined();
  expect(resolveImport('~other/x.md', '/r/a.md', '/home/me')).toBeUndefined();
});
