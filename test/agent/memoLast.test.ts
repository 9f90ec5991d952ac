import { expect, test } from 'vitest';
import { memoLast } from '../../src/agent/memoLast.ts';

test('a log is read once as long as it is the same, and again when it is another', () => {
  let reads = 0;
  const length = memoLast((log: readonly number[]) => {
    reads++;
    return log.length;
  });
  const log = Object.freeze([1, 2, 3]);
  expect([length(log), length(log), reads]).toEqual([3, 3, 1]);
  expect([length(Object.freeze([...log, 4])), reads]).toEqual([4, 2]);
});

test('an array that may change is read every time', () => {
  const log = [1];
  const length = memoLast((one: readonly number[]) => one.length);
  expect(length(log)).toBe(1);
  log.push(2);
  expect(length(log)).toBe(2);
});
