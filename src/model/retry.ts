/** How long to wait before the next attempt, if there is one. Pure: clock and randomness are handed in. */
import type { ModelError } from '../protocol/model.ts';

/** Attempts in all, the first one included. */
export const MAX_ATTEMPTS = 10;
/** No attempt begins later than this after the first one began. */
export const MAX_ELAPSED_MS = 5 * 60_000;
export const BASE_DELAY_MS = 500;
export const MAX_DELAY_MS = 30_000;

/**
 * Delay before the next attempt, or undefined when it is time to give up: the failure is not worth another
 * try, ten attempts are used, or the wait would end beyond five minutes.
 * `attempt` counts the attempts that have failed, from 1; `random` is in [0, 1).
 */
export function nextRetry(state: {
  readonly attempt: number;
  readonly elapsedMs: number;
  readonly error: ModelError;
  readonly random: number;
}): { readonly delayMs: number } | undefined {
  const { attempt, elapsedMs, error, random } = state;
  if (!error.retryable || attempt >= MAX_ATTEMPTS) return undefined;
  const delayMs = Math.round(serverDelay(error) ?? backoff(attempt, random));
  return elapsedMs + delayMs > MAX_ELAPSED_MS ? undefined : { delayMs };
}

/** What the server asks for is taken as it is; zero says nothing and must not make us hammer it. */
function serverDelay(error: ModelError): number | undefined {
  return error.retryAfterMs !== undefined && error.retryAfterMs > 0 ? error.retryAfterMs : undefined;
}

/** Half fixed, half random ("equal jitter"), so that clients that failed together do not return together. */
function backoff(attempt: number, random: number): number {
  const full = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (Math.max(1, attempt) - 1));
  return full / 2 + (full / 2) * random;
}
