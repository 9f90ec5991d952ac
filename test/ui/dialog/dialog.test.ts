/** Keys in a dialog of choices, without a screen. */
import { expect, test } from 'vitest';
import type { ChoiceDialog } from '../../../src/ui/dialog/choices.ts';
import { keptChoice, pressChoice } from '../../../src/ui/dialog/dialog.ts';
import type { DialogKey } from '../../../src/ui/keys/keymap.ts';

const dialog: ChoiceDialog<string> = {
  type: 'choices',
  id: 'd',
  title: 'T',
  body: [],
  choices: [
    { label: 'A', letter: 'a', answer: 'a' },
    { label: 'B', letter: 'b', answer: 'b' },
  ],
  cancel: 'left',
};
const withQuit = { ...dialog, quit: 'quit' };
const action = (name: Extract<DialogKey, { type: 'action' }>['name']): DialogKey => ({
  type: 'action',
  name,
});
const letter = (text: string): DialogKey => ({ type: 'text', text });

const noWord = { holds: () => false, begin: () => {} };
const heard = { counts: () => true, stray: noWord };

test('letters and Enter of a word typed ahead answer nothing', () => {
  let isTyping = false;
  const stray = {
    holds: (isTyped: boolean) => isTyping && isTyped,
    begin: () => {
      isTyping = true;
    },
  };
  const press = (key: DialogKey) => pressChoice(dialog, 0, key, { counts: () => true, stray });
  for (const key of [letter('x'), letter('a'), action('confirm:accept')])
    expect(press(key)).toEqual({ type: 'none' });
  expect(press(action('confirm:cancel'))).toEqual({ type: 'answer', answer: 'left' });
});

test('a lasting choice needs Enter or its number; its letter only selects it', () => {
  const lasting = { ...dialog, choices: dialog.choices.map((one) => ({ ...one, isLasting: true })) };
  expect(pressChoice(lasting, 0, letter('b'), heard)).toEqual({ type: 'select', index: 1 });
  expect(pressChoice(lasting, 0, letter('2'), heard)).toEqual({ type: 'answer', answer: 'b' });
  expect(pressChoice(lasting, 1, action('confirm:accept'), heard)).toEqual({ type: 'answer', answer: 'b' });
});

test.each([
  ['Enter chooses the selected answer', action('confirm:accept'), { type: 'answer', answer: 'b' }],
  ['down wraps around at the end', action('confirm:next'), { type: 'select', index: 0 }],
  ['a digit', letter('1'), { type: 'answer', answer: 'a' }],
  ['a letter', letter('A'), { type: 'answer', answer: 'a' }],
  ['another letter', letter('x'), { type: 'none' }],
  ['Esc', action('confirm:cancel'), { type: 'answer', answer: 'left' }],
])('%s', (_name, key, expected) => {
  expect(pressChoice(dialog, 1, key, heard)).toEqual(expected);
});

test.each([
  ['Enter', dialog, action('confirm:accept'), { type: 'none' }],
  ['Esc, where it is the safe answer', dialog, action('confirm:cancel'), { type: 'answer', answer: 'left' }],
  ['Esc, where it goes somewhere', withQuit, action('confirm:cancel'), { type: 'none' }],
  ['Ctrl+C', withQuit, action('app:interrupt'), { type: 'answer', answer: 'quit' }],
  ['Ctrl+D', withQuit, action('app:exit'), { type: 'answer', answer: 'quit' }],
  ['Ctrl+D, where nothing can be quit', dialog, action('app:exit'), { type: 'none' }],
])('typed ahead: %s', (_name, asked, key, expected) => {
  expect(pressChoice(asked, 0, key, { ...heard, counts: () => false })).toEqual(expected);
});

test('a choice stays selected when others are inserted before it, and the first stays first', () => {
  const more = { ...dialog, choices: [{ label: 'New', answer: 'n' }, ...dialog.choices] };
  expect(keptChoice(dialog, more, 1)).toBe(2);
  expect(keptChoice(dialog, more, 0)).toBe(0);
  expect(keptChoice(dialog, { ...more, id: 'other' }, 1)).toBe(0);
});
