/** Decides whether and when to retry. Pure: clock and randomness are passed in. */
import type { ModelError } from '../protocol/models/model.ts';

/** Total attempts, including the first. */
export const MAX_ATTEMPTS = 10;
/** After an error of unreasonable size: a server that sends those is broken or hostile, and each costs time. */
const MAX_EXCESSIVE_ATTEMPTS = 2;
/** No attempt starts later than this after the first one. */
const MAX_ELAPSED_MS = 5 * 60_000;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * The delay before the next attempt, or undefined to give up: the error is not retryable, ten attempts have been made,
 * or the wait would end after the five minutes.
 * `attempt` is the number of failed attempts, from 1; `random` is in [0, 1).
 */
export function nextRetry(state: {
  readonly attempt: number;
  readonly elapsedMs: number;
  readonly error: ModelError;
  readonly random: number;
}): { readonly delayMs: number } | undefined {
  const { attempt, elapsedMs, error, random } = state;
  const most = error.isExcessive === true ? MAX_EXCESSIVE_ATTEMPTS : MAX_ATTEMPTS;
  if (!error.retryable || attempt >= most) return undefined;
  const asked = error.isExcessive === true ? undefined : serverDelay(error);
  const delayMs = Math.round(asked ?? backoff(attempt, random));
  return elapsedMs + delayMs > MAX_ELAPSED_MS ? undefined : { delayMs };
}

/** The server's own delay is used as is, except for zero, with which we would hammer the server. */
function serverDelay(error: ModelError): number | undefined {
  return error.retryAfterMs !== undefined && error.retryAfterMs > 0 ? error.retryAfterMs : undefined;
}

/** Half fixed, half random ("equal jitter"), so that clients that failed together do not retry together. */
function backoff(attempt: number, random: number): number {
  const full = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (Math.max(1, attempt) - 1));
  return full / 2 + (full / 2) * random;
}
