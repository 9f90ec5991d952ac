import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../agent/reply.ts';

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};
