/**
 * Resource limits of one reply. No model comes near them; a hostile or broken server may send forever.
 * Sizes are measured after decompression. A reply that exceeds a bound fails and is not retried.
 */
import { REPLY_TOO_LARGE } from '../protocol/text/boundedJson.ts';

export interface ReplyBounds {
  /** Characters of text, reasoning and calls together: half a million tokens, more than any model writes at once. */
  readonly maxCharacters: number;
  readonly maxCalls: number;
  /** Parts of text, reasoning and calls. Models write dozens; each is kept, stored and sent back on its own. */
  readonly maxParts: number;
  /** Characters of one call's arguments. A larger file must be written in several calls. */
  readonly maxArguments: number;
  /** Includes the overhead that servers add to each token, and comments. */
  readonly maxBytes: number;
  /** A server sends at most one event per token. */
  readonly maxEvents: number;
  /** Characters of one event, or of an answer that is not streamed. */
  readonly maxEventLength: number;
  /** Consecutive bytes that add nothing to the reply: comments, empty events. */
  readonly maxIdleBytes: number;
  /** Consecutive events that add nothing to the reply. */
  readonly maxIdleEvents: number;
  /** Events that are not JSON. A few are dropped without harm. */
  readonly maxMalformed: number;
}

export const replyBounds: ReplyBounds = {
  maxCharacters: 2_000_000,
  maxCalls: 100,
  maxParts: 4000,
  maxArguments: 1_000_000,
  maxBytes: 64_000_000,
  maxEvents: 300_000,
  maxEventLength: 4_000_000,
  maxIdleBytes: 16_000_000,
  maxIdleEvents: 100_000,
  maxMalformed: 1000,
};

/** `what`: what the reply contains too much of; completes "it contains …". */
export function tooLarge(what: string): Error {
  return Object.assign(new Error(`The reply holds <${what}>.`), { code: REPLY_TOO_LARGE });
}
