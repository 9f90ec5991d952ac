import { expect, test } from 'vitest';
import { createBreather } from '../../src/agent/breather.ts';

test('a loop over what is all there lets timers run', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const breather = createBreather(2);
  for (const end = performance.now() + 10_000; ticks < 3 && performance.now() < end; await Promise.resolve())
    if (breather.isDue()) await breather.breathe();
  clearInterval(timer);
  expect(ticks).toBeGreaterThanOrEqual(3);
});

test('is not due right after it breathed', async () => {
  const breather = createBreather(10_000);
  expect(breather.isDue()).toBe(false);
  await breather.breathe();
  expect(breather.isDue()).toBe(false);
});
