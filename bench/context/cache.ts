/**
 * A provider's prompt cache: a request is served from the longest beginning that it shares with a request
 * not older than the time to live, whole blocks only, and nothing below the least length.
 */

/** Prices as multiples of the price of one uncached input token. */
export interface PriceSheet {
  readonly name: string;
  readonly read: number;
  readonly write: number;
  /** Input that is not meant to be cached: a summary asked for with another prompt. */
  readonly input: number;
  readonly output: number;
  readonly ttlMinutes: number;
  readonly leastTokens: number;
}

/** From the vendors' price lists; Anthropic's two differ in how long a prefix lives. */
export const sheets: readonly PriceSheet[] = [
  { name: 'Anthropic 5 min', read: 0.1, write: 1.25, input: 1, output: 5, ttlMinutes: 5, leastTokens: 1024 },
  { name: 'Anthropic 1 h', read: 0.1, write: 2, input: 1, output: 5, ttlMinutes: 60, leastTokens: 1024 },
  { name: 'OpenAI', read: 0.25, write: 1, input: 1, output: 4, ttlMinutes: 10, leastTokens: 1024 },
  { name: 'DeepSeek', read: 0.02, write: 1, input: 1, output: 1.5, ttlMinutes: 240, leastTokens: 64 },
  { name: 'no cache', read: 1, write: 1, input: 1, output: 5, ttlMinutes: 0, leastTokens: 1 },
];

export interface Sized {
  /** Equal ids are equal bytes. */
  readonly id: number;
  readonly tokens: number;
}

export interface Served {
  readonly read: number;
  readonly write: number;
  /** Tokens shared with the request before this one; what a cache that never forgets would serve. */
  readonly shared: number;
  readonly previous: number;
  /** False when what the provider kept had expired: no policy can help that. */
  readonly warm: boolean;
}

/** How many requests back a provider is assumed to find a prefix. */
const REMEMBERED = 4;

export class PromptCache {
  readonly #sheet: PriceSheet;
  #kept: { readonly blocks: readonly Sized[]; readonly tokens: number; readonly minute: number }[] = [];

  constructor(sheet: PriceSheet) {
    this.#sheet = sheet;
  }

  /** `minute` is when the request is sent; `blocks` is kept and must not change afterwards. */
  serve(blocks: readonly Sized[], minute: number): Served {
    const last = this.#kept.at(-1);
    const shared = last === undefined ? 0 : sharedTokens(last.blocks, blocks);
    const warm = last !== undefined && minute - last.minute < this.#sheet.ttlMinutes;
    // Of a request that only grew, nobody before knows more.
    const best = warm && shared === last.tokens ? shared : this.#longest(blocks, minute);
    const read = best >= this.#sheet.leastTokens ? best : 0;
    const tokens = tokensOf(blocks);
    this.#kept = [...this.#kept, { blocks, tokens, minute }].slice(-REMEMBERED);
    return { read, write: tokens - read, shared, previous: last?.tokens ?? 0, warm };
  }

  #longest(blocks: readonly Sized[], minute: number): number {
    const alive = this.#kept.filter((one) => minute - one.minute < this.#sheet.ttlMinutes);
    return Math.max(0, ...alive.map((one) => sharedTokens(one.blocks, blocks)));
  }

  /** True when a request sent now would find nothing. */
  isCold(minute: number): boolean {
    const last = this.#kept.at(-1);
    return last === undefined || minute - last.minute >= this.#sheet.ttlMinutes;
  }
}

export function tokensOf(blocks: readonly Sized[]): number {
  let sum = 0;
  for (const { tokens } of blocks) sum += tokens;
  return sum;
}

function sharedTokens(before: readonly Sized[], after: readonly Sized[]): number {
  const most = Math.min(before.length, after.length);
  let sum = 0;
  for (let index = 0; index < most; index++) {
    const block = after[index];
    if (block === undefined || before[index]?.id !== block.id) break;
    sum += block.tokens;
  }
  return sum;
}
