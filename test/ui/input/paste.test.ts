import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unitsOfPaste, unitsOfRecall } from '../../../src/ui/input/paste.ts';
import { applyEdit, createBuffer } from '../../../src/ui/input/textBuffer.ts';
import { abbreviate, expand } from '../../../src/ui/input/units.ts';
import { cpuClock } from '../../cpuTime.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join('\n');

test.each<[string, string, string]>([
  ['a word', 'hello', 'hello'],
  ['two lines', 'a\nb\n', 'a\nb\n'],
  ['three lines', 'a\nb\nc', '[Pasted text #1 +3 lines]'],
  ['120 lines', lines(120), '[Pasted text #1 +120 lines]'],
  ['800 characters', 'x'.repeat(800), 'x'.repeat(800)],
  ['801 characters', 'x'.repeat(801), '[Pasted text #1 +801 characters]'],
])('a paste of %s is shown in full or folded', (_name, pasted, shown) => {
  expect(abbreviate(unitsOfPaste(pasted, []))).toBe(shown);
});

test('any paste is sent in full, except for line ends and control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (text) => {
      const pasted = `${text}\u001B[31m\r\n\u0007`;
      expect(expand(unitsOfPaste(pasted, []))).toBe(
        `${text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')}[31m\n`,
      );
    }),
  );
});

test('every fold in a draft has its own number', () => {
  const first = unitsOfPaste(lines(3), []);
  const second = unitsOfPaste(lines(4), first);
  expect(abbreviate([...first, ...second])).toBe('[Pasted text #1 +3 lines][Pasted text #2 +4 lines]');
});

test('backspace removes a fold in one step; undo restores its text', () => {
  let buffer = applyEdit(createBuffer('see '), { type: 'insert_units', units: unitsOfPaste(lines(9), []) });
  buffer = applyEdit(buffer, { type: 'delete_backward' });
  expect(expand(buffer.units)).toBe('see ');
  expect(expand(applyEdit(buffer, { type: 'undo' }).units)).toBe(`see ${lines(9)}`);
});

test('typed text that looks like a fold is sent as typed', () => {
  let buffer = applyEdit(createBuffer(), { type: 'insert_units', units: unitsOfPaste(lines(3), []) });
  buffer = applyEdit(buffer, { type: 'insert', text: ' [Pasted text #1 +3 lines]' });
  expect(expand(buffer.units)).toBe(`${lines(3)} [Pasted text #1 +3 lines]`);
});

test('ten megabytes are folded and sent in full without delay', () => {
  const pasted = `${'漢字 and ASCII\r\n'.repeat(600_000)}end`;
  const spentMs = cpuClock();
  const units = unitsOfPaste(pasted, []);
  const sent = expand(units);
  expect(spentMs()).toBeLessThan(5000);
  expect(abbreviate(units)).toBe('[Pasted text #1 +600001 lines]');
  expect(sent.length).toBe(pasted.length - 600_000);
});

test('a recalled text is shown for editing unless it would fill screens', () => {
  expect(abbreviate(unitsOfRecall(lines(20)))).toBe(lines(20));
  expect(abbreviate(unitsOfRecall(lines(201)))).toBe('[Pasted text #1 +201 lines]');
});
