import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { withDeadline } from '../../../src/context/memory/LongTermMemory.ts';

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const never = (): Promise<never> => new Promise<never>(() => undefined);

test('work done in time returns its result and leaves neither timer nor listener', async () => {
  const outer = new AbortController();
  const before = timers();
  let inner: AbortSignal | undefined;
  const result = await withDeadline(
    async (signal) => {
      inner = signal;
      return 'done';
    },
    60_000,
    () => 'otherwise',
    outer.signal,
  );
  expect(result).toBe('done');
  expect(timers()).toBeLessThanOrEqual(before);
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  expect(inner?.aborted).toBe(true);
});

test('work that times out, fails or is aborted gives the fallback result and is aborted', async () => {
  const signals: AbortSignal[] = [];
  const outer = new AbortController();
  const hang = (signal: AbortSignal): Promise<string> => {
    signals.push(signal);
    return never();
  };
  expect(await withDeadline(hang, 1, (reason) => reason)).toBe('timeout');
  const stopped = withDeadline(hang, 60_000, (reason) => reason, outer.signal);
  outer.abort();
  expect(await stopped).toBe('stopped');
  expect(await withDeadline(hang, 60_000, (reason) => reason, outer.signal)).toBe('stopped');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  const fail = (): never => {
    throw new Error('at once');
  };
  expect(await withDeadline(fail, 60_000, (reason, error) => `${reason}: ${error}`)).toBe(
    'failed: Error: at once',
  );
});

test('a failure after the deadline is ignored', async () => {
  let fail: (error: Error) => void = () => undefined;
  const work = (): Promise<string> => new Promise((_, reject) => (fail = reject));
  expect(await withDeadline(work, 1, (reason) => reason)).toBe('timeout');
  fail(new Error('late'));
  // An unhandled rejection would fail this run.
  await new Promise(setImmediate);
});
