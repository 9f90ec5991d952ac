import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hanging, type Page, pageLine, type Role, textLines } from '../../../src/commands/pages/page.ts';
import { renderPage } from '../../../src/ui/print/page.ts';
import { createPrinter } from '../../../src/ui/print/printer.ts';
import { renderToolLine } from '../../../src/ui/print/toolLine.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

const plain = chooseTheme('plain', { noColor: true });
const dark = chooseTheme('dark', { noColor: false, term: 'xterm-256color' });
const rows = (page: Page, width: number): string[] => renderPage(page, width, plain).split('\n');

test('text that fits is unchanged, columns included', () => {
  const page: Page = () => [pageLine('  a    ', { text: 'b', role: 'dim' }, '   c  ')];
  expect(rows(page, 20)).toEqual(['  a    b   c']);
});

test('text that does not fit continues below, indented', () => {
  const page: Page = () => [hanging(pageLine('  #12  ', { text: 'one two three four' }), 7)];
  expect(rows(page, 16)).toEqual(['  #12  one two', '       three', '       four']);
  // On a very narrow screen there is no indent.
  expect(rows(page, 8)[1]?.startsWith('    ')).toBe(true);
});

test('a label does not stand alone above a long path', () => {
  const page: Page = () => [
    hanging(pageLine({ text: 'Log   ', role: 'strong' }, '/home/me/one/two/three'), 6),
  ];
  expect(rows(page, 18)).toEqual(['Log   /home/me/one', '      /two/three']);
  const words: Page = () => [hanging(pageLine('Log   ', 'one two, and three'), 6)];
  expect(rows(words, 18)).toEqual(['Log   one two, and', '      three']);
});

test('the page is laid out for its printed width', () => {
  expect(rows((columns) => [pageLine('x'.repeat(columns))], 13)).toEqual(['x'.repeat(13)]);
});

test('rules and titles of calls mark look-alike characters', () => {
  expect(rows(() => [pageLine('allow  Bash(s\u0441p:*)')], 40)).toEqual(['allow  Bash(s‹U+0441 like c›p:*)']);
  const line = renderToolLine({ tool: 'Read', title: '/srv/\u0455ecret\u200b', status: 'ok' }, 60, plain);
  expect(line).toContain('/srv/‹U+0455 like s›ecret‹U+200B›');
  expect(renderToolLine({ tool: 'Read', title: 'рак/файл.txt', status: 'ok' }, 60, plain)).toContain(
    '(рак/файл.txt)',
  );
});

test('control characters are shown, not removed, and unusual spaces are marked', () => {
  const text = 'allow  Bash(a\u001b]0;title\u0007b\u009b31mc\u00a0d)';
  const shown = 'allow  Bash(a‹U+001B›]0;title‹U+0007›b‹U+009B›31mc‹U+00A0›d)';
  expect(rows(() => [pageLine(text)], 90)).toEqual([shown]);
  const printer = createPrinter({
    theme: plain,
    markdown: () => (markdown) => markdown,
    showReasoning: () => false,
  });
  expect(printer.render([{ type: 'notice', level: 'info', text }], 90)).toBe(`· ${shown}\n\n`);
});

test('empty lines of a text stay empty', () => {
  expect(rows(() => textLines('a\n\n  b', 2), 20)).toEqual(['  a', '', '    b']);
});

test('no line is wider than the terminal or controls it, and nothing is lost', () => {
  const text = fc
    .array(
      fc.constantFrom(
        'word',
        ' ',
        '  ',
        '漢字',
        '👩‍👩‍👧',
        '\u001b[2J',
        'averyveryverylongword',
        '→',
        '\u202e',
      ),
      {
        maxLength: 12,
      },
    )
    .map((parts) => parts.join(''));
  const role = fc.constantFrom<Role | undefined>(undefined, 'strong', 'history', 'masked', 'error');
  const span = fc.tuple(text, role).map(([one, as]) => (as === undefined ? one : { text: one, role: as }));
  fc.assert(
    fc.property(
      fc.array(span, { maxLength: 5 }),
      fc.integer({ min: 20, max: 60 }),
      fc.nat({ max: 30 }),
      (spans, width, hang) => {
        const page: Page = () => [hanging(pageLine(...spans), hang)];
        const painted = renderPage(page, width, dark);
        for (const line of painted.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
        const bare = stripVTControlCharacters(painted);
        expect(bare).toBe(renderPage(page, width, plain));
        const said = spans.map((one) => (typeof one === 'string' ? one : one.text)).join('');
        const letters = (all: string): string =>
          all.replace(/\s/g, '').replace(/(?:\u001b|‹U\+001B›)\[2J|\u202e|‹U\+202E›/g, '');
        expect(letters(bare)).toBe(letters(said));
      },
    ),
  );
});
