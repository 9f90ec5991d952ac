import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../../src/config/nearest.ts';
import { cpuClock } from '../cpuTime.ts';

test.each([
  ['modle', ['model', 'models', 'env'], 'model'],
  ['CONTEXT', ['context'], 'context'],
  ['hlep', ['help', 'clear'], 'help'],
  ['x', ['env', 'model'], undefined],
  ['frobnicate', ['model', 'permissions'], undefined],
  ['', ['a', 'abc'], 'a'],
  ['import', ['export', 'init'], undefined],
  ['effort', ['export'], undefined],
  ['bare', ['name'], undefined],
])('the nearest to %j in %j is %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

test('a word with a single typo is always recognized, and the word itself is preferred', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  fc.assert(
    fc.property(word, fc.nat(12), (meant, at) => {
      const typed = `${meant.slice(0, at)}#${meant.slice(at)}`;
      expect(nearest(typed, [meant])).toBe(meant);
      expect(nearest(meant, [typed])).toBe(typed);
      expect(nearest(typed, [meant, typed])).toBe(typed);
    }),
  );
});

test('much longer words are not compared', () => {
  const spentMs = cpuClock();
  expect(
    nearest(
      'x'.repeat(1_000_000),
      Array.from({ length: 200 }, () => 'permissions'),
    ),
  ).toBeUndefined();
  expect(nearest('qwen3', ['qwen3b', ...Array(5000).fill('y'.repeat(512))])).toBe('qwen3b');
  expect(spentMs()).toBeLessThan(2000);
});
