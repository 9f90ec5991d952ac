import { expect, test } from 'vitest';
import { parseKeys, showKeys } from '../../../src/ui/keys/strokes.ts';

test.each([
  ['ctrl+g', 'ctrl+g'],
  ['Ctrl-G', 'ctrl+g'],
  ['CTRL+g', 'ctrl+g'],
  ['C-g', 'ctrl+g'],
  ['M-p', 'alt+p'],
  ['Option+p', 'alt+p'],
  ['meta+enter', 'alt+enter'],
  ['shift+tab', 'shift+tab'],
  ['S-Tab', 'shift+tab'],
  ['alt+ctrl+x', 'ctrl+alt+x'],
  ['F2', 'f2'],
  ['ctrl+f12', 'ctrl+f12'],
  ['Esc', 'escape'],
  ['return', 'enter'],
  ['del', 'delete'],
  ['PgUp', 'pageup'],
  ['ctrl+-', 'ctrl+-'],
  ['ctrl+_', 'ctrl+_'],
  ['ctrl+space', 'ctrl+space'],
  ['?', '?'],
  ['shift+g', 'G'],
  ['G', 'G'],
  ['Alt+B', 'alt+b'],
  ['alt+shift+b', 'alt+shift+b'],
  ['ctrl+x ctrl+e', 'ctrl+x ctrl+e'],
  ['  ctrl+x   ctrl+e ', 'ctrl+x ctrl+e'],
  ['alt+é', 'alt+é'],
])('%j is %j', (written, keys) => {
  expect(parseKeys(written)).toEqual({ type: 'keys', keys });
});

test.each([
  ['', 'no key is named'],
  ['ctrl+', 'is not a key'],
  ['strg+c', 'is not a modifier'],
  ['ctrl+nonsense', 'is not a key'],
  ['cmd+k', 'taken by the desktop'],
  ['super+k', 'taken by the desktop'],
  ['ctrl+i', 'as Tab'],
  ['ctrl+m', 'as Enter'],
  ['ctrl+[', 'as Esc'],
  ['ctrl+h', 'as Backspace'],
  ['ctrl+shift+k', 'as Ctrl+K'],
  ['ctrl+1', 'do not send'],
  ['shift+space', 'as a space'],
  ['g g', 'cannot begin with a key that types text'],
  ['ctrl+a ctrl+b ctrl+c ctrl+d', '3 keys at most'],
])('%j cannot be bound: %s', (written, reason) => {
  const parsed = parseKeys(written);
  expect(parsed.type === 'impossible' && parsed.reason).toContain(reason);
});

test.each([
  ['ctrl+x ctrl+e', 'Ctrl+X Ctrl+E'],
  ['shift+tab', 'Shift+Tab'],
  ['up', '↑'],
  ['ctrl+_', 'Ctrl+_'],
  ['ctrl+-', 'Ctrl+-'],
  ['?', '?'],
  ['f5', 'F5'],
  ['alt+<', 'Alt+<'],
])('%j is shown as %j', (keys, shown) => {
  expect(showKeys(keys)).toBe(shown);
});
