import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitPlain } from '../../../src/ui/plain/plainMarkdown.ts';

const long = 'This is a sentence that says enough to be worth a line of its own, as it goes on and on.';

test.each([
  { why: 'a sentence, once the next has begun', text: `${long} And`, finished: `${long} ` },
  { why: 'no sentence that may go on', text: long, finished: '' },
  { why: 'several at once', text: `${long} ${long} And`, finished: `${long} ${long} ` },
  { why: 'nothing short', text: 'Yes. And', finished: '' },
  { why: 'a whole block', text: 'Yes.\n\nAnd', finished: 'Yes.\n\n' },
  { why: 'no list', text: `- ${long} And`, finished: '' },
  { why: 'no code', text: `\`\`\`\n${long} And`, finished: '' },
  { why: 'no table', text: `| ${long} And | x`, finished: '' },
  { why: 'nothing inside of code', text: `Call \`${long} And`, finished: '' },
  { why: 'nothing inside of emphasis', text: `**${long} And`, finished: '' },
  { why: 'Chinese without blanks', text: `${'漢字'.repeat(45)}。然後`, finished: `${'漢字'.repeat(45)}。` },
])('finished: $why', ({ text, finished }) => {
  expect(splitPlain(text)).toEqual({ finished, rest: text.slice(finished.length) });
});

const markdown = fc
  .array(fc.constantFrom(long, ' ', '\n', '\n\n', '- ', '`', '**', '```\n', '| a |', '# ', '1. ', 'word. '))
  .map((parts) => parts.join(''));

test('nothing is lost or repeated, wherever the text is split', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 1, max: 40 }), (text, size) => {
      let told = '';
      let rest = '';
      for (let at = 0; at < text.length; at += size) {
        const split = splitPlain(rest + text.slice(at, at + size));
        told += split.finished;
        rest = split.rest;
      }
      expect(told + rest).toBe(text);
    }),
  );
});
