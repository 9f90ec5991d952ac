import graphemes from '@xterm/addon-unicode-graphemes';
import headless from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textWidth } from '../../../src/ui/print/width.ts';
import { createFrameTracker } from '../../../src/ui/terminal/frameTracker.ts';

const shadowOf = (text: string) => {
  const shadow = createFrameTracker();
  shadow.write(text);
  return shadow;
};

test.each([
  { text: 'one\ntwo\n', columns: 80, all: 2 },
  { text: `${'a'.repeat(25)}\ntwo\n`, columns: 10, all: 4 },
  { text: `${'漢'.repeat(10)}\n`, columns: 15, all: 2 },
  { text: `${'漢'.repeat(15)}\n`, columns: 15, all: 3 },
  { text: 'one\ntwo\nthree\u001B[1A\u001B[2G', columns: 80, all: 1 },
  { text: `one\n${'b'.repeat(30)}`, columns: 10, all: 3 },
  { text: `${'a'.repeat(25)}\n\u001B[1A\u001B[2Kshort\n`, columns: 10, all: 1 },
  { text: `${'a'.repeat(25)}\u001B[6G\u001B[K\n`, columns: 10, all: 1 },
  { text: 'a\nb\nc\n\u001B[2A\r\u001B[J', columns: 10, all: 1 },
  { text: `\u001B[1m${'a'.repeat(12)}\u001B[22m\n`, columns: 10, all: 2 },
])('$text takes $all rows above the cursor in $columns columns', ({ text, columns, all }) => {
  expect(shadowOf(text).rowsAbove(columns, 'all')).toBe(all);
});

test('if the terminal cuts lines off, each line takes one row', () => {
  expect(shadowOf(`${'a'.repeat(50)}\nb\n`).rowsAbove(10, 'none')).toBe(2);
});

test('in a terminal of unknown behavior, only rows that surely belong to the frame are counted', () => {
  const shadow = shadowOf(`${'a'.repeat(50)}\n${'b'.repeat(50)}\n${'c'.repeat(50)}\u001B[1A\u001B[40G`);
  expect(shadow.rowsAbove(10, 'unknown')).toBe(5);
  expect(shadow.rowsAbove(10, 'all')).toBe(8);
});

test('in a real xterm.js, the frame starts where expected', { tags: 'long' }, async () => {
  const line = fc.oneof(
    fc.stringMatching(/^[a-z]{1,99}$/),
    fc.stringMatching(/^[漢字a]{1,40}$/),
    fc.constant(''),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.nat(5),
      fc.nat(20),
      fc.integer({ min: 10, max: 120 }),
      fc.integer({ min: 12, max: 40 }),
      async (lines, cursorRow, cursorColumn, columns, rows) => {
        const terminal = new headless.Terminal({
          cols: 100,
          rows: 24,
          allowProposedApi: true,
          convertEol: true,
        });
        terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
        terminal.unicode.activeVersion = '15-graphemes';
        const write = (text: string) => new Promise<void>((done) => terminal.write(text, done));
        await write(Array.from({ length: 40 }, (_, row) => `printed ${row} ${'p'.repeat(70)}\n`).join(''));
        // A mark on its own line that is never broken shows where the frame begins.
        await write('MARK\n');
        const row = Math.min(cursorRow, lines.length - 1);
        const up = lines.length - row;
        // The cursor is in its text, or after it: never beyond the narrower screen, where it would be moved.
        const column = Math.min(cursorColumn, textWidth(lines[row] ?? ''), columns - 1);
        const frame = `${lines.join('\n')}\n\u001B[${up}A\u001B[${column + 1}G`;
        await write(frame);
        const shadow = shadowOf(frame);
        const dropped = Math.min(shadow.rowsBelow(), Math.max(0, 24 - rows));
        const predicted = shadow.rowsAbove(columns, 'xterm_js', dropped);
        terminal.resize(columns, rows);
        const { active } = terminal.buffer;
        const marks = Array.from({ length: active.length }, (_, y) => y).filter((y) =>
          active.getLine(y)?.translateToString(true).startsWith('MARK'),
        );
        const top = (marks.at(-1) ?? 0) + 1;
        expect({ lines, row, columns, rows, up: active.baseY + active.cursorY - top }).toEqual({
          lines,
          row,
          columns,
          rows,
          up: predicted,
        });
        terminal.dispose();
      },
    ),
    { numRuns: 150 },
  );
});
