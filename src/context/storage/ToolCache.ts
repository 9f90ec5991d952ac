import type { ToolCache, ToolOutcome } from '../../protocol/tools.ts';
import { CacheStore } from './CacheStore.ts';

export interface ToolCacheOptions {
  /** `context.cache.maxEntries`. */
  readonly maxEntries: number;
  /** `context.cache.ttlMs`. */
  readonly ttlMs: number;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** Two bytes a character; Read itself stops at half a million characters. */
const MAX_OUTCOME_BYTES = 2 ** 20;
const MAX_BYTES = 4 * 2 ** 20;

/** What tools of one session have read: at most 1 MB each, 4 MB together, within `context.cache.*`. */
export class SessionToolCache implements ToolCache {
  readonly #outcomes: CacheStore<ToolOutcome>;
  #hits = 0;
  #misses = 0;

  constructor({ maxEntries, ttlMs, now }: ToolCacheOptions) {
    this.#outcomes = new CacheStore<ToolOutcome>(maxEntries, ttlMs, now, {
      bytesOf: ({ text }) => 2 * text.length,
      maxValueBytes: MAX_OUTCOME_BYTES,
      maxBytes: MAX_BYTES,
    });
  }

  get(path: string, stamp: string): ToolOutcome | undefined {
    const outcome = this.#outcomes.get(keyOf(path, stamp));
    if (outcome === undefined) this.#misses += 1;
    else this.#hits += 1;
    return outcome;
  }

  set(path: string, stamp: string, outcome: ToolOutcome): void {
    this.#outcomes.set(keyOf(path, stamp), outcome);
  }

  drop(path: string): void {
    for (const key of this.#outcomes.keys()) if (key.startsWith(keyOf(path, ''))) this.#outcomes.delete(key);
  }

  get stats(): { readonly hits: number; readonly misses: number; readonly entries: number } {
    return { hits: this.#hits, misses: this.#misses, entries: this.#outcomes.size };
  }
}

/** No path holds a NUL. */
function keyOf(path: string, stamp: string): string {
  return `${path}\0${stamp}`;
}
