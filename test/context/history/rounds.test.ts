import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planCompaction } from '../../../src/context/compaction/plan.ts';
import { isRunning } from '../../../src/context/history/alwaysKept.ts';
import { type Atom, groupAtoms } from '../../../src/context/history/atoms.ts';
import { findAtomRounds, newestRounds, retainRounds } from '../../../src/context/history/rounds.ts';
import { tailStart } from '../../../src/context/history/tail.ts';
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

test('a note of the program starts no round', () => {
  expect(findAtomRounds(threeRounds)).toEqual([0, 4, 8]);
});

test.each([
  ['all that are asked for, where they fit', 2, 5000, 4],
  ['all there are, where more are asked for', 10, 5000, 0],
  ['fewer, where they do not fit', 3, 900, 4],
  ['a part of the newest, where that does not fit', 3, 300, 9],
  ['the newest atom, where nothing fits', 3, 0, 11],
  ['nothing, where none is asked for', 0, 5000, 12],
])('keeps %s', (_name, rounds, tokens, start) => {
  expect(retainRounds(threeRounds, { rounds, tokens, sizeOf })).toBe(start);
});

test('a call that still runs is kept over the budget', () => {
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

test('the newest rounds begin where they begin, whatever their size', () => {
  expect([0, 1, 2, 3, 4].map((rounds) => newestRounds(threeRounds, rounds))).toEqual([12, 8, 4, 0, 0]);
});

test('a compaction chooses the same tail', () => {
  const anyLog = fc.array(
    fc.record({ kind: fc.constantFrom('prompt', 'reply', 'step', 'open'), size: fc.nat(50) }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(anyLog, fc.nat(500), fc.nat(6), (drafts, tokens, minRounds) => {
      const log = new LogMaker();
      for (const { kind, size } of drafts) {
        const text = 'x'.repeat(size);
        if (kind === 'prompt') log.prompt(text);
        else if (kind === 'step') log.step(text, 'out');
        else if (kind === 'open') log.open(text);
        else log.reply(text);
      }
      const atoms = groupAtoms(log.entries);
      const size = ({ head }: Atom): number => String(head.message.content).length;
      const { cut } = planCompaction(atoms, { retainTokens: tokens, sizeOf: size, minRounds });
      const newest = newestRounds(atoms, minRounds);
      const isRequired = (atom: Atom, index: number) => isRunning(atom) || index >= newest;
      expect(cut).toBe(tailStart(atoms, { tokens, sizeOf: size, isRequired }));
    }),
    { numRuns: 300 },
  );
});
