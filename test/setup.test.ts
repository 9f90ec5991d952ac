import fc from 'fast-check';
import { expect, test, vi } from 'vitest';

test('a property is tried with the same cases on every run', () => {
  const seed = Number(process.env.CLAWDCODE_TEST_SEED ?? 1);
  expect(fc.readConfigureGlobal()).toMatchObject({ seed });
  const seen: number[][] = [[], []];
  for (const values of seen) fc.assert(fc.property(fc.integer(), (value) => void values.push(value)));
  expect(seen[0]).toEqual(seen[1]);
});

test('a wait without a time limit outlasts Vitest’s default of one second', {
  tags: 'long',
}, async () => {
  const start = performance.now();
  await vi.waitFor(() => expect(performance.now() - start).toBeGreaterThan(1100));
});
