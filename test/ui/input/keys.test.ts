import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/ui/keys/actions.ts';
import { defaultKeymap, readStroke } from '../../../src/ui/keys/keymap.ts';
import { strokesOf } from '../../../src/ui/keys/strokes.ts';

type KeyEvent = Parameters<typeof strokesOf>[1];

/** The meaning of the keys of one input event in the composer, after existing text. */
function commandsOf(input: string, key: KeyEvent): readonly Command[] {
  return strokesOf(input, key).flatMap((stroke): readonly Command[] => {
    const reading = readStroke(defaultKeymap, stroke, { contexts: ['Chat', 'Global'], isEmpty: false });
    if (reading.type === 'text') return [{ type: 'edit', edit: { type: 'insert', text: reading.text } }];
    return reading.type === 'command' ? [reading.command] : [];
  });
}

/** A command in short: `edit insert a`, `edit move left`, `intent eof`, `enter`. */
function short(command: Command): string {
  if (command.type === 'intent') return `intent ${command.intent}`;
  if (command.type !== 'edit') return command.type;
  const { edit } = command;
  return ['edit', edit.type, 'text' in edit ? JSON.stringify(edit.text) : '', 'to' in edit ? edit.to : '']
    .filter((part) => part !== '')
    .join(' ');
}

describe('a key', () => {
  test.each<[string, KeyEvent, string[]]>([
    ['a', {}, ['edit insert "a"']],
    ['漢', {}, ['edit insert "漢"']],
    ['\r', { return: true }, ['enter']],
    ['\r', { return: true, shift: true }, ['newline']],
    ['\r', { return: true, meta: true }, ['newline']],
    ['\n', {}, ['newline']],
    ['j', { ctrl: true }, ['newline']],
    ['', { tab: true }, ['tab']],
    ['', { tab: true, shift: true }, ['intent cycle_mode']],
    ['', { escape: true }, ['escape']],
    ['', { escape: true, meta: true }, ['escape', 'escape']],
    ['', { upArrow: true }, ['up']],
    ['', { leftArrow: true, ctrl: true }, ['edit move word_left']],
    ['', { backspace: true }, ['edit delete_backward']],
    ['', { backspace: true, meta: true }, ['edit kill_word_backward']],
    ['', { delete: true }, ['edit delete_forward']],
    ['', { home: true }, ['edit move line_start']],
    ['c', { ctrl: true }, ['intent clear_or_exit']],
    ['d', { ctrl: true }, ['delete_or_eof']],
    ['l', { ctrl: true }, ['intent redraw']],
    ['w', { ctrl: true }, ['edit kill_blank_word_backward']],
    ['_', { ctrl: true }, ['edit undo']],
    ['-', { ctrl: true, shift: true }, ['edit undo']],
    ['b', { meta: true }, ['edit move word_left']],
    ['y', { meta: true }, ['edit yank_pop']],
    ['o', { ctrl: true }, ['intent transcript']],
    ['p', { meta: true }, ['intent pick_model']],
    ['a', { eventType: 'release' }, []],
    ['c', { super: true }, []],
    ['', {}, []],
  ])('%j %j means %j', (input, key, expected) => {
    expect(commandsOf(input, key).map(short)).toEqual(expected);
  });
});

describe('several keys in one chunk', () => {
  test.each<[string, string[]]>([
    ['hello\r', ['edit insert "hello"', 'enter']],
    ['one\rtwo', ['edit insert "one\\rtwo"']],
    ['one\n\ttwo\r', ['edit insert "one\\n\\ttwo"', 'enter']],
    ['\u0001x', ['edit move line_start', 'edit insert "x"']],
    ['ab\u0017cd', ['edit insert "ab"', 'edit kill_blank_word_backward', 'edit insert "cd"']],
    ['/he\t\r', ['edit insert "/he"', 'tab', 'enter']],
  ])('%j', (input, expected) => {
    expect(commandsOf(input, {}).map(short)).toEqual(expected);
  });
});
