import fc from 'fast-check';
import { expect, test } from 'vitest';
import { echoOf } from '../../src/ui/firstFrame.ts';
import { anyText } from '../anyText.ts';

test.each([
  ['nothing', '', '', ''],
  ['words', 'fix it', 'fix it', ''],
  ['a corrected typo', 'fxi\u007F\u007Fix', 'fix', ''],
  ['one backspace too many', '\u007F\u007Fa', 'a', ''],
  ['a prompt that was sent', 'go\r', 'go', '\r'],
  ['text typed after a sent prompt stays after it', 'go\rmore', 'go', '\rmore'],
  ['a paste', 'see \u001B[200~a\nb\u001B[201~', 'see ', '\u001B[200~a\nb\u001B[201~'],
  ['a file name, which opens a list', 'read @src', 'read ', '@src'],
  ['a command', '/help', '', '/help'],
  ['letters beyond ASCII', 'größe', 'gr', 'öße'],
  ['Ctrl+C', 'x\u0003', 'x', '\u0003'],
])('%s', (_, typed, draft, rest) => {
  expect(echoOf(typed)).toEqual({ draft, rest });
});

test('no key is lost, and early output is plain text', () => {
  fc.assert(
    fc.property(anyText(), (typed) => {
      const { draft, rest } = echoOf(typed);
      expect(typed.endsWith(rest)).toBe(true);
      expect(draft).toMatch(/^[ -~]*$/);
      const early = typed.slice(0, typed.length - rest.length);
      expect(early).toMatch(/^[ -~\u007F]*$/);
    }),
  );
});
