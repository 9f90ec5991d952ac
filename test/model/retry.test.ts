import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_ATTEMPTS, nextRetry } from '../../src/model/retry.ts';
import type { ModelError } from '../../src/protocol/models/model.ts';

const MAX_ELAPSED_MS = 5 * 60_000;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

const error = (rest: Partial<ModelError> = {}): ModelError => ({
  kind: 'server',
  message: 'm',
  retryable: true,
  ...rest,
});

test('waits double from half a second to half a minute', () => {
  const waits = Array.from(
    { length: 9 },
    (_, at) => nextRetry({ attempt: at + 1, elapsedMs: 0, error: error(), random: 1 })?.delayMs,
  );
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('failures that cannot succeed on a retry are not retried', () => {
  expect(
    nextRetry({ attempt: 1, elapsedMs: 0, error: error({ retryable: false }), random: 0 }),
  ).toBeUndefined();
});

test.each([
  [3000, 0, 3000],
  [0, 0, 250], // says nothing: the usual wait
  [MAX_ELAPSED_MS, 0, MAX_ELAPSED_MS],
  [MAX_ELAPSED_MS, 1, undefined],
  [60_000, 250_000, undefined],
])('a server that asks for %i ms after %i ms gets %s', (retryAfterMs, elapsedMs, delayMs) => {
  expect(nextRetry({ attempt: 1, elapsedMs, error: error({ retryAfterMs }), random: 0 })?.delayMs).toBe(
    delayMs,
  );
});

test('an error of unreasonable size is retried once, without the wait that it asks for', () => {
  const endless = error({ isExcessive: true, retryAfterMs: 60_000 });
  expect(nextRetry({ attempt: 1, elapsedMs: 0, error: endless, random: 1 })).toEqual({ delayMs: 500 });
  expect(nextRetry({ attempt: 2, elapsedMs: 500, error: endless, random: 1 })).toBeUndefined();
});

test('retries stop after ten attempts or five minutes', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat(100_000),
      fc.option(fc.nat(90_000)),
      (random, requestMs, asked) => {
        let elapsedMs = requestMs;
        let attempt = 1;
        const failure = error(asked === null ? {} : { retryAfterMs: asked });
        for (
          let next = nextRetry({ attempt, elapsedMs, error: failure, random });
          next !== undefined;
          next = nextRetry({ attempt, elapsedMs, error: failure, random })
        ) {
          expect(next.delayMs).toBeGreaterThanOrEqual(asked || BASE_DELAY_MS / 2);
          expect(next.delayMs).toBeLessThanOrEqual(asked || MAX_DELAY_MS);
          expect(elapsedMs + next.delayMs).toBeLessThanOrEqual(MAX_ELAPSED_MS);
          elapsedMs += next.delayMs + requestMs;
          attempt += 1;
          expect(attempt).toBeLessThanOrEqual(MAX_ATTEMPTS);
        }
      },
    ),
  );
});
