import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialogActions, listContexts } from '../../../src/ui/keys/dialogActions.ts';
import { keysIn } from '../../../src/ui/keys/keyHints.ts';
import { type DialogFocus, defaultKeymap, keysOfAction, readDialogKey } from '../../../src/ui/keys/keymap.ts';
import { isText, type Stroke } from '../../../src/ui/keys/strokes.ts';
import { userKeys } from '../../../src/ui/keys/userBindings.ts';

describe('valid bindings', () => {
  test.each([
    ['by context', { Chat: { 'ctrl+e': 'chat:externalEditor', 'ctrl+s': null } }],
    [
      'keys as in other agents',
      {
        $schema: 'https://example.org/keys.json',
        bindings: [{ context: 'Chat', bindings: { 'ctrl+e': 'chat:externalEditor', 'ctrl+s': null } }],
      },
    ],
  ])('%s', (_name, value) => {
    const { keymap, problems } = userKeys(value);
    expect(problems).toEqual([]);
    expect(keysOfAction(keymap, 'chat:externalEditor')).toContain('ctrl+e');
    expect(keysOfAction(keymap, 'chat:stash')).toEqual([]);
    expect(keysOfAction(keymap, 'edit:lineEnd')).toEqual(['end']);
  });

  test('composer keys may be in either of its contexts', () => {
    const { keymap, problems } = userKeys({
      Chat: { 'alt+h': 'app:help' },
      Global: { 'alt+g': 'chat:submit' },
    });
    expect(problems).toEqual([]);
    expect(keysOfAction(keymap, 'app:help')).toEqual(['?', 'alt+h']);
    expect(keysOfAction(keymap, 'chat:submit')).toContain('alt+g');
  });
});

test('lists, questions, forms and the transcript have their own keys', () => {
  const { keymap, problems } = userKeys({
    Select: { 'ctrl+j': 'select:next', 'ctrl+g': 'select:cancel' },
    Tasks: { j: 'select:next', k: null },
    Confirmation: { f2: 'confirm:yes', a: null, j: 'confirm:next', q: 'confirm:cancel' },
    Transcript: { 'ctrl+d': 'transcript:exit', 'alt+k': 'scroll:lineUp' },
    Form: { 'ctrl+enter': 'form:submit', enter: 'form:next' },
  });
  expect(problems).toEqual([]);
  expect(keysOfAction(keymap, 'select:next')).toEqual(['down', 'ctrl+n', 'ctrl+j', 'j']);
  expect(keysOfAction(keymap, 'tasks:stop')).toEqual(['x']);
  expect(keysOfAction(keymap, 'confirm:yes')).toEqual(['y', 'f2']);
  expect(keysOfAction(keymap, 'confirm:always')).toEqual([]);
  expect(keysOfAction(keymap, 'confirm:cancel')).toEqual(['escape', 'q']);
  expect(keysOfAction(keymap, 'scroll:halfPageDown')).toEqual(['d']);
  expect(keysOfAction(keymap, 'form:submit')).toEqual(['ctrl+enter']);
});

describe('mistakes are reported, and the rest applies', () => {
  test.each<[string, unknown, string]>([
    ['not an object', [], 'not an object'],
    ['an unknown context', { Tabs: { tab: 'tabs:next' } }, 'has no configurable keys'],
    ['an unknown action', { Chat: { 'alt+z': 'chat:fly' } }, 'there is no action "chat:fly"'],
    ['an impossible key', { Chat: { 'ctrl+i': 'chat:stash' } }, 'as Tab'],
    ['a key of the desktop', { Chat: { 'cmd+k': 'chat:stash' } }, 'taken by the desktop'],
    ['Ctrl+C', { Global: { 'ctrl+c': null } }, 'there must always be a way'],
    ['Esc in a chord', { Chat: { 'escape escape': 'chat:stash' } }, 'there must always be a way'],
    ['an action with fixed keys', { Global: { 'alt+q': 'app:exit' } }, 'stay as they are'],
    ['a sign', { Chat: { '/': 'chat:stash' } }, 'begins a command'],
    [
      'an action of another context',
      { Chat: { 'alt+z': 'historySearch:scope' } },
      'belongs to HistorySearch',
    ],
    ['no name', { Chat: { 'alt+z': 3 } }, 'an action is a name in quotes'],
    ['a key twice', { Chat: { 'ctrl+e': 'chat:stash', 'C-e': 'chat:undo' } }, 'is bound twice'],
    [
      'a chord that can never be typed',
      { Chat: { 'ctrl+x': 'chat:undo' } },
      'Ctrl+X Ctrl+E cannot be reached',
    ],
    ['no key that sends', { Chat: { enter: 'chat:newline' } }, 'Enter still works'],
    ['a block without a context', { bindings: [{ bindings: {} }] }, 'names no context'],
  ])('%s', (_name, value, problem) => {
    const read = userKeys(value);
    expect(read.problems.join('\n')).toContain(problem);
    expect(keysOfAction(read.keymap, 'chat:submit')).toContain('enter');
  });

  test.each<[string, unknown, string]>([
    ['an action of other agents', { Transcript: { 'ctrl+e': 'transcript:toggleShowAll' } }, 'no action'],
    ['Esc', { Select: { escape: 'select:accept' } }, 'there must always be a way'],
    ['Ctrl+C', { Confirmation: { 'ctrl+c': null } }, 'there must always be a way'],
    ['Ctrl+D', { Select: { 'ctrl+d': 'select:pageDown' } }, 'there must always be a way'],
    ['two keys in a row', { Select: { 'ctrl+x ctrl+e': 'select:last' } }, 'Select has single keys only'],
    ['text in a form', { Form: { x: 'form:next' } }, 'x is text there'],
    ['a digit in a question', { Confirmation: { 2: 'confirm:no' } }, 'digits choose'],
    ['a letter that approves', { Confirmation: { n: 'confirm:yes' } }, 'confirm:yes confirms'],
    ['the space bar', { Confirmation: { space: 'confirm:accept' } }, 'confirm:accept confirms'],
    ['Enter for yes', { Confirmation: { enter: 'confirm:yes' } }, 'confirm:yes confirms'],
    ['an arrow', { Confirmation: { right: 'confirm:always' } }, 'confirm:always confirms'],
    ['an action of another list', { Tasks: { j: 'items:pin' } }, 'items:pin belongs to Items'],
    ['a list action in a question', { Confirmation: { j: 'select:next' } }, 'belongs to Select'],
    [
      'no key that accepts',
      { Select: { enter: 'select:next' } },
      'select:accept any more; Enter still works',
    ],
    ['a letter that accepts', { Select: { enter: null, o: 'select:accept' } }, 'Enter still works'],
    [
      'Enter with another meaning in one list',
      { Sessions: { enter: 'sessions:fork' } },
      'No key in Sessions',
    ],
    [
      'a key that accepts, and has another meaning in one list',
      { Select: { enter: null, 'ctrl+r': 'select:accept' } },
      'No key in Sessions',
    ],
    ['no answer', { Confirmation: { enter: null } }, 'No key in Confirmation'],
    ['no key that closes a form', { Form: { enter: 'form:next' } }, 'No key in Form'],
  ])('in a dialog: %s', (_name, value, problem) => {
    expect(userKeys(value).problems.join('\n')).toContain(problem);
  });

  test('repeating a default is not reported', () => {
    const { keymap, problems } = userKeys({
      Global: { 'ctrl+c': 'app:interrupt' },
      Chat: { escape: 'chat:cancel' },
      Select: { escape: 'select:cancel', enter: 'select:accept' },
      Confirmation: { y: 'confirm:yes', n: 'confirm:no' },
    });
    expect(problems).toEqual([]);
    expect(keymap).toEqual(defaultKeymap);
  });

  test('a bad line affects only itself', () => {
    const { keymap, problems } = userKeys({ Chat: { 'alt+z': 'chat:fly', 'alt+s': 'chat:stash' } });
    expect(problems).toHaveLength(1);
    expect(keysOfAction(keymap, 'chat:stash')).toContain('alt+s');
  });

  test('Enter may insert a new line if another key sends', () => {
    const { keymap, problems } = userKeys({ Chat: { enter: 'chat:newline', 'ctrl+enter': 'chat:submit' } });
    expect(problems).toEqual([]);
    expect(keysOfAction(keymap, 'chat:submit')).toEqual(['ctrl+enter']);
  });
});

test('whatever the file contains, the user can interrupt, quit and send', () => {
  const keys = fc.constantFrom(
    'ctrl+c',
    'escape',
    'ctrl+d',
    'enter',
    'ctrl+x',
    'alt+z',
    '?',
    'x',
    'nonsense',
    '',
  );
  const action = fc.constantFrom('chat:submit', 'chat:newline', 'app:help', 'nonsense', null, 1);
  const block = fc.dictionary(keys, action);
  const file = fc.oneof(fc.jsonValue(), fc.record({ Global: block, Chat: block, Autocomplete: block }));
  fc.assert(
    fc.property(file, (value) => {
      const { keymap } = userKeys(value);
      expect(keysOfAction(keymap, 'app:interrupt')).toEqual(keysOfAction(defaultKeymap, 'app:interrupt'));
      expect(keysOfAction(keymap, 'app:exit')).toContain('ctrl+d');
      expect(keysOfAction(keymap, 'chat:cancel')).toContain('escape');
      expect(keysOfAction(keymap, 'chat:submit').length).toBeGreaterThan(0);
    }),
  );
});

test('whatever the file contains, every dialog can be closed and answered, and typing never approves', () => {
  const keys = fc.constantFrom(
    'escape',
    'ctrl+c',
    'enter',
    'space',
    'tab',
    'y',
    'n',
    '1',
    'ctrl+r',
    'f2',
    'up',
  );
  const names = dialogActions.map(({ name }) => name);
  const block = fc.dictionary(keys, fc.option(fc.constantFrom(...names)));
  const contexts = [...new Set(dialogActions.map(({ context }) => context))];
  const file = fc.record(Object.fromEntries(contexts.map((context) => [context, block])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(file, (value) => {
      const { keymap } = userKeys(value);
      const read = (place: DialogFocus, stroke: Stroke) => readDialogKey(keymap, stroke, place).key;
      const pressed = (place: DialogFocus, key: string) => read(place, { type: 'key', key });
      for (const { contexts: places, cancel, accept } of dialogs)
        for (const typing of ['keys', 'answer', 'start', 'text'] as const) {
          const place = { contexts: places, typing };
          expect(pressed(place, 'escape')).toEqual({ type: 'action', name: cancel });
          expect(pressed(place, 'ctrl+c')).toEqual({ type: 'action', name: 'app:interrupt' });
          const hasAccept = ['enter', ...keysIn(keymap, place, accept)].some((key) => {
            const meaning = isText(key) ? undefined : pressed(place, key);
            return meaning?.type === 'action' && meaning.name === accept;
          });
          expect(hasAccept).toBe(true);
        }
      const question = { contexts: ['Confirmation'], typing: 'answer' } as const;
      for (const text of ['n', ' ', '1', 'yes', 'j']) {
        const meaning = read(question, { type: 'text', text });
        expect(meaning.type === 'action' && agreeing.includes(meaning.name)).toBe(false);
      }
      for (const key of ['tab', 'up', 'left', 'backspace', 'home']) {
        const meaning = pressed(question, key);
        expect(meaning.type === 'action' && agreeing.includes(meaning.name)).toBe(false);
      }
      const entered = pressed(question, 'enter');
      expect(entered.type === 'action' && agreeing.slice(1).includes(entered.name)).toBe(false);
    }),
  );
});

const agreeing: readonly string[] = ['confirm:accept', 'confirm:yes', 'confirm:always'];

const dialogs = [
  { contexts: ['Select'], cancel: 'select:cancel', accept: 'select:accept' },
  ...listContexts.map(
    (list) => ({ contexts: [list, 'Select'], cancel: 'select:cancel', accept: 'select:accept' }) as const,
  ),
  { contexts: ['Confirmation'], cancel: 'confirm:cancel', accept: 'confirm:accept' },
  { contexts: ['Form'], cancel: 'form:cancel', accept: 'form:submit' },
] as const;
