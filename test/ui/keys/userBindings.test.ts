import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultKeymap, keysOfAction } from '../../../src/ui/keys/keymap.ts';
import { userKeys } from '../../../src/ui/keys/userBindings.ts';

describe('what counts', () => {
  test.each([
    ['by context', { Chat: { 'ctrl+e': 'chat:externalEditor', 'ctrl+s': null } }],
    [
      'as other agents have it',
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

  test('what belongs to writing may stand in either of its contexts', () => {
    const { keymap, problems } = userKeys({
      Chat: { 'alt+h': 'app:help' },
      Global: { 'alt+g': 'chat:submit' },
    });
    expect(problems).toEqual([]);
    expect(keysOfAction(keymap, 'app:help')).toEqual(['?', 'alt+h']);
    expect(keysOfAction(keymap, 'chat:submit')).toContain('alt+g');
  });
});

describe('what is said, while the rest counts', () => {
  test.each<[string, unknown, string]>([
    ['no object', [], 'no object'],
    ['a context without keys', { Confirmation: { y: 'confirm:yes' } }, 'has no keys that can be changed'],
    ['an unknown action', { Chat: { 'alt+z': 'chat:fly' } }, 'there is no action “chat:fly”'],
    ['a key that cannot be', { Chat: { 'ctrl+i': 'chat:stash' } }, 'as Tab'],
    ['a key of the desktop', { Chat: { 'cmd+k': 'chat:stash' } }, 'belongs to the desktop'],
    ['Ctrl+C', { Global: { 'ctrl+c': null } }, 'there must always be a way'],
    ['Esc in a chord', { Chat: { 'escape escape': 'chat:stash' } }, 'there must always be a way'],
    ['an action whose keys stay', { Global: { 'alt+q': 'app:exit' } }, 'stay as they are'],
    ['a sign', { Chat: { '/': 'chat:stash' } }, 'begins a command'],
    ['an action elsewhere', { Chat: { 'alt+z': 'historySearch:scope' } }, 'belongs to HistorySearch'],
    ['no name', { Chat: { 'alt+z': 3 } }, 'an action is a name in quotes'],
    ['a key twice', { Chat: { 'ctrl+e': 'chat:stash', 'C-e': 'chat:undo' } }, 'stands there twice'],
    ['a chord hidden', { Chat: { 'ctrl+x': 'chat:undo' } }, 'Ctrl+X Ctrl+E cannot be reached'],
    ['nothing sends', { Chat: { enter: 'chat:newline' } }, 'Enter still does'],
    ['a block without a context', { bindings: [{ bindings: {} }] }, 'names no context'],
  ])('%s', (_name, value, problem) => {
    const read = userKeys(value);
    expect(read.problems.join('\n')).toContain(problem);
    expect(keysOfAction(read.keymap, 'chat:submit')).toContain('enter');
  });

  test('one bad line costs itself only', () => {
    const { keymap, problems } = userKeys({ Chat: { 'alt+z': 'chat:fly', 'alt+s': 'chat:stash' } });
    expect(problems).toHaveLength(1);
    expect(keysOfAction(keymap, 'chat:stash')).toContain('alt+s');
  });

  test('Enter may make lines where another key sends', () => {
    const { keymap, problems } = userKeys({ Chat: { enter: 'chat:newline', 'ctrl+enter': 'chat:submit' } });
    expect(problems).toEqual([]);
    expect(keysOfAction(keymap, 'chat:submit')).toEqual(['ctrl+enter']);
  });
});

test('whatever the file holds, one can stop, leave and send', () => {
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
