/**
 * What one reply may take of us. No model comes near these bounds; a hostile or broken server may send without end.
 * Sizes count what arrives after decompression. What exceeds a bound ends the reply, which is not asked for again.
 */
import { REPLY_TOO_LARGE } from './network.ts';

export interface ReplyBounds {
  /** Characters of text, reasoning and calls together: half a million tokens, more than any model writes at once. */
  readonly maxCharacters: number;
  readonly maxCalls: number;
  /** Characters of one call's arguments. A larger file is written in several calls. */
  readonly maxArguments: number;
  /** With all that servers put around each token, comments included. */
  readonly maxBytes: number;
  /** A server sends one for each token, at most. */
  readonly maxEvents: number;
  /** Characters of one event, or of an answer that is not streamed. */
  readonly maxEventLength: number;
  /** Bytes in a row that add nothing to the reply: comments, empty events. */
  readonly maxIdleBytes: number;
  /** Events in a row that add nothing to the reply. */
  readonly maxIdleEvents: number;
  /** Events that are no JSON. A few are dropped without harm. */
  readonly maxMalformed: number;
}

export const replyBounds: ReplyBounds = {
  maxCharacters: 2_000_000,
  maxCalls: 100,
  maxArguments: 1_000_000,
  maxBytes: 64_000_000,
  maxEvents: 300_000,
  maxEventLength: 4_000_000,
  maxIdleBytes: 16_000_000,
  maxIdleEvents: 100_000,
  maxMalformed: 1000,
};

/** `what`: what the reply held too much of, as it follows "it holds". */
export function tooLarge(what: string): Error {
  return Object.assign(new Error(`The reply holds <${what}>.`), { code: REPLY_TOO_LARGE });
}

/** `1,000,000`, in every locale. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
