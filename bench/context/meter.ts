/** Counts what requests cost on one price sheet, whoever builds them. */
import { type PriceSheet, PromptCache, type Served, type Sized, tokensOf } from './cache.ts';

export interface Figures {
  /** Everything billed, in prices of one uncached input token, for one token of work. */
  readonly cost: number;
  /** Share of the request before that a warm request shares with it. */
  readonly reuse: number;
  /** Tokens written to the cache for one token of work. */
  readonly writes: number;
  /** Swaps that lose what the summary does not say, for a million tokens of work. */
  readonly lossyPerMillion: number;
  readonly masksPerMillion: number;
  readonly averageRequest: number;
  readonly largestRequest: number;
  /** Requests over the window. */
  readonly overflows: number;
}

export class Meter {
  readonly #sheet: PriceSheet;
  readonly #cache: PromptCache;
  readonly #windowTokens: number;
  #cost = 0;
  #writes = 0;
  #shared = 0;
  #previous = 0;
  #requests = 0;
  #sent = 0;
  #largest = 0;
  #overflows = 0;

  constructor(sheet: PriceSheet, windowTokens: number) {
    this.#sheet = sheet;
    this.#cache = new PromptCache(sheet);
    this.#windowTokens = windowTokens;
  }

  /** A request of the conversation and the reply to it. */
  ask(blocks: readonly Sized[], outputTokens: number, minute: number): void {
    const served = this.#cache.serve(blocks, minute);
    this.#pay(served, outputTokens);
    if (served.warm) {
      this.#shared += served.shared;
      this.#previous += served.previous;
    }
    const sent = tokensOf(blocks);
    this.#requests++;
    this.#sent += sent;
    this.#largest = Math.max(this.#largest, sent);
    if (sent > this.#windowTokens) this.#overflows++;
  }

  /** A request for a summary that begins like the conversation's. */
  askBeside(blocks: readonly Sized[], outputTokens: number, minute: number): void {
    this.#pay(this.#cache.serve(blocks, minute), outputTokens);
  }

  /** A request that shares nothing and is not to be cached. */
  askApart(inputTokens: number, outputTokens: number): void {
    this.#cost += inputTokens * this.#sheet.input + outputTokens * this.#sheet.output;
  }

  isCold(minute: number): boolean {
    return this.#cache.isCold(minute);
  }

  figures(workTokens: number, swaps: { readonly lossy: number; readonly masks: number }): Figures {
    return {
      cost: this.#cost / workTokens,
      reuse: this.#previous === 0 ? 1 : this.#shared / this.#previous,
      writes: this.#writes / workTokens,
      lossyPerMillion: (swaps.lossy / workTokens) * 1e6,
      masksPerMillion: (swaps.masks / workTokens) * 1e6,
      averageRequest: this.#sent / Math.max(1, this.#requests),
      largestRequest: this.#largest,
      overflows: this.#overflows,
    };
  }

  #pay({ read, write }: Served, outputTokens: number): void {
    this.#cost += read * this.#sheet.read + write * this.#sheet.write + outputTokens * this.#sheet.output;
    this.#writes += write;
  }
}
