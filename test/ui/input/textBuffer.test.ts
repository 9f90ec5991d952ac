import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layOut } from '../../../src/ui/input/layout.ts';
import {
  applyEdit,
  createBuffer,
  type Edit,
  moveVertically,
  type TextBuffer,
} from '../../../src/ui/input/textBuffer.ts';
import {
  abbreviate,
  cellWidth,
  expand,
  type PastedText,
  segment,
  type Unit,
  unitsOf,
} from '../../../src/ui/input/units.ts';
import { cpuClock } from '../../cpuTime.ts';

const fold: PastedText = { label: '[Pasted text #1 +9 lines]', text: 'a\nb\nc\n' };

/** A buffer from a text in which `|` marks the cursor and `§` a folded paste. */
function at(marked: string): TextBuffer {
  const [before = '', after = ''] = marked.split('|');
  const units = (text: string): Unit[] => unitsOf(text).map((unit) => (unit === '§' ? fold : unit));
  const start = applyEdit(createBuffer(), { type: 'insert_units', units: units(before) });
  const cursor = start.cursor;
  const full = applyEdit(start, { type: 'insert_units', units: units(after) });
  return { ...full, cursor, undo: [] };
}

function show({ units, cursor }: TextBuffer): string {
  const text = (part: readonly Unit[]): string => part.map((unit) => (unit === fold ? '§' : unit)).join('');
  return `${text(units.slice(0, cursor))}|${text(units.slice(cursor))}`;
}

const move = (to: Extract<Edit, { type: 'move' }>['to']): Edit => ({ type: 'move', to });
const insert = (text: string): Edit => ({ type: 'insert', text });

describe('one edit', () => {
  test.each<[string, Edit, string]>([
    ['ab|c', insert('X'), 'abX|c'],
    ['a|', insert('one\r\ntwo\rthree\u001B[31m\u0000'), 'aone\ntwo\nthree[31m|'],
    ['a👨‍👩‍👧|b', { type: 'delete_backward' }, 'a|b'],
    ['a|👩🏽‍🚀b', { type: 'delete_forward' }, 'a|b'],
    ['ae\u0301|', { type: 'delete_backward' }, 'a|'],
    ['🇩🇪🇫🇷|', { type: 'delete_backward' }, '🇩🇪|'],
    ['漢字|', { type: 'delete_backward' }, '漢|'],
    ['a§|b', { type: 'delete_backward' }, 'a|b'],
    ['|', { type: 'delete_backward' }, '|'],
    ['a|', { type: 'delete_forward' }, 'a|'],
    ['a👍🏽|b', move('left'), 'a|👍🏽b'],
    ['a|§b', move('right'), 'a§|b'],
    ['foo bar.baz|', move('word_left'), 'foo bar.|baz'],
    ['foo|, bar', move('word_right'), 'foo, bar|'],
    ['one §|', move('word_left'), 'one |§'],
    ['one| §x', move('word_right'), 'one §|x'],
    ['ab\ncd|ef\ngh', move('line_start'), 'ab\n|cdef\ngh'],
    ['ab\ncd|ef\ngh', move('line_end'), 'ab\ncdef|\ngh'],
    ['ab\ncd|ef', { type: 'kill_to_line_start' }, 'ab\n|ef'],
    ['ab\n|ef', { type: 'kill_to_line_start' }, 'ab|ef'],
    ['ab|cd\nef', { type: 'kill_to_line_end' }, 'ab|\nef'],
    ['ab|\nef', { type: 'kill_to_line_end' }, 'ab|ef'],
    ['git log --one|', { type: 'kill_blank_word_backward' }, 'git log |'],
    ['git log --one|', { type: 'kill_word_backward' }, 'git log --|'],
    ['a |--one two', { type: 'kill_word_forward' }, 'a | two'],
    ['abc|', { type: 'replace', from: 1, to: 2, text: 'XY' }, 'aXY|c'],
  ])('%j %j gives %j', (before, edit, after) => {
    expect(show(applyEdit(at(before), edit))).toBe(after);
  });

  test('an accent typed after its letter joins it, and the cursor stays after both', () => {
    const buffer = applyEdit(at('e|x'), insert('\u0301'));
    expect(buffer.units).toEqual(['e\u0301', 'x']);
    expect(buffer.cursor).toBe(1);
  });

  test('deleting text between two halves of a flag joins them', () => {
    expect(applyEdit(at('🇩x|🇪'), { type: 'delete_backward' }).units).toEqual(['🇩🇪']);
  });
});

describe('runs of edits', () => {
  const run = (start: string, ...edits: Edit[]): string => show(edits.reduce(applyEdit, at(start)));

  test('kills in a row are yanked as one, in reading order', () => {
    expect(
      run('one two three|', { type: 'kill_word_backward' }, { type: 'kill_word_backward' }, { type: 'yank' }),
    ).toBe('one two three|');
  });

  test('yank_pop walks the kill ring, and only right after a yank', () => {
    const kills: Edit[] = [{ type: 'kill_word_backward' }, move('left'), { type: 'kill_word_backward' }];
    expect(run('one two|', ...kills, { type: 'yank' })).toBe('one| ');
    expect(run('one two|', ...kills, { type: 'yank' }, { type: 'yank_pop' })).toBe('two| ');
    expect(run('one two|', ...kills, { type: 'yank' }, { type: 'yank_pop' }, { type: 'yank_pop' })).toBe(
      'one| ',
    );
    expect(run('one two|', ...kills, { type: 'yank' }, move('left'), { type: 'yank_pop' })).toBe('on|e ');
    expect(run('one two|', ...kills, { type: 'yank' }, { type: 'yank_pop' }, { type: 'undo' })).toBe('| ');
  });

  test('a killed fold is yanked in full', () => {
    const buffer = [{ type: 'kill_to_line_start' }, { type: 'yank' }].reduce(
      (before, edit) => applyEdit(before, edit as Edit),
      at('x§|'),
    );
    expect(expand(buffer.units)).toBe('xa\nb\nc\n');
  });

  test('undo reverts a word of typing at a time, and restores a cut', () => {
    const typed: Edit[] = [...'one two'].map(insert);
    expect(run('|', ...typed, { type: 'undo' })).toBe('one|');
    expect(run('|', ...typed, { type: 'undo' }, { type: 'undo' })).toBe('|');
    expect(run('abc|', { type: 'kill_to_line_start' }, { type: 'undo' })).toBe('abc|');
  });
});

describe('up and down', () => {
  test('keep the column across short and wide rows, and stop at the edges', () => {
    const start = at('abcdef\nx\n漢字漢字|');
    const up1 = moveVertically({ ...start, cursor: start.cursor - 1 }, -1, 40);
    expect(up1 && show(up1)).toBe('abcdef\nx|\n漢字漢字');
    const up2 = up1 && moveVertically(up1, -1, 40);
    expect(up2 && show(up2)).toBe('abcdef|\nx\n漢字漢字');
    expect(up2 && moveVertically(up2, -1, 40)).toBeUndefined();
    expect(moveVertically(start, 1, 40)).toBeUndefined();
  });

  test('move through the rows of a soft-wrapped line', () => {
    const up = moveVertically(at('abcdefgh|'), -1, 5);
    expect(up && show(up)).toBe('abc|defgh');
  });
});

const grapheme = fc.constantFrom(
  ...[
    'a',
    'Z',
    ' ',
    '\n',
    '\t',
    '.',
    '漢',
    'é',
    'e\u0301',
    '\u0301',
    '👨‍👩‍👧',
    '👍🏽',
    '🇩🇪',
    '🇩',
    '\u200D',
    '👩',
    '❤️',
    '한',
  ],
);
const anyEdit: fc.Arbitrary<Edit | 'up' | 'down'> = fc.oneof(
  { weight: 5, arbitrary: fc.array(grapheme, { maxLength: 4 }).map((parts) => insert(parts.join(''))) },
  { weight: 1, arbitrary: fc.constant<Edit>({ type: 'insert_units', units: [fold] }) },
  { weight: 2, arbitrary: fc.constantFrom<'up' | 'down'>('up', 'down') },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('left', 'right', 'word_left', 'word_right', 'line_start', 'line_end', 'start', 'end')
      .map((to) => move(to as Parameters<typeof move>[0])),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(
        'delete_backward',
        'delete_forward',
        'kill_to_line_start',
        'kill_to_line_end',
        'kill_word_backward',
        'kill_word_forward',
        'kill_blank_word_backward',
        'yank',
        'yank_pop',
        'undo',
      )
      .map((type) => ({ type }) as Edit),
  },
);
const step = (buffer: TextBuffer, edit: Edit | 'up' | 'down', width: number): TextBuffer =>
  typeof edit === 'string'
    ? (moveVertically(buffer, edit === 'up' ? -1 : 1, width) ?? buffer)
    : applyEdit(buffer, edit);

/** The expected units: the text between folds, split again. */
function divided(units: readonly Unit[]): Unit[] {
  const first = units.indexOf(fold);
  if (first === -1) return unitsOf(expand(units));
  return [...unitsOf(expand(units.slice(0, first))), fold, ...divided(units.slice(first + 1))];
}

describe('any sequence of edits', () => {
  const sequences = fc.array(anyEdit, { maxLength: 40 });

  test('keeps whole graphemes and a cursor between two of them', () => {
    fc.assert(
      fc.property(sequences, fc.integer({ min: 5, max: 30 }), (edits, width) => {
        const buffer = edits.reduce((before: TextBuffer, edit) => step(before, edit, width), createBuffer());
        expect(buffer.units).toEqual(divided(buffer.units));
        expect(Number.isInteger(buffer.cursor) && buffer.cursor >= 0).toBe(true);
        expect(buffer.cursor).toBeLessThanOrEqual(buffer.units.length);
      }),
      { numRuns: 300 },
    );
  });

  test('has the same text as a plain string', () => {
    fc.assert(
      fc.property(sequences, (edits) => {
        let buffer = createBuffer();
        for (const edit of edits) {
          if (typeof edit === 'string') continue;
          const [left, right] = [buffer.units.slice(0, buffer.cursor), buffer.units.slice(buffer.cursor)];
          const next = applyEdit(buffer, edit);
          if (edit.type === 'insert')
            expect(expand(next.units)).toBe(expand(left) + edit.text + expand(right));
          if (edit.type === 'delete_backward') {
            expect(expand(next.units)).toBe(expand(left.slice(0, -1)) + expand(right));
          }
          if (edit.type === 'delete_forward') {
            expect(expand(next.units)).toBe(expand(left) + expand(right.slice(1)));
          }
          if (edit.type === 'move') expect(next.units).toBe(buffer.units);
          if (edit.type.startsWith('kill') && expand(next.units) !== expand(buffer.units)) {
            const killed = expand(next.killRing[0] ?? []);
            const removed = expand(buffer.units).length - expand(next.units).length;
            expect(buffer.last === 'kill' ? killed.length >= removed : killed.length === removed).toBe(true);
          }
          buffer = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  test('is reverted by undo', () => {
    fc.assert(
      fc.property(fc.array(grapheme, { maxLength: 8 }), sequences, (start, edits) => {
        const first = { ...createBuffer(start.join('')) };
        let buffer = edits
          .filter((edit) => typeof edit === 'string' || edit.type !== 'undo')
          .reduce((before: TextBuffer, edit) => step(before, edit, 20), first);
        while (buffer.undo.length > 0) buffer = applyEdit(buffer, { type: 'undo' });
        expect(abbreviate(buffer.units)).toBe(abbreviate(first.units));
      }),
      { numRuns: 200 },
    );
  });

  test('is laid out within the width, with the cursor after the cells to its left', () => {
    fc.assert(
      fc.property(sequences, fc.integer({ min: 5, max: 30 }), (edits, width) => {
        const { units } = edits.reduce(
          (before: TextBuffer, edit) => step(before, edit, width),
          createBuffer(),
        );
        const layout = layOut(units, width);
        for (const row of layout.rows) {
          const cells = row.spans.flatMap((span) => segment(span.text)).map(cellWidth);
          expect(cells.reduce((sum, cell) => sum + cell, 0)).toBe(row.width);
          expect(row.width).toBeLessThan(width);
        }
        const shown = layout.rows.map((row) => row.spans.map((span) => span.text).join('')).join('');
        expect(shown).toBe(abbreviate(units).replaceAll('\n', '').replaceAll('\t', '    '));
        units.forEach((unit, position) => {
          if (
            typeof unit !== 'string' ||
            unit === '\n' ||
            layout.rowOf[position] !== layout.rowOf[position + 1]
          )
            return;
          const moved = (layout.columnOf[position + 1] ?? 0) - (layout.columnOf[position] ?? 0);
          expect(moved).toBe(cellWidth(unit));
        });
      }),
      { numRuns: 200 },
    );
  });
});

test('typing into a line of 20,000 wide characters causes no delay', () => {
  const spentMs = cpuClock();
  let buffer = createBuffer('漢'.repeat(20_000));
  for (let times = 0; times < 20; times++) buffer = applyEdit(buffer, insert('字'));
  layOut(buffer.units, 80);
  expect(spentMs()).toBeLessThan(5000);
});
