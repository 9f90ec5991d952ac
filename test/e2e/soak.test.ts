/**
 * The small version of `npm run bench:soak`: growth per turn already shows in sixty turns.
 *
 * @module-tag long
 */
import { expect, onTestFinished, test } from 'vitest';
import { createPlace } from '../../bench/parts/place.mjs';
import { soak } from '../../bench/soak/soak.mjs';
import { long } from './support/long.ts';
import { program } from './support/program.ts';

test('after sixty turns a session is as fast and about as large as at the start', long, async () => {
  const place = createPlace();
  onTestFinished(() => place.remove());
  const { samples, entries, bodies } = await soak(program()[1] ?? '', place, 60);
  const [, early] = samples;
  const late = samples.at(-1);
  if (early === undefined || late === undefined) throw new Error('nothing was measured');
  expect(samples.map(({ turn }) => turn)).toEqual([6, 12, 18, 24, 30, 36, 42, 48, 54, 60]);
  // At least a prompt, a reply, a call, a result and a reply.
  expect(entries).toBeGreaterThan(300);
  // Requests stay below the window of 24,000 tokens.
  expect(bodies).toBeLessThan(150_000);
  // Generous, because other programs run at the same time, and V8 collects when it likes.
  expect(late.memory).toBeLessThan(early.memory + 100);
  expect(late.cpuMs).toBeLessThan(4 * early.cpuMs + 50);
  const echoMs = (some: typeof samples): number => Math.min(...some.map((one) => one.echoMs));
  expect(echoMs(samples.slice(-3))).toBeLessThan(4 * echoMs(samples.slice(0, 3)) + 100);
});
