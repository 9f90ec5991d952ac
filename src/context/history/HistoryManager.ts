/**
 * `HistoryManager`: a conversation as a list that only grows, its rounds, its tokens, and how it is shortened
 * by a summary. It owns the list and the count; it knows no disk, no model and no clock but the one it is
 * given. What it lets go of is still in the log.
 */
import * as z from 'zod';
import { entrySchema, type JSONLEntry } from '../../protocol/entries.ts';
import { deepFreeze } from '../storage/frozen.ts';
import { isPrompt } from './atoms.ts';
import { compressHistory } from './compressHistory.ts';

export interface HistoryOptions {
  /** Tokens of an entry; the same for the same entry each time. */
  readonly sizeOf: (entry: JSONLEntry) => number;
  /** Of the model, in tokens. */
  readonly contextWindow: number;
  /** Share of the window from which the history should be compressed. */
  readonly compressionThreshold?: number;
  /** Newest rounds that stay whole where they fit. */
  readonly minRetainRounds?: number;
  /** Tokens that stay verbatim at most; by default half of what sets a compression off. */
  readonly retainTokens?: number;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
}

/** Plain data: what `load` takes. */
export interface HistoryDict {
  readonly version: 1;
  readonly entries: readonly JSONLEntry[];
}

export class HistoryManager {
  readonly #options: Required<HistoryOptions>;
  #entries: readonly JSONLEntry[] = [];
  /** Appended and not yet joined to the list: joining at each append would copy the list each time. */
  #appended: JSONLEntry[] = [];
  #tokens = 0;

  constructor(options: HistoryOptions) {
    const { contextWindow, compressionThreshold = 0.8 } = options;
    this.#options = {
      compressionThreshold,
      minRetainRounds: 10,
      retainTokens: Math.floor((contextWindow * compressionThreshold) / 2),
      clock: Date.now,
      ...options,
    };
  }

  /** Takes a copy, so that nobody can change it afterwards; an entry that is frozen is taken as it is. */
  append(entry: JSONLEntry): void {
    const own = Object.isFrozen(entry) ? entry : deepFreeze(structuredClone(entry));
    this.#appended.push(own);
    this.#tokens += this.#options.sizeOf(own);
  }

  /** A list of its own for each caller; the entries in it cannot be changed. */
  getHistory(): JSONLEntry[] {
    return [...this.#list()];
  }

  clear(): void {
    this.#replace([]);
  }

  toDict(): HistoryDict {
    return { version: 1, entries: this.getHistory() };
  }

  /**
   * Takes the place of what is there. Entries that are none are left out and counted; data that is no
   * history at all changes nothing.
   */
  load(data: unknown): { readonly loaded: number; readonly skipped: number } | undefined {
    const dict = dictSchema.safeParse(data);
    if (!dict.success) return undefined;
    const entries = dict.data.entries.flatMap((one) => entrySchema.safeParse(one).data ?? []);
    this.#replace(entries.map((entry) => deepFreeze(structuredClone(entry))));
    return { loaded: entries.length, skipped: dict.data.entries.length - entries.length };
  }

  /** Rounds; what the user said starts one. */
  estimateRounds(): number {
    return this.findRoundBoundaries().length;
  }

  /** Index in `getHistory()` of each entry that starts a round. */
  findRoundBoundaries(): number[] {
    return this.#list().flatMap((entry, index) => (isPrompt(entry) ? [index] : []));
  }

  /** Tokens of all entries, kept up to date at each change. */
  countTokens(): number {
    return this.#tokens;
  }

  shouldCompress(): boolean {
    const { contextWindow, compressionThreshold } = this.#options;
    return this.#tokens >= contextWindow * compressionThreshold;
  }

  /**
   * Puts a summary in the place of what is older than the newest rounds; an earlier summary is folded into
   * it. Where there are no more rounds than that, it only acts when the history is due, and then within the
   * rounds. False when nothing changed: nothing to leave out, or nothing gained by it.
   */
  compress(summary: string): boolean {
    const { sizeOf, minRetainRounds, retainTokens, clock } = this.#options;
    if (this.estimateRounds() <= minRetainRounds && !this.shouldCompress()) return false;
    const compressed = compressHistory(this.#list(), summary, {
      sizeOf,
      rounds: minRetainRounds,
      tokens: retainTokens,
      compressedAt: new Date(clock()).toISOString(),
    });
    if (compressed === undefined) return false;
    this.#replace(compressed.map((entry) => deepFreeze(entry)));
    return true;
  }

  #list(): readonly JSONLEntry[] {
    if (this.#appended.length > 0) {
      this.#entries = [...this.#entries, ...this.#appended];
      this.#appended = [];
    }
    return this.#entries;
  }

  #replace(entries: readonly JSONLEntry[]): void {
    this.#entries = entries;
    this.#appended = [];
    this.#tokens = entries.reduce((sum, entry) => sum + this.#options.sizeOf(entry), 0);
  }
}

const dictSchema = z.object({ version: z.literal(1), entries: z.array(z.unknown()) });
