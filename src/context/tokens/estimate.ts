/** Token estimates without a tokenizer: each kind of character has its own number of characters per token. */

import { fingerprint, TokenCache } from './TokenCache.ts';
import { addTo, type ClassTokens, type Coefficients, noTokens, S1, sumOf, weigh } from './weigh.ts';

export { type Coefficients, HIGH, S1, S5 } from './weigh.ts';

/** Estimated tokens of a text, rounded up; 0 for the empty one. */
export function estimateTokens(text: string, set: Coefficients = S1): number {
  if (text === '') return 0;
  const tokens = noTokens();
  weigh(text, set, tokens);
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

// S1's two helpers for estimating the same texts again and again.

const shared = new TokenCache({ maxEntries: 5000, maxBytes: 1_000_000 });

/** `estimateTokens` with S1's figures, remembered by fingerprint in a bounded cache. */
export function estimateTokensCached(text: string, cache = shared): number {
  const key = fingerprint(text);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const tokens = estimateTokens(text, S1);
  cache.set(key, tokens);
  return tokens;
}

/** Texts of messages, each with four tokens of framing. Whole messages, with calls: `TokenCounter`. */
export function estimateMessagesTokens(messages: readonly { readonly content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokensCached(content) + MESSAGE_OVERHEAD, 0);
}

const MESSAGE_OVERHEAD = 4;

export interface Estimate {
  /** Tokens by class. */
  readonly classes: ClassTokens;
  /** By how many tokens a sample may be below the estimate of the whole; 0 where all of it was read. */
  readonly error: number;
}

/** Characters up to which a text is read whole: less than a millisecond. */
export const WHOLE = 65_536;

/**
 * Estimates a text of any size in a moment: beyond 64 kB from 64 slices of 1,024 characters, one at a chosen
 * place in each 64th of the text. What is returned lies `error` above the mean, so that it is never below the
 * estimate of the whole by more than that; a stretch denser than all that was seen fits into the error too.
 */
export function estimateLarge(text: string, set: Coefficients): Estimate {
  const classes = noTokens();
  if (text.length <= WHOLE) {
    weigh(text, set, classes);
    return { classes, error: 0 };
  }
  const stride = text.length / SLICES;
  const densities: number[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const tokens = noTokens();
    const start = Math.floor(slice * stride + place(slice) * (stride - SLICE));
    weigh(text, set, tokens, start, start + SLICE);
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
/** Tokens per character of the densest text that is no attack: punctuation, CJK. */
const DENSEST = 1;

/** Where in its share a slice lies, 0 to 1: not at equal distances, which a table of equal lines would meet. */
function place(slice: number): number {
  return (slice * 0.618_033_988_75) % 1;
}
