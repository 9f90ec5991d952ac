/**
 * Limits how often event streams are opened: a server can end each stream at once and demand the next without a pause,
 * and the SDK obeys. Only GET requests, which open streams, are delayed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fetch } from './boundedFetch.ts';

/** Milliseconds between openings. Some hosts end every idle stream after half a minute. */
const [FLOOR_MS, MAX_MS] = [1000, 30_000];
/** Maximum streams waiting to be opened: one for each call whose answer was interrupted. */
const MAX_WAITING = 50;

interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
};

/** Call `onMessage` when a stream has brought something; until then, each opening waits twice as long. */
export function pacedFetch(
  fetch: Fetch,
  { now, sleep }: Clock = realClock,
): { readonly fetch: Fetch; readonly onMessage: () => void } {
  let [opened, useless, waiting] = [Number.NEGATIVE_INFINITY, 0, 0];
  let before = Promise.resolve();
  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    const ms = opened + Math.min(FLOOR_MS * 2 ** Math.max(0, useless - 1), MAX_MS) - now();
    if (ms > 0) await sleep(ms, signal);
    signal?.throwIfAborted();
    opened = now();
    useless += 1;
  };
  return {
    async fetch(url, init) {
      if ((init?.method ?? 'GET') !== 'GET') return fetch(url, init);
      if (waiting >= MAX_WAITING) throw new Error('It has ended too many streams.');
      waiting += 1;
      const own = before.then(() => turn(init?.signal ?? undefined));
      before = own.catch(() => undefined);
      await own.finally(() => {
        waiting -= 1;
      });
      return fetch(url, init);
    },
    onMessage() {
      useless = 0;
    },
  };
}
