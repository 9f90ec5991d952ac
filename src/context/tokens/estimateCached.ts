/** S1's two helpers for whoever estimates the same texts again and again. */
import { S1 } from './coefficients.ts';
import { estimateTokens } from './estimate.ts';
import { fingerprint, TokenCache } from './TokenCache.ts';

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
