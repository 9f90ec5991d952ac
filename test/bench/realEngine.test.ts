/** @module-tag long */
import { expect, test } from 'vitest';
import { sheets } from '../../bench/context/cache.ts';
import { peers } from '../../bench/context/peers/peers.ts';
import { driveReal } from '../../bench/context/real/drive.ts';
import { simulate } from '../../bench/context/simulate.ts';
import { gone } from '../../bench/context/tasks/gone.ts';
import { runTask } from '../../bench/context/tasks/runTask.ts';
import { makeTrace, standard } from '../../bench/context/trace/standard.ts';
import { createTexts } from '../../bench/context/trace/texts.ts';

const [sheet] = sheets;
if (sheet === undefined) throw new Error('There is no price sheet.');

test('with the real engine no request exceeds the window, and economy is cheaper than the default and most others', {
  tags: 'long',
}, async () => {
  const trace = { ...makeTrace({ ...standard, steps: 150 }, 3, 64_000), fixedTokens: 12_000 };
  const [byDefault, economy] = await Promise.all(
    ['auto', 'economy'].map((strategy) =>
      driveReal(trace, createTexts(trace), [sheet], { settings: { strategy } }),
    ),
  );
  for (const run of [byDefault, economy]) {
    expect(run?.figures[0]?.overflows).toBe(0);
    expect(run?.unexplainedBreaks).toBe(0);
    expect(run?.swaps.removals).toBe(0);
  }
  expect(byDefault?.swaps.summaries).toBeGreaterThan(2);
  expect(byDefault?.swaps.masks).toBe(0);
  expect(economy?.swaps.masks).toBeGreaterThan(2);
  const cost = economy?.figures[0]?.cost ?? Number.POSITIVE_INFINITY;
  expect(cost).toBeLessThan(byDefault?.figures[0]?.cost ?? 0);
  const others = peers.map((peer) => simulate(trace, peer, sheet).cost);
  expect(others.filter((other) => cost < other).length).toBeGreaterThan(others.length / 2);
});

test('a task that needs something no request shows any more completes with Recall, and cannot without it', {
  tags: 'long',
}, async () => {
  const policy = { name: 'auto', settings: {}, windowTokens: 24_000, recall: true };
  const done = await runTask(gone, policy, sheet);
  expect(done).toMatchObject({ passed: true, recalls: 1 });
  expect(done.error).toBeUndefined();
  const forgotten = await runTask(gone, { ...policy, recall: false }, sheet);
  expect(forgotten).toMatchObject({ passed: false, recalls: 0 });
});
