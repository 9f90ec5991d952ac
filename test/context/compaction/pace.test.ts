import { expect, test } from 'vitest';
import { Pace } from '../../../src/context/compaction/DraftKeeper.ts';

/** A pace after steps of such a growth, each of so many milliseconds. */
function after(growths: readonly number[], stepMs: number, summaryMs?: number): number | undefined {
  const pace = new Pace();
  let [tokens, at] = [10_000, 0];
  pace.noteStep(tokens, at);
  for (const growth of growths) {
    tokens += growth;
    at += stepMs;
    pace.noteStep(tokens, at);
  }
  if (summaryMs !== undefined) pace.noteSummary(summaryMs);
  return pace.leadTokens();
}

test('nothing is known before the first step', () => {
  expect(new Pace().leadTokens()).toBeUndefined();
  expect(after([], 1000)).toBeUndefined();
});

test('the lead is what the request grows by while a summary is written, and one step more', () => {
  // Twenty seconds are taken at first: three steps of eight.
  expect(after([1000, 1000, 1000, 1000], 8000)).toBe(4000);
  expect(after([1000, 1000, 1000, 1000], 8000, 40_000)).toBe(6000);
  expect(after([1000, 1000, 1000, 1000], 8000, 1)).toBe(2000);
  // The largest step may come once.
  expect(after([500, 500, 500, 2500], 60_000)).toBe(1000 + 2500);
});

test('between fast steps it is six steps at most, and only the newest eight count', () => {
  expect(after([1000, 1000], 1)).toBe(7000);
  expect(after([90_000, ...Array.from({ length: 8 }, () => 100)], 60_000)).toBe(200);
});

test('a request that was reduced begins anew', () => {
  const pace = new Pace();
  for (const [tokens, at] of [
    [10_000, 0],
    [11_000, 60_000],
    [4000, 120_000],
    [5000, 180_000],
  ] as const)
    pace.noteStep(tokens, at);
  expect(pace.leadTokens()).toBe(2000);
});
