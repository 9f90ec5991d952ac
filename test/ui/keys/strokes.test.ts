import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Stroke, strokesOf } from '../../../src/ui/keys/strokes.ts';

type KeyEvent = Parameters<typeof strokesOf>[1];

const short = (stroke: Stroke): string => (stroke.type === 'key' ? stroke.key : JSON.stringify(stroke.text));

describe('one key', () => {
  test.each<[string, KeyEvent, string, string[]]>([
    ['g', { ctrl: true }, '', ['ctrl+g']],
    ['g', { ctrl: true, shift: true }, '', ['ctrl+shift+g']],
    ['i', { ctrl: true }, '', ['tab']],
    ['m', { ctrl: true }, '', ['enter']],
    ['[', { ctrl: true }, '', ['escape']],
    [' ', { ctrl: true }, '', ['ctrl+space']],
    ['p', { meta: true }, '', ['alt+p']],
    ['P', { meta: true }, '', ['alt+shift+p']],
    ['<', { meta: true }, '', ['alt+<']],
    ['x', { ctrl: true, meta: true }, '', ['ctrl+alt+x']],
    ['', { tab: true, shift: true }, '', ['shift+tab']],
    ['', { leftArrow: true, ctrl: true }, '', ['ctrl+left']],
    ['', {}, '\u001BOQ', ['f2']],
    ['', {}, '\u001B[15~', ['f5']],
    ['', { ctrl: true }, '\u001B[24;5~', ['ctrl+f12']],
    ['', { shift: true }, '\u001B[1;2P', ['shift+f1']],
    ['', {}, '\u001B[2~', ['insert']],
    ['', {}, '\u001B[57441u', []],
    ['a', { super: true }, '', []],
    ['a', { eventType: 'release' }, '', []],
    ['\u0000', {}, '', ['ctrl+space']],
  ])('%j %j %j', (input, key, raw, expected) => {
    expect(strokesOf(input, key, raw).map(short)).toEqual(expected);
  });
});

test('keys in one chunk are read like single keys', () => {
  // Line breaks and tabs inside text are a paste; Esc begins sequences, which Ink takes apart.
  const key = fc.constantFrom(
    'a',
    'Z',
    '?',
    '漢',
    ' ',
    '\u0001',
    '\u0017',
    '\u0012',
    '\u0013',
    '\u001A',
    '\u007F',
    '\u0000',
  );
  const joined = (strokes: readonly Stroke[]): string =>
    strokes.map((one) => (one.type === 'key' ? `<${one.key}>` : one.text)).join('');
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 20 }), (pressed) => {
      const one = pressed.flatMap((character) => strokesOf(character, {}));
      expect(joined(strokesOf(pressed.join(''), {}))).toBe(joined(one));
    }),
  );
});

test('an earlier function key does not affect later keys', () => {
  expect(strokesOf('a', {}, '\u001BOQ').map(short)).toEqual(['"a"']);
});
