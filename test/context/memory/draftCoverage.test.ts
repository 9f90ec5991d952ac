import { expect, test } from 'vitest';
import type { Atom } from '../../../src/context/history/atoms.ts';
import { type View, viewOf } from '../../../src/context/history/view.ts';
import { isStale } from '../../../src/context/memory/draftCoverage.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';

const prompt = (seq: number): Atom => ({
  kind: 'user',
  head: { seq, type: 'user', subtype: 'prompt' } as JSONLEntry,
  calls: [],
});
const reply = (seq: number): Atom => ({
  kind: 'reply',
  head: { seq, type: 'assistant' } as JSONLEntry,
  calls: [],
});
const of = (atoms: readonly Atom[]): View => ({ ...viewOf([]), atoms });
const each = (): number => 100;
const budget = { protect: 500, residue: 1000 };

// Twenty prompts of a hundred tokens; the newest five are the tail.
const prompts = of(Array.from({ length: 20 }, (_, seq) => prompt(seq)));

test.each([
  ['all of the past', 14, false],
  ['all but five prompts', 9, false],
  ['all but six prompts', 8, true],
  ['one prompt', 0, true],
])('a draft for %s is stale: %o', (_, lastMessageSeq, stale) => {
  expect(isStale({ lastMessageSeq }, prompts, budget, each)).toBe(stale);
});

test('steps that a ledger can still shorten make no draft stale', () => {
  const steps = of(Array.from({ length: 60 }, (_, seq) => reply(seq)));
  expect(isStale({ lastMessageSeq: 3 }, steps, budget, each)).toBe(false);
});
