import fc from 'fast-check';
import { expect, test } from 'vitest';
import { modelSettingsOf } from '../../src/model/modelSettings.ts';

test.each<readonly [string, string, boolean]>([
  ['qwen3:8b', 'qwen3:8b', true],
  ['qwen3:8b', 'qwen3:8', false],
  ['qwen3*', 'qwen3:8b', true],
  ['qwen3*', 'Qwen3-Coder', true],
  ['qwen3*', 'my/qwen3', false],
  ['*/qwen3*', 'my/qwen3', true],
  ['*', '', true],
  ['*:8b', 'llama3.1:8b', true],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['a*a', 'a', false],
  ['a.c', 'abc', false],
])('%s means %s: %s', (pattern, id, expected) => {
  expect('contextWindow' in modelSettingsOf({ [pattern]: { contextWindow: 1 } }, id)).toBe(expected);
});

test('the longer pattern overrides the shorter, an id overrides every pattern, and each fills in what the others leave out', () => {
  const models = {
    'qwen3:8b': { contextWindow: 3, vision: undefined },
    '*': { contextWindow: 1, maxOutputTokens: 1, vision: true },
    'qwen3*': { contextWindow: 2, maxOutputTokens: 2 },
  };
  expect(modelSettingsOf(models, 'qwen3:8b')).toEqual({ contextWindow: 3, maxOutputTokens: 2, vision: true });
  expect(modelSettingsOf(models, 'qwen3:32b')).toEqual({
    contextWindow: 2,
    maxOutputTokens: 2,
    vision: true,
  });
  expect(modelSettingsOf(models, 'other')).toEqual({ contextWindow: 1, maxOutputTokens: 1, vision: true });
});

test('a pattern matches like the equivalent regular expression', () => {
  const some = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 10 });
  fc.assert(
    fc.property(some, name, (pattern, id) => {
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '[^]*');
      const isMatch = new RegExp(`^${source}$`).test(id);
      expect('contextWindow' in modelSettingsOf({ [pattern]: { contextWindow: 1 } }, id)).toBe(isMatch);
    }),
  );
});
