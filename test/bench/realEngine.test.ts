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

test('the engine itself: no request over the window, and cheaper than every model of another on a long trace', async () => {
  const trace = { ...makeTrace({ ...standard, steps: 150 }, 3, 64_000), fixedTokens: 12_000 };
  const run = await driveReal(trace, createTexts(trace), [sheet]);
  const [figures] = run.figures;
  expect(figures?.overflows).toBe(0);
  expect(run.swaps.masks).toBeGreaterThan(5);
  expect(run.unexplainedBreaks).toBe(0);
  const others = peers.map((peer) => simulate(trace, peer, sheet)).filter(({ overflows }) => overflows === 0);
  expect(figures?.cost).toBeLessThan(Math.min(...others.map(({ cost }) => cost)));
}, 60_000);

test('a task that needs what no request shows any more is done with Recall, and cannot be done without', async () => {
  const policy = { name: 'auto', settings: {}, windowTokens: 24_000, recall: true };
  const done = await runTask(gone, policy, sheet);
  expect(done).toMatchObject({ passed: true, recalls: 1 });
  expect(done.error).toBeUndefined();
  const forgotten = await runTask(gone, { ...policy, recall: false }, sheet);
  expect(forgotten).toMatchObject({ passed: false, recalls: 0 });
}, 60_000);
