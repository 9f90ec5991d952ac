import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWatchdog } from '../../../src/model/wires/exchange.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(patience: { ms: number }) {
  const onSilence = vi.fn();
  return { onSilence, ...createWatchdog(onSilence, () => patience.ms) };
}

test('it times out once, after the last feed and not before', () => {
  const dog = watch({ ms: 100 });
  for (let turn = 0; turn < 5; turn += 1) {
    dog.feed();
    vi.advanceTimersByTime(90);
  }
  expect(dog.hasFired()).toBe(false);
  vi.advanceTimersByTime(11);
  expect(dog.hasFired()).toBe(true);
  vi.advanceTimersByTime(1000);
  expect(dog.onSilence).toHaveBeenCalledTimes(1);
});

test('a shorter timeout applies from the next feed on', () => {
  const patience = { ms: 10_000 };
  const dog = watch(patience);
  dog.feed();
  patience.ms = 50;
  dog.feed();
  vi.advanceTimersByTime(51);
  expect(dog.hasFired()).toBe(true);
});

test('it does not time out while paused, or after it is stopped', () => {
  const dog = watch({ ms: 100 });
  dog.feed();
  dog.rest();
  vi.advanceTimersByTime(500);
  expect(dog.hasFired()).toBe(false);
  dog.feed();
  dog.stop();
  dog.feed();
  vi.advanceTimersByTime(500);
  expect(dog.hasFired()).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
