import { expect, test } from 'vitest';
import { asciiSymbols, isUtf8Locale, withoutBoxDrawing } from '../../../src/ui/plain/asciiSymbols.ts';

test.each([
  ['“Yes” … it’s 1–2', '"Yes" ... it\'s 1-2'],
  ['a → b · c', 'a -> b - c'],
  ['├── file', ' file'],
  ['größer 漢字', 'größer 漢字'],
])('%j is %j without UTF-8', (text, plain) => {
  expect(asciiSymbols(text)).toBe(plain);
});

test('a page keeps its words and loses its decoration', () => {
  expect(withoutBoxDrawing('Context\n████░░░░\n█ system  12 tokens\n\nEnd')).toBe(
    'Context\n system  12 tokens\n\nEnd',
  );
});

test.each([
  [{}, true],
  [{ LANG: 'en_US.UTF-8' }, true],
  [{ LANG: 'C.utf8' }, true],
  [{ LANG: 'de_DE.ISO-8859-1' }, false],
  [{ LANG: 'C' }, false],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
  [{ LANG: 'C', LC_CTYPE: 'en_US.UTF-8' }, true],
  [{ LANG: '', LC_ALL: '' }, true],
])('%j: %s', (env, expected) => {
  expect(isUtf8Locale(env)).toBe(expected);
});
