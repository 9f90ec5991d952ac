import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meaningsOf, readKeys } from '../../../src/ui/transcript/transcriptKeys.ts';

const names = (input: string) =>
  readKeys(input).keys.map((key) => (key.type === 'text' ? `“${key.text}”` : key.key));

test.each([
  ['\u001B[A', ['up']],
  ['\u001BOB', ['down']],
  ['\u001B[5~\u001B[6;2~', ['pageup', 'shift+pagedown']],
  ['\u001B[1;5H\u001B[4~', ['ctrl+home', 'end']],
  ['\u001B[1;4A\u001B[Z', ['alt+shift+up', 'shift+tab']],
  ['\u001BOQ\u001B[15;5~', ['f2', 'ctrl+f5']],
  ['gG', ['“gG”']],
  ['/漢字\r', ['“/漢字”', 'enter']],
  ['\u000F\u0003', ['ctrl+o', 'ctrl+c']],
  ['\u001B[200~x', ['“x”']],
  ['\u001Bx', ['alt+x']],
  ['\u001BXyz', ['alt+shift+x', '“yz”']],
  ['\u001B\u001B\r', ['escape', 'escape', 'enter']],
  ['\n\u001C\u0000', ['ctrl+j', 'ctrl+\\', 'ctrl+space']],
])('%j is %j', (input, keys) => {
  expect(names(input)).toEqual(keys);
});

test('an incomplete sequence waits for the rest', () => {
  for (const rest of ['\u001B', '\u001B[', '\u001B[5', '\u001BO'])
    expect(readKeys(`q${rest}`)).toEqual({ keys: [{ type: 'text', text: 'q' }], rest });
});

test('any input, however split, gives the same keys', () => {
  const bytes = fc.array(fc.constantFrom('\u001B', '[', 'O', 'A', '5', '~', ';', 'q', '\r', '漢', '\u0003'), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(bytes, fc.nat(30), (parts, cut) => {
      const input = parts.join('');
      const whole = readKeys(input);
      const first = readKeys(input.slice(0, cut));
      const second = readKeys(first.rest + input.slice(cut));
      const text = (keys: typeof whole.keys) =>
        keys.map((key) => (key.type === 'text' ? key.text : `<${key.key}>`)).join('');
      expect(text(first.keys) + text(second.keys)).toBe(text(whole.keys));
      expect(second.rest).toBe(whole.rest);
    }),
  );
});

test.each([
  ['up', ['up']],
  ['ctrl+shift+home', ['ctrl+shift+home', 'home']],
  ['ctrl+j', ['ctrl+j', 'enter']],
  ['ctrl+b', ['ctrl+b']],
  ['alt+x', ['alt+x', 'escape “x”']],
  ['alt+shift+x', ['alt+shift+x', 'escape “X”']],
  ['alt+space', ['alt+space', 'escape “ ”']],
])('%s is looked up as %j', (key, meanings) => {
  const shown = meaningsOf({ type: 'key', key }).map((strokes) =>
    strokes.map((one) => (one.type === 'key' ? one.key : `“${one.text}”`)).join(' '),
  );
  expect(shown).toEqual(meanings);
});
