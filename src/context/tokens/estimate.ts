/** Estimates tokens without a tokenizer, by the number of characters per token of each character class. */
import {
  addTo,
  type ClassTokens,
  type Coefficients,
  countByClass,
  noTokens,
  S1,
  sumOf,
} from './tokenClasses.ts';

export { type Coefficients, HIGH, S1 } from './tokenClasses.ts';

/** Estimated tokens of a text, rounded up; 0 for an empty text. */
export function estimateTokens(text: string, set: Coefficients = S1): number {
  if (text === '') return 0;
  const tokens = noTokens();
  countByClass(text, set, tokens);
  return Math.ceil(sumOf(tokens) - 1e-9);
}

/** Share of Chinese characters, 0 to 1. */
export function getChineseRatio(text: string): number {
  let han = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf)) han++;
  }
  return text.length === 0 ? 0 : han / text.length;
}

/** `estimateTokens` with the S1 coefficients, cached by fingerprint in a bounded cache. */
export function estimateTokensCached(text: string, cache = shared): number {
  const key = fingerprint(text);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const tokens = estimateTokens(text, S1);
  cache.set(key, tokens);
  return tokens;
}

/** Tokens of message texts, each with four tokens of framing. For complete messages with calls use `TokenCounter`. */
export function estimateMessagesTokens(messages: readonly { readonly content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokensCached(content) + MESSAGE_OVERHEAD, 0);
}

const MESSAGE_OVERHEAD = 4;

interface Estimate {
  readonly classes: ClassTokens;
  /** Maximum tokens by which a sampled estimate may be below the full one; 0 if the text was read in full. */
  readonly error: number;
}

/** Texts up to this many characters are read in full, in less than a millisecond. */
const WHOLE = 65_536;

/**
 * Estimates a text of any size quickly: beyond 64 kB from 64 slices of 1,024 characters, one in each 64th of the text.
 * The result is `error` above the mean, so that the full estimate exceeds it by at most that much, even if an unread
 * part is denser than all slices.
 */
export function estimateLarge(text: string, set: Coefficients): Estimate {
  const classes = noTokens();
  if (text.length <= WHOLE) {
    countByClass(text, set, classes);
    return { classes, error: 0 };
  }
  const stride = text.length / SLICES;
  const densities: number[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const tokens = noTokens();
    const start = Math.floor(slice * stride + place(slice) * (stride - SLICE));
    countByClass(text, set, tokens, start, start + SLICE);
    densities.push(sumOf(tokens) / SLICE);
    addTo(classes, tokens);
  }
  const mean = sumOf(classes);
  const deviation = Math.sqrt(
    densities.reduce((sum, one) => sum + (one - mean / (SLICES * SLICE)) ** 2, 0) / SLICES,
  );
  const unread = stride - SLICE;
  const error = (3 * deviation * text.length) / Math.sqrt(SLICES) + unread * Math.max(DENSEST, ...densities);
  const tokens = (mean * text.length) / (SLICES * SLICE);
  const scale = (tokens + error) / mean;
  for (let at = 0; at < classes.length; at++) classes[at] = (classes[at] ?? 0) * scale;
  return { classes, error };
}

const SLICES = 64;
const SLICE = 1024;
/** Tokens per character of the densest ordinary text: punctuation, CJK. */
const DENSEST = 1;

/**
 * Position of a slice in its part, 0 to 1. Varies, because equal distances could always hit the same column of a table.
 */
function place(slice: number): number {
  return (slice * 0.618_033_988_75) % 1;
}

interface CacheLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** LRU cache of token counts; stores a fingerprint of each text instead of the text. */
export class TokenCache {
  readonly #limits: CacheLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: CacheLimits = { maxEntries: 10_000, maxBytes: 2_000_000 }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#counts.size;
  }

  get bytes(): number {
    return this.#counts.size * ENTRY_BYTES;
  }

  /** Sum of the tokens of all cached texts. */
  get tokens(): number {
    let sum = 0;
    for (const tokens of this.#counts.values()) sum += tokens;
    return sum;
  }

  get(key: string): number | undefined {
    const tokens = this.#counts.get(key);
    if (tokens === undefined) return undefined;
    this.#counts.delete(key);
    this.#counts.set(key, tokens);
    return tokens;
  }

  set(key: string, tokens: number): void {
    this.#counts.delete(key);
    this.#counts.set(key, tokens);
    while (this.#counts.size > this.#limits.maxEntries || this.bytes > this.#limits.maxBytes) {
      const oldest = this.#counts.keys().next();
      if (oldest.done === true) return;
      this.#counts.delete(oldest.value);
    }
  }

  clear(): void {
    this.#counts.clear();
  }
}

/** A key of about 30 characters, a number, and the overhead of the map. */
const ENTRY_BYTES = 160;

/** Cache key of a text: its length and two hashes, 64 bits together. Reads every character. */
export function fingerprint(text: string): string {
  let [first, second] = [0x811c9dc5, 0x9747b28c];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second + code, 0x5bd1e995) ^ (second >>> 13);
  }
  return `${text.length}:${(first >>> 0).toString(36)}:${(second >>> 0).toString(36)}`;
}

/** For texts that are estimated repeatedly. */
const shared = new TokenCache({ maxEntries: 5000, maxBytes: 1_000_000 });
