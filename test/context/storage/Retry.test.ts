import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Retry } from '../../../src/context/storage/SessionLog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('intervals double up to the longest, and begin anew after a success', async () => {
  const times: number[] = [];
  const began = Date.now();
  const retry: Retry = new Retry(
    async () => {
      times.push(Date.now() - began);
      if (times.length === 7) retry.stop();
      else retry.schedule();
    },
    1000,
    30_000,
  );
  retry.schedule();
  retry.schedule();
  await vi.advanceTimersByTimeAsync(200_000);
  expect(times).toEqual([1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000]);
  retry.schedule();
  await vi.advanceTimersByTimeAsync(1000);
  expect(times).toHaveLength(8);
});

test('an attempt that throws is no reason to stop the program', async () => {
  let attempts = 0;
  const retry = new Retry(async () => {
    attempts += 1;
    throw new Error('still broken');
  });
  retry.schedule();
  await vi.advanceTimersByTimeAsync(1000);
  retry.schedule();
  await vi.advanceTimersByTimeAsync(2000);
  expect(attempts).toBe(2);
});
