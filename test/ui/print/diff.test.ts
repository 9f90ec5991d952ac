import { stripVTControlCharacters } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDiff, renderDiff, wordDiff } from '../../../src/ui/print/diff.ts';
import { loadHighlighter } from '../../../src/ui/print/highlight.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

const ansi = chooseTheme('ansi', { noColor: false, term: 'xterm' });
const plain = chooseTheme('plain', { noColor: true });
const patch = (before: string, after: string): string =>
  createTwoFilesPatch('a.ts', 'a.ts', before, after, '', '', { context: 3 });

test('shows line numbers, signs, gaps and a missing final newline', () => {
  const lines = Array.from({ length: 14 }, (_, index) => `line ${index + 1}`);
  const after = lines.map((line) =>
    line === 'line 2' ? 'line two' : line === 'line 13' ? 'line thirteen' : line,
  );
  expect(renderDiff(patch(`${lines.join('\n')}\n`, after.join('\n')), { width: 40, theme: plain })).toBe(
    [
      ' 1   line 1',
      ' 2 - line 2',
      ' 2 + line two',
      ' 3   line 3',
      ' 4   line 4',
      ' 5   line 5',
      '   ⋮',
      '10   line 10',
      '11   line 11',
      '12   line 12',
      '13 - line 13',
      '14 - line 14',
      '13 + line thirteen',
      '14 + line 14',
      '   No newline at end of file',
    ].join('\n'),
  );
});

test('marks the words that changed', () => {
  expect(renderDiff(patch('const a = 1;\n', 'const b = 1;\n'), { width: 40, theme: ansi })).toBe(
    [
      '\u001b[2m1\u001b[22m \u001b[31m-\u001b[39m \u001b[31mconst \u001b[39m\u001b[31m\u001b[7ma\u001b[27m\u001b[39m\u001b[31m = 1;\u001b[39m',
      '\u001b[2m1\u001b[22m \u001b[32m+\u001b[39m \u001b[32mconst \u001b[39m\u001b[32m\u001b[7mb\u001b[27m\u001b[39m\u001b[32m = 1;\u001b[39m',
    ].join('\n'),
  );
});

test('says how much is left out, and never prints more rows than allowed', () => {
  const many = patch('', `${Array.from({ length: 50 }, (_, index) => `l${index}`).join('\n')}\n`);
  const rows = renderDiff(many, { width: 40, theme: plain, maxLines: 11 }).split('\n');
  expect(rows).toHaveLength(11);
  expect(rows.at(-1)).toBe('   … 40 more lines');
});

test('a long line continues under its text', () => {
  expect(renderDiff(patch('', 'abcdefghij\n'), { width: 9, theme: plain })).toBe('1 + abcde\n    fghij');
});

test('a removed line that looks like a header is a removed line', () => {
  const lines = parseDiff(patch('-- a comment\nx\n', 'x\n'));
  expect(lines.filter((line) => line.type === 'removed').map((line) => line.text)).toEqual(['-- a comment']);
});

test('names the files if there are several', () => {
  const both = `${patch('a\n', 'b\n')}\n${createTwoFilesPatch('z.ts', 'z.ts', 'a\n', 'b\n')}`;
  expect(renderDiff(both, { width: 40, theme: plain })).toBe('a.ts\n1 - a\n1 + b\nz.ts\n1 - a\n1 + b');
});

test('text that is not a diff prints nothing', () => {
  expect(renderDiff('hello\nworld', { width: 40, theme: plain })).toBe('');
});

const line = fc.constantFrom(
  '',
  'a',
  '- x',
  '+ y',
  '--- z',
  '+++ z',
  '@@ -1 +1 @@',
  '\tdeep',
  '中文字符中文字符',
  'const value = 1;',
);
test('every line of both sides is shown, in order and within the width', { tags: 'long' }, () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (a, b) => {
      const [before, after] = [a.map((x) => `${x}\n`).join(''), b.map((x) => `${x}\n`).join('')];
      const unified = createTwoFilesPatch('f', 'f', before, after, '', '', { context: 1000 });
      const lines = parseDiff(unified);
      if (before !== after) {
        expect(
          lines.filter((one) => one.type === 'removed' || one.type === 'context').map((one) => one.text),
        ).toEqual(a);
        expect(
          lines.filter((one) => one.type === 'added' || one.type === 'context').map((one) => one.text),
        ).toEqual(b);
      }
      for (const row of renderDiff(unified, { width: 20, theme: ansi }).split('\n'))
        expect(textWidth(stripVTControlCharacters(row))).toBeLessThanOrEqual(20);
    }),
  );
});

test('joined word runs give the original lines', () => {
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (a, b) => {
      const [before, after] = [a.join(' '), b.join(' ')];
      const runs = wordDiff(before, after);
      if (runs === undefined) return;
      expect(runs.before.map((run) => run.text).join('')).toBe(before);
      expect(runs.after.map((run) => run.text).join('')).toBe(after);
      const kept = (side: typeof runs.before) =>
        side
          .filter((run) => !run.changed)
          .map((run) => run.text)
          .join('');
      expect(kept(runs.before)).toBe(kept(runs.after));
    }),
  );
});

test('lines with nothing in common are not marked word by word', () => {
  expect(wordDiff('import fs from "node:fs";', 'return 42')).toBeUndefined();
});

test('a file with more lines than a function call can have arguments is printed', { tags: 'long' }, () => {
  const diff = `--- /dev/null\n+++ a.txt\n@@ -0,0 +1,400000 @@\n${'+\n'.repeat(400_000)}`;
  const rows = renderDiff(diff, { width: 40, theme: plain, maxLines: 5 }).split('\n');
  expect(rows).toHaveLength(5);
  expect(rows.at(-1)).toContain('399,996 more lines');
});

test('in true color, changed lines are tinted to their end, words are marked, and code is highlighted', async () => {
  const theme = chooseTheme('dark', { noColor: false, term: 'xterm', colorTerm: 'truecolor' });
  const diff = patch("const a = 'one';\nlet b;\n", "const a = 'two';\nlet b;\n");
  const highlight = await loadHighlighter();
  const [removed = '', added = '', kept = ''] = renderDiff(diff, {
    width: 30,
    theme,
    highlight,
    path: 'src/a.ts',
  }).split('\n');
  expect(stripVTControlCharacters(added)).toBe("1 + const a = 'two';".padEnd(30));
  expect(added).toContain(theme.code.keyword('const'));
  const opening = (paint: ((text: string) => string) | undefined) => `${paint?.('x').split('x')[0]}`;
  expect(added).toContain(`${opening(theme.addedWord)}two`);
  expect(added.startsWith(opening(theme.addedLine))).toBe(true);
  expect(removed.startsWith(opening(theme.removedLine))).toBe(true);
  // An unchanged line is neither tinted nor padded.
  expect(stripVTControlCharacters(kept)).toBe('2   let b;');
});
