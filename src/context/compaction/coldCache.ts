import type { JSONLEntry } from '../../protocol/entries.ts';

/** Providers keep a prompt's prefix for five minutes to an hour after its last use; most of them, ten at most. */
const CACHE_LIFE_MS = 60 * 60 * 1000;

/** True when the last reply is so old that no provider has the request's prefix any more: a change costs nothing. */
export function isCacheCold(entries: readonly JSONLEntry[], now: number): boolean {
  const last = entries.findLast(({ type }) => type === 'assistant');
  return last !== undefined && now - Date.parse(last.timestamp) > CACHE_LIFE_MS;
}
