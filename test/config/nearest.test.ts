import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distance, nearest } from '../../src/config/nearest.ts';
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

test('the distance is zero only for equal words, symmetric, and one for a single typo', () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, fc.nat(12), (a, b, at) => {
      expect(distance(a, b) === 0).toBe(a === b);
      expect(distance(a, b)).toBe(distance(b, a));
      expect(distance(a, `${a.slice(0, at)}#${a.slice(at)}`)).toBe(1);
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
