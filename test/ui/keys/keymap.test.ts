import { describe, expect, test } from 'vitest';
import { actions } from '../../../src/ui/keys/actions.ts';
import {
  chordsAfter,
  contextNames,
  createKeymap,
  defaultKeymap,
  keysOfAction,
  readStroke,
} from '../../../src/ui/keys/keymap.ts';
import { parseKeys, type Stroke } from '../../../src/ui/keys/strokes.ts';

const key = (name: string): Stroke => ({ type: 'key', key: name });
const text = (typed: string): Stroke => ({ type: 'text', text: typed });
const writing = { contexts: ['Chat', 'Global'], isEmpty: false } as const;

describe('the table', () => {
  test('every action has a unique name', () => {
    const names = actions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('every key is one that terminals can send, or one that they send as another', () => {
    const odd = actions.flatMap(({ keys }) => keys).filter((keys) => parseKeys(keys).type !== 'keys');
    expect(odd).toEqual([]);
  });

  test('no key has two actions in one context', () => {
    for (const context of contextNames) {
      const keys = actions.filter((action) => action.context === context).flatMap((action) => action.keys);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('no bound key starts a chord', () => {
    // Dialogs have no chords.
    const all = actions.flatMap(({ keys, command }) => (command === undefined ? [] : keys));
    expect(all.filter((keys) => all.some((other) => other.startsWith(`${keys} `)))).toEqual([]);
  });
});

describe('reading a stroke', () => {
  test('text is text, except for single-character keys on an empty line', () => {
    expect(readStroke(defaultKeymap, text('?'), writing)).toEqual({ type: 'text', text: '?' });
    expect(readStroke(defaultKeymap, text('?'), { ...writing, isEmpty: true })).toMatchObject({
      command: { intent: 'help' },
    });
    expect(readStroke(defaultKeymap, text('?what'), { ...writing, isEmpty: true }).type).toBe('text');
  });

  test('a chord waits, completes, or is dropped together with its last key', () => {
    expect(readStroke(defaultKeymap, key('ctrl+x'), writing)).toEqual({ type: 'pending', keys: 'ctrl+x' });
    const pending = { ...writing, pending: 'ctrl+x' };
    expect(readStroke(defaultKeymap, key('ctrl+e'), pending)).toMatchObject({
      command: { intent: 'edit_draft' },
    });
    expect(readStroke(defaultKeymap, key('ctrl+a'), pending)).toEqual({ type: 'nothing' });
    expect(readStroke(defaultKeymap, text('e'), pending)).toEqual({ type: 'nothing' });
    expect(chordsAfter(defaultKeymap, 'ctrl+x').map(({ keys }) => keys)).toEqual(['ctrl+e']);
  });

  test('Shift counts only if it makes a difference', () => {
    expect(readStroke(defaultKeymap, key('shift+left'), writing)).toMatchObject({
      command: { edit: { to: 'left' } },
    });
    expect(readStroke(defaultKeymap, key('ctrl+shift+-'), writing)).toMatchObject({
      command: { edit: { type: 'undo' } },
    });
    expect(readStroke(defaultKeymap, key('shift+tab'), writing)).toMatchObject({
      command: { intent: 'cycle_mode' },
    });
  });

  test('the inner context takes precedence', () => {
    const search = { contexts: ['HistorySearch', 'Chat'], isEmpty: false } as const;
    expect(readStroke(defaultKeymap, key('ctrl+s'), search)).toMatchObject({ command: { step: 'scope' } });
    expect(readStroke(defaultKeymap, key('ctrl+s'), writing)).toMatchObject({ command: { type: 'stash' } });
  });

  test('an unknown key has no action', () => {
    expect(readStroke(defaultKeymap, key('f9'), writing)).toEqual({ type: 'nothing' });
  });
});

test('a change adds or removes a key', () => {
  const stash = actions.find(({ name }) => name === 'chat:stash') ?? null;
  const keymap = createKeymap([
    { context: 'Chat', keys: 'alt+s', action: stash },
    { context: 'Chat', keys: 'ctrl+s', action: null },
  ]);
  expect(keysOfAction(keymap, 'chat:stash')).toEqual(['alt+s']);
  expect(readStroke(keymap, key('ctrl+s'), writing)).toEqual({ type: 'nothing' });
});
