import { expect, test } from 'vitest';
import { quotedName, visibleText } from '../../../src/protocol/text/visible.ts';

test.each([
  ['/srv/a b/файл "x".ts', '/srv/a b/файл "x".ts'],
  ['a\nb', '"a\\nb"'],
  ['a\u2028b\u202ec', '"a\\u2028b\\u202ec"'],
  ['a\u007f"\\', '"a\\u007f\\"\\\\"'],
  ['\u{e0041}', '"\\udb40\\udc41"'],
  ['\ud800', '"\\ud800"'],
])('%j is written as one line of visible characters', (name, expected) => {
  expect(quotedName(name)).toBe(expected);
  if (name !== expected) expect(JSON.parse(quotedName(name))).toBe(name);
});

test('emoji keep their joiners and variation selectors, which nothing else keeps', () => {
  const emoji = '👨‍👩‍👧 ❤️ 👍🏽 🏳️‍🌈 1️⃣';
  expect(visibleText(emoji)).toBe(emoji);
  expect(visibleText('a\uFE0Fb\u200Dc ❤\uFE0F\uFE0F\u{E0101}\u200D')).toBe('abc ❤\uFE0F');
});
