/**
 * Whatever the summarizer does, and however long it takes, no request waits for it.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { goodOutcomes, latenciesMs, outcomeNames } from '../../../bench/context/waits/summaries.ts';
import { CONSTRAINT, runTask, stepsFor, type TaskResult } from '../../../bench/context/waits/task.ts';
import { VirtualTime } from '../../../bench/context/waits/VirtualTime.ts';

const combinations = latenciesMs.flatMap((latencyMs) =>
  outcomeNames.map((outcome) => ({ latencyMs, outcome })),
);

/** Generous, and in processor time, so that other work on the machine does not matter. */
const MOST_CPU_MS = 500;

function expectFinished(result: TaskResult): void {
  expect(new Set(result.ended)).toEqual(new Set(['done']));
  expect(result.problems).toEqual([]);
  expect(result.sentTokens).toBeLessThanOrEqual(result.windowTokens);
  expect(JSON.stringify(result.lastRequest?.messages)).toContain(CONSTRAINT);
  // The summarizer's time is virtual and stops while a request is built: a request that waits for it hangs.
  expect(result.waitedMs).toBe(0);
  expect(result.longestBuildCpuMs).toBeLessThan(MOST_CPU_MS);
}

test.each(combinations)(
  'a summary after $latencyMs ms ($outcome): the task is finished without a wait',
  { tags: 'long' },
  async ({ latencyMs, outcome }) => {
    const clock = new VirtualTime();
    const steps = stepsFor({ latencyMs, outcome });
    const result = await runTask({ latencyMs, outcome, strategy: 'summary', prompts: 2, ...steps, clock });
    expectFinished(result);
    expect(result.summariesAsked).toBeGreaterThan(0);
    expect(result.reductions.length).toBeGreaterThan(0);
    if (goodOutcomes.has(outcome)) {
      expect(result.reductions).toContain('summary');
      expect(result).toMatchObject({ summariesFailed: 0, breakerIsOpen: false });
    } else if (outcome !== 'hang') {
      expect(result.reductions).not.toContain('summary');
      expect(result).toMatchObject({ summariesFailed: 3, breakerIsOpen: true });
    }
  },
);

test.each(outcomeNames)(
  'by default, too, with a summary after 137 s (%s)',
  { tags: 'long' },
  async (outcome) => {
    const clock = new VirtualTime();
    const options = { latencyMs: 137_000, outcome, strategy: 'auto', prompts: 12, steps: 4 } as const;
    const result = await runTask({ ...options, stepMs: 60_000, clock });
    expectFinished(result);
    expect(result.ended).toHaveLength(12);
    expect(result.reductions.length).toBeGreaterThan(0);
  },
);
