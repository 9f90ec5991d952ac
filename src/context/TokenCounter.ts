/**
 * Counts tokens for the meter, the compaction trigger and `/context`. Counts are available immediately: estimates by
 * character class until `refine` has run the encoder. Each message is counted once. Counts are uncalibrated: multiply
 * them by `ratio`, which is learned per model from the usage that its server reports.
 */
import type { Message, ToolSchema } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import { reachesShare } from './tokens/budgets.ts';
import { Calibrations } from './tokens/calibration.ts';
import { ExactCounts } from './tokens/ExactCounts.ts';
import { estimateTokens } from './tokens/estimate.ts';
import { type TokenEncoder, type VocabularyName, vocabularies } from './tokens/exact/vocabulary.ts';
import {
  type Countable,
  type Measured,
  measuredExactly,
  measuredInSlices,
  partsOfMessage,
  partsOfTool,
  quickEstimate,
  yieldToEventLoop,
} from './tokens/measured.ts';
import { addTo, type Coefficients, HIGH, noTokens, S5 } from './tokens/tokenClasses.ts';

interface TokenCount {
  readonly tokens: number;
  /** False for an estimate. */
  readonly exact: boolean;
}

interface TokenCounterOptions {
  /** Characters per token for estimates. */
  readonly set?: Coefficients;
  /** Absent = all counts are estimates. */
  readonly encoder?: TokenEncoder | undefined;
  /** The learned facts about how models count; updated by `observe`. */
  readonly calibrations?: Calibrations;
}

/** Tokens that start the reply. */
const REPLY_PRIMING = 3;

export class TokenCounter {
  readonly #set: Coefficients;
  readonly #exact: ExactCounts;
  readonly #calibrations: Calibrations;
  #vocabulary: VocabularyName | undefined;
  #measured = new Map<VocabularyName | undefined, WeakMap<object, Measured>>();
  readonly #names = new WeakMap<Message, object>();
  #stats = { cachedMessages: 0, totalCachedTokens: 0 };
  #generation: object = {};

  constructor({ set = HIGH, encoder, calibrations }: TokenCounterOptions = {}) {
    this.#set = set;
    this.#calibrations = calibrations ?? new Calibrations();
    this.#exact = new ExactCounts(encoder);
  }

  /** Switches counting to this model. Cheap: call it before each measurement. */
  setModel({ tokenizer }: Pick<ModelInfo, 'tokenizer'>): void {
    const vocabulary = vocabularies.find((name) => name === tokenizer);
    if (vocabulary !== this.#vocabulary) this.#generation = {};
    this.#vocabulary = vocabulary;
  }

  /** A new object whenever counts may have changed. */
  get generation(): object {
    return this.#generation;
  }

  /** Makes the message share the count of `name`, so that a rebuilt message is not counted again. */
  identify(message: Message, name: object): void {
    this.#names.set(message, name);
  }

  count(text: string): TokenCount {
    const { tokens, exact } = quickEstimate({ texts: [text], fixed: 0 }, this.#set, this.#known);
    return { tokens, exact };
  }

  countText(text: string): number {
    return this.count(text).tokens;
  }

  /** Tokens of a text of any size, exact if possible; never blocks the event loop for long. */
  async countTextAsync(text: string, signal?: AbortSignal): Promise<TokenCount> {
    const parts = { texts: [text], fixed: 0 };
    const measured = await this.#measureWell(parts, signal);
    return measured === undefined ? this.count(text) : { tokens: measured.tokens, exact: measured.exact };
  }

  /** Tokens of one message with all its parts, before calibration. */
  countMessage(message: Message): number {
    return this.measured(message).tokens;
  }

  countMessages(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.countMessage(message), REPLY_PRIMING);
  }

  countTools(tools: readonly ToolSchema[]): number {
    return tools.reduce((sum, tool) => sum + this.measured(tool).tokens, 0);
  }

  /** Tokens of a whole request. */
  countTokens(messages: readonly Message[], tools: readonly ToolSchema[] = []): number {
    return this.countMessages(messages) + this.countTools(tools);
  }

  /** True if no part of the request is an estimate. */
  isExact(messages: readonly Message[], tools: readonly ToolSchema[] = []): boolean {
    return [...messages, ...tools].every((one) => this.measured(one).exact);
  }

  /**
   * Replaces estimates by exact counts or, if the model's vocabulary is not public, estimates large texts in full
   * instead of from samples. Returns true if any count changed; counts made before an abort are kept.
   */
  async refine(
    messages: readonly Message[],
    tools: readonly ToolSchema[] = [],
    signal?: AbortSignal,
  ): Promise<boolean> {
    const asked = this.#vocabulary;
    const book = this.#book();
    let changed = false;
    for (const group of groups(await this.#improvable([...messages, ...tools], signal))) {
      if (signal?.aborted === true || this.#vocabulary !== asked) return changed;
      const parts = group.map((one) => this.#partsOf(one));
      const better = await this.#measureAll(parts, signal);
      if (better === undefined) return changed;
      for (const [index, one] of group.entries()) {
        const measured = better[index];
        if (measured === undefined) continue;
        const name = this.#nameOf(one);
        changed ||= measured.tokens !== book.get(name)?.tokens || measured.exact;
        book.set(name, measured);
      }
      this.#generation = {};
      await yieldToEventLoop();
    }
    return changed;
  }

  /** Tokens by character class, for `ratio` and `observe`: eight numbers, small enough to store with each reply. */
  featuresOf(messages: readonly Message[], tools: readonly ToolSchema[] = []): readonly number[] {
    const sum = noTokens();
    for (const one of [...messages, ...tools]) addTo(sum, this.measured(one).classes);
    return Array.from(sum, (tokens) => Math.round(tokens));
  }

  /**
   * Factor by which to multiply a count for this model; 1 until its server has reported usage. `features` describes the
   * mix of character classes of the request; without them the last reported request is used.
   */
  ratio(model: string, features?: readonly number[]): number {
    return this.#calibrations.ratio(model, features);
  }

  /** Relative error of the latest predictions for this model; 0.25 before the first. */
  errorShare(model: string): number {
    return this.#calibrations.errorShare(model);
  }

  /** Learns from one reply: the uncalibrated count of the request and the count that the server reported. */
  observe(model: string, countedTokens: number, reportedTokens: number, features?: readonly number[]): void {
    this.#calibrations.observe(model, countedTokens, reportedTokens, features);
  }

  /** True if `tokens` has reached `threshold` of the window. */
  shouldCompact(tokens: number, windowTokens: number, threshold = 0.8): boolean {
    return reachesShare(tokens, windowTokens, threshold);
  }

  /** Rough estimate: 1.5 Chinese characters per token. */
  estimateTokens(text: string): number {
    return estimateTokens(text, S5);
  }

  /** Number of texts with a cached exact count. */
  getCacheSize(): number {
    return this.#exact.cache.size;
  }

  /** Messages and tools counted since the cache was last cleared, and their tokens. */
  getCacheStats(): { readonly cachedMessages: number; readonly totalCachedTokens: number } {
    return this.#stats;
  }

  /** Clears all counts but keeps the calibrations. */
  clearCache(): void {
    this.#measured = new Map();
    this.#exact.cache.clear();
    this.#generation = {};
    this.#stats = { cachedMessages: 0, totalCachedTokens: 0 };
  }

  readonly #known = (text: string): number | undefined =>
    this.#vocabulary === undefined ? undefined : this.#exact.known(this.#vocabulary, text);

  #nameOf(one: Message | ToolSchema): object {
    return ('role' in one ? this.#names.get(one) : undefined) ?? one;
  }

  #book(): WeakMap<object, Measured> {
    let book = this.#measured.get(this.#vocabulary);
    if (book === undefined) {
      book = new WeakMap();
      this.#measured.set(this.#vocabulary, book);
    }
    return book;
  }

  /** Counts one message or tool, before calibration. */
  measured(one: Message | ToolSchema): Measured {
    const book = this.#book();
    const name = this.#nameOf(one);
    const known = book.get(name);
    if (known !== undefined) return known;
    const measured = quickEstimate(this.#partsOf(one), this.#set, this.#known);
    book.set(name, measured);
    const { cachedMessages, totalCachedTokens } = this.#stats;
    this.#stats = {
      cachedMessages: cachedMessages + 1,
      totalCachedTokens: totalCachedTokens + measured.tokens,
    };
    return measured;
  }

  #partsOf(one: Message | ToolSchema): Countable {
    return 'role' in one ? partsOfMessage(one, this.#vocabulary !== undefined) : partsOfTool(one);
  }

  /** Also measures messages that were not measured yet, so that the next count is instant. */
  async #improvable(
    all: readonly (Message | ToolSchema)[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (Message | ToolSchema)[]> {
    const found = [];
    let pausedAt = performance.now();
    for (const one of all) {
      if (signal?.aborted === true) break;
      if (this.#canImprove(one)) found.push(one);
      if (performance.now() - pausedAt < PAUSE_MS) continue;
      await yieldToEventLoop();
      pausedAt = performance.now();
    }
    return found;
  }

  #canImprove(one: Message | ToolSchema): boolean {
    const { exact, sampled } = this.measured(one);
    return !exact && (sampled || (this.#vocabulary !== undefined && this.#exact.isAvailable()));
  }

  async #measureAll(
    parts: readonly Countable[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (Measured | undefined)[] | undefined> {
    if (this.#vocabulary === undefined || !this.#exact.isAvailable()) {
      const measured = [];
      for (const one of parts) measured.push(await measuredInSlices(one, this.#set, signal));
      return measured;
    }
    const texts = parts.flatMap((one) => one.texts);
    const counts = await this.#exact.count(this.#vocabulary, texts, signal);
    if (counts === undefined) return undefined;
    this.#generation = {};
    let next = 0;
    return parts.map((one) => {
      const sum = one.texts.reduce((total) => total + (counts[next++] ?? 0), one.fixed);
      return measuredExactly(sum);
    });
  }

  async #measureWell(parts: Countable, signal: AbortSignal | undefined): Promise<Measured | undefined> {
    const exactly = await this.#measureAll([parts], signal);
    return exactly === undefined ? measuredInSlices(parts, this.#set, signal) : exactly[0];
  }
}

/** Maximum time in milliseconds before yielding to the event loop. */
const PAUSE_MS = 3;
/** Messages per request to the encoder. */
const GROUP = 64;

function* groups<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += GROUP) yield all.slice(start, start + GROUP);
}
