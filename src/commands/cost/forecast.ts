/** What reading the conversation again will cost, shown in advance. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { dollars } from '../figures.ts';

/** No provider keeps a prompt longer. */
const CACHE_ENDS_MS = 60 * 60_000;
/** Providers keep a prompt at least this long. */
const CACHE_HOLDS_MS = 5 * 60_000;
/** Tokens below which a forecast is not worth a line. */
const WORTH_SAYING = 10_000;

type Price = ModelInfo['price'];

/** `45,000 tokens: about $0.0450`, or only the tokens if the price is unknown. */
export function readingCost(tokens: number, price: Price, isCached = false): string {
  const each = isCached ? price?.cachedInput : price?.input;
  const cost = each === undefined ? '' : `: about ${dollars((tokens * each) / 1e6)}`;
  return `${grouped(tokens)} tokens${cost}`;
}

/** The cost of a summary; undefined for a short conversation. */
export function compactForecast(
  entries: readonly JSONLEntry[],
  tokens: number,
  price: Price,
  now: number,
): string | undefined {
  if (tokens < WORTH_SAYING) return undefined;
  const age = ageOf(entries, now);
  const isCached = age !== undefined && age < CACHE_HOLDS_MS && price?.cachedInput !== price?.input;
  const from = isCached ? ', from the cache' : '';
  return `The summary reads the conversation, ${readingCost(tokens, price, isCached)}${from}. Later requests are shorter; the first of them is read in full.`;
}

/** The cost of the first prompt after a break; undefined if the break or the conversation is short. */
export function resumeForecast(
  entries: readonly JSONLEntry[],
  price: Price,
  now: number,
): string | undefined {
  const age = ageOf(entries, now);
  const tokens = lastSize(entries);
  if (age === undefined || age < CACHE_ENDS_MS || tokens < WORTH_SAYING) return undefined;
  return `The provider's cache has expired: the next prompt reads the whole conversation again, ${readingCost(tokens, price)}.`;
}

/** Milliseconds since the last reply. */
function ageOf(entries: readonly JSONLEntry[], now: number): number | undefined {
  const last = entries.findLast(({ type }) => type === 'assistant');
  const age = now - Date.parse(last?.timestamp ?? '');
  return Number.isNaN(age) ? undefined : age;
}

/** Tokens of the conversation, as reported with the last reply or the compaction after it. */
function lastSize(entries: readonly JSONLEntry[]): number {
  const last = entries.findLast(
    ({ type, subtype, message }) =>
      subtype === 'compact_boundary' || (type === 'assistant' && message.usage !== undefined),
  );
  if (last?.subtype === 'compact_boundary') return last.compactMetadata?.postTokens ?? 0;
  const usage = last?.message.usage;
  return usage === undefined ? 0 : usage.input_tokens + usage.output_tokens;
}
