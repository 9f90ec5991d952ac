import { expect, test } from 'vitest';
import type { Atom } from '../../../src/context/history/atoms.ts';
import { isStale } from '../../../src/context/memory/draftCoverage.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';

const atoms: readonly Atom[] = Array.from({ length: 20 }, (_, seq) => ({
  kind: 'user',
  head: { seq } as JSONLEntry,
  calls: [],
}));
const each = (): number => 100;

test.each([
  ['the whole past', 14, false],
  ['half of it', 7, false],
  ['less than half', 6, true],
  ['one prompt', 0, true],
])('of fifteen old messages, a draft for %s is stale: %o', (_, lastMessageSeq, stale) => {
  expect(isStale({ lastMessageSeq }, atoms, 500, each)).toBe(stale);
});

test('while nothing is older than the tail, no draft is stale', () => {
  expect(isStale({ lastMessageSeq: 3 }, atoms, 5000, each)).toBe(false);
});
