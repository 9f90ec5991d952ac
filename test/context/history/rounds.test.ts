import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Atom, groupAtoms } from '../../../src/context/history/atoms.ts';
import { newestRounds, retainRounds, tailStart } from '../../../src/context/history/rounds.ts';
import { LogMaker } from './logMaker.ts';

const atomsOf = (make: (log: LogMaker) => void): readonly Atom[] => {
  const log = new LogMaker();
  make(log);
  return groupAtoms(log.entries);
};
const threeRounds = atomsOf((log) => {
  for (const name of ['a', 'b', 'c']) log.prompt(name).step('look', 'x').note('nudge', 'go on').reply('done');
});
const sizeOf = () => 100;

test('a note from the program does not start a round', () => {
  const starts = [1, 2, 3].map((rounds) => newestRounds(threeRounds, { rounds, tokens: 5000, sizeOf }));
  expect(starts).toEqual([8, 4, 0]);
});

test.each([
  ['as many as requested, if they fit', 2, 5000, 4],
  ['all of them, if more are requested', 10, 5000, 0],
  ['fewer, where they do not fit', 3, 900, 4],
  ['part of the newest, if it does not fit', 3, 300, 9],
  ['the newest atom, if nothing fits', 3, 0, 11],
  ['nothing, where none is asked for', 0, 5000, 12],
])('keeps %s', (_name, rounds, tokens, start) => {
  expect(retainRounds(threeRounds, { rounds, tokens, sizeOf })).toBe(start);
});

test('a running call is kept beyond the budget', () => {
  const atoms = atomsOf((log) => log.prompt('a').reply('b').open('c').prompt('d'));
  expect(retainRounds(atoms, { rounds: 5, tokens: 0, sizeOf })).toBe(3);
  const running = atomsOf((log) => log.prompt('a').reply('b').open('c'));
  expect(retainRounds(running, { rounds: 5, tokens: 0, sizeOf })).toBe(2);
});

test('a tail is the longest that fits, and at least the newest', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100), { minLength: 1 }), fc.nat(1000), (sizes, tokens) => {
      const start = tailStart(sizes, { tokens, sizeOf: (size) => size });
      const sum = (from: number): number => sizes.slice(from).reduce((total, size) => total + size, 0);
      expect(start).toBeLessThan(sizes.length);
      if (start < sizes.length - 1) expect(sum(start)).toBeLessThanOrEqual(tokens);
      if (start > 0) expect(sum(start - 1)).toBeGreaterThan(tokens);
    }),
  );
  expect(tailStart([], { tokens: 5, sizeOf })).toBe(0);
});

test('as many of the newest rounds as fit, and none if the newest does not', () => {
  const within = (rounds: number, tokens: number) => newestRounds(threeRounds, { rounds, tokens, sizeOf });
  const all = Number.POSITIVE_INFINITY;
  expect([0, 1, 2, 3, 4].map((rounds) => within(rounds, all))).toEqual([undefined, 8, 4, 0, 0]);
  const newest = threeRounds.slice(8).length * sizeOf();
  expect([within(3, newest), within(3, newest - 1)]).toEqual([8, undefined]);
});
