import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinWithDots, keyHints } from '../../../src/ui/keys/keyHints.ts';
import {
  type DialogFocus,
  type DialogKey,
  defaultKeymap,
  readDialogKey,
} from '../../../src/ui/keys/keymap.ts';
import type { Stroke } from '../../../src/ui/keys/strokes.ts';
import { userKeys } from '../../../src/ui/keys/userBindings.ts';

const tasks: DialogFocus = { contexts: ['Tasks', 'Select'], typing: 'keys' };
const question: DialogFocus = { contexts: ['Confirmation'], typing: 'answer' };
const filter: DialogFocus = { contexts: ['Sessions', 'Select'], typing: 'text' };
const transcript: DialogFocus = { contexts: ['Transcript'], typing: 'keys' };
const empty: DialogFocus = { contexts: ['Sessions', 'Select'], typing: 'start' };

const typed = (text: string): Stroke => ({ type: 'text', text });
const pressed = (key: string): Stroke => ({ type: 'key', key });
const shown = (key: DialogKey): string =>
  key.type === 'action'
    ? key.name
    : key.type === 'text'
      ? `“${key.text}”`
      : key.type === 'edit'
        ? `edit ${'to' in key.edit ? key.edit.to : key.edit.type}`
        : 'other';

/** Every meaning of a stroke, in order. */
function meanings(stroke: Stroke, place: DialogFocus, keymap = defaultKeymap): readonly string[] {
  const all: string[] = [];
  for (let left: Stroke | undefined = stroke; left !== undefined; ) {
    const { key, rest } = readDialogKey(keymap, left, place);
    all.push(shown(key));
    left = rest === '' ? undefined : typed(rest);
  }
  return all;
}

test.each<[string, DialogFocus, Stroke, readonly string[]]>([
  ['the list’s own key comes first', tasks, typed('k'), ['tasks:stop']],
  ['then the keys of every list', tasks, typed('G'), ['select:last']],
  ['a capital is distinct if both are bound', tasks, typed('gG'), ['select:first', 'select:last']],
  ['and is its small letter if not', tasks, typed('X'), ['tasks:stop']],
  ['characters in one chunk are separate keys', tasks, typed('xq?'), ['tasks:stop', 'tasks:close', '“?”']],
  ['in a question they are not', question, typed('yy'), ['“yy”']],
  ['but a single one is', question, typed('y'), ['confirm:yes']],
  ['digits are the question’s own', question, typed('2'), ['“2”']],
  ['text typed into a filter is text', filter, typed('/?g'), ['“/?g”']],
  ['the first character on an empty line may be a key', empty, typed('/ab'), ['sessions:search', '“ab”']],
  ['of this list only', empty, typed('g'), ['“g”']],
  ['a key with Control is the list’s', filter, pressed('ctrl+r'), ['sessions:rename']],
  ['otherwise the text field’s', filter, pressed('ctrl+a'), ['edit line_start']],
  ['if there is one', tasks, pressed('ctrl+a'), ['other']],
  ['Shift counts if it makes a difference', filter, pressed('shift+tab'), ['sessions:scope']],
  ['and only then', tasks, pressed('shift+up'), ['select:previous']],
  ['Ctrl+C', question, pressed('ctrl+c'), ['app:interrupt']],
  ['Ctrl+D', question, pressed('ctrl+d'), ['app:exit']],
  ['a key that scrolls the transcript', transcript, pressed('ctrl+d'), ['scroll:halfPageDown']],
  ['a key of the composer', question, pressed('ctrl+t'), ['other']],
  ['a key that closes the transcript', transcript, pressed('ctrl+o'), ['app:toggleTranscript']],
  ['a key that redraws it', transcript, pressed('ctrl+l'), ['app:redraw']],
  ['and nothing else', question, pressed('ctrl+l'), ['other']],
])('%s', (_name, place, stroke, expected) => {
  expect(meanings(stroke, place)).toEqual(expected);
});

test('the line editor uses the user’s keys, and keeps built-in ones that mean something else in other contexts', () => {
  const { keymap } = userKeys({
    Global: { 'ctrl+a': 'app:redraw' },
    Chat: { 'alt+a': 'edit:lineStart', 'ctrl+e': 'chat:externalEditor' },
  });
  expect(meanings(pressed('ctrl+a'), filter, keymap)).toEqual(['edit line_start']);
  expect(meanings(pressed('alt+a'), filter, keymap)).toEqual(['edit line_start']);
  expect(meanings(pressed('ctrl+e'), filter, keymap)).toEqual(['edit line_end']);
});

test('an unbound character is text again', () => {
  const { keymap } = userKeys({ Tasks: { x: null }, Sessions: { '/': null } });
  expect(meanings(typed('x'), tasks, keymap)).toEqual(['“x”']);
  expect(meanings(typed('/'), empty, keymap)).toEqual(['“/”']);
});

test('hints name the keys that trigger an action in that context', () => {
  const { keymap } = userKeys({
    Select: { up: null, 'ctrl+p': null, 'ctrl+k': 'select:previous' },
    Tasks: { x: null, pagedown: 'tasks:stop' },
    Sessions: { 'ctrl+f': null },
  });
  const hints = keyHints(keymap, tasks);
  expect(hints.keys('select:previous', 'select:next')).toBe('Ctrl+K ↓');
  expect(hints.key('tasks:stop')).toBe('k');
  // PgDn now belongs to Tasks.
  expect(hints.key('select:pageDown')).toBeUndefined();
  expect(hints.does('select:pageDown', 'a page down')).toBeUndefined();
  expect(keyHints(keymap, filter).key('select:first')).toBe('Home');
  expect(keyHints(keymap, filter).key('sessions:search')).toBeUndefined();
  expect(keyHints(keymap, empty).key('sessions:search')).toBe('/');
  expect(keyHints(defaultKeymap, tasks).keys('select:previous', 'select:next', 'select:pageUp')).toBe(
    '↑↓ PgUp',
  );
  expect(joinWithDots('a', undefined, '', 'b')).toBe('a · b');
});

test('all typed text is read, and at most one character of it answers a question', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      for (const place of [tasks, question, filter, empty]) {
        let read = '';
        for (let left: string | undefined = text; left !== undefined && left !== ''; ) {
          const { key, rest } = readDialogKey(defaultKeymap, typed(left), place);
          read += key.type === 'text' ? key.text : key.type === 'action' ? (key.typed ?? '') : '';
          if (place === question && key.type === 'action') expect(text).toBe(key.typed);
          left = rest;
        }
        expect(read).toBe(text);
      }
    }),
  );
});
