import { expect, test } from 'vitest';
import { parseBoundedJson, printJson } from '../../../src/protocol/text/boundedJson.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('JSON with too many arrays and objects is not parsed, however they are arranged', () => {
  expect(() => parseBoundedJson(nested(1001))).toThrow('nested more than 1000 levels deep');
  expect(() => parseBoundedJson(`[${'{},'.repeat(500_001)}0]`)).toThrow(
    'more than 500,000 arrays and objects',
  );
  expect(() => parseBoundedJson('['.repeat(1001))).toThrow('nested');
});

test('brackets in strings are text, and everything else is parsed as usual', () => {
  for (const text of [
    nested(1000),
    JSON.stringify({ a: ['\\', '"', '['.repeat(2000), '\\"{{'] }),
    '1',
    '"["',
  ])
    expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
  for (const text of ['', '{', '"', '"\\', ']]]'])
    expect(() => parseBoundedJson(text), text).toThrow(SyntaxError);
});

test('JSON is printed on several lines unless that would multiply its size', () => {
  expect(printJson({ a: [1] })).toBe('{\n "a": [\n  1\n ]\n}');
  const deep = JSON.parse(`${'['.repeat(400)}${'1,'.repeat(20_000)}1${']'.repeat(400)}`);
  expect(printJson(deep)).toBe(JSON.stringify(deep));
});
