import type { ToolCache, ToolOutcome } from '../../protocol/tools.ts';

interface Cached<T> {
  readonly value: T;
  readonly expiresAt: number;
  readonly bytes: number;
}

/** Memory limits, in addition to the maximum number of values. */
interface CacheBounds<T> {
  /** Approximate size of a value. */
  readonly bytesOf: (value: T) => number;
  /** Larger values are not cached. */
  readonly maxValueBytes: number;
  /** Total for all values. */
  readonly maxBytes: number;
}

/** A bounded cache of derived values with a time to live; the least recently used is dropped first. */
export class CacheStore<T> {
  readonly #maxSize: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** A Map iterates in insertion order: least recently used first. */
  readonly #values = new Map<string, Cached<T>>();
  readonly #bounds: CacheBounds<T> | undefined;
  #bytes = 0;

  constructor(maxSize = 100, ttlMs = 300_000, now: () => number = Date.now, bounds?: CacheBounds<T>) {
    this.#maxSize = maxSize;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.#bounds = bounds;
  }

  /** Number of values, including expired ones that were not requested since. */
  get size(): number {
    return this.#values.size;
  }

  /** Keys of all values, least recently used first. */
  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Returns the value and marks it as used; undefined if it is missing or expired. */
  get(key: string): T | undefined {
    const cached = this.#live(key);
    if (cached === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, cached);
    return cached.value;
  }

  /** True if `get` would return a value; does not mark it as used. */
  has(key: string): boolean {
    return this.#live(key) !== undefined;
  }

  /** Caches the value for `ttlMs`; 0 caches nothing. Drops other values only if the key is new. */
  set(key: string, value: T, ttlMs: number = this.#ttlMs): void {
    this.delete(key);
    const bytes = this.#bounds?.bytesOf(value) ?? 0;
    if (ttlMs <= 0 || this.#maxSize < 1 || bytes > this.#maxValueBytes()) return;
    if (this.#isFull(bytes)) this.#dropExpired();
    for (const oldest of this.#values.keys()) {
      if (!this.#isFull(bytes)) break;
      this.delete(oldest);
    }
    this.#values.set(key, { value, expiresAt: this.#now() + ttlMs, bytes });
    this.#bytes += bytes;
  }

  /** Returns true if the key existed. */
  delete(key: string): boolean {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    return this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
    this.#bytes = 0;
  }

  #maxValueBytes(): number {
    return this.#bounds === undefined
      ? Number.POSITIVE_INFINITY
      : Math.min(this.#bounds.maxValueBytes, this.#bounds.maxBytes);
  }

  /** True if there is no room for another value of this size. */
  #isFull(bytes: number): boolean {
    return (
      this.#values.size >= this.#maxSize ||
      (this.#bounds !== undefined && this.#bytes + bytes > this.#bounds.maxBytes)
    );
  }

  #live(key: string): Cached<T> | undefined {
    const cached = this.#values.get(key);
    if (cached === undefined || cached.expiresAt > this.#now()) return cached;
    this.delete(key);
    return undefined;
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [key, { expiresAt }] of this.#values) if (expiresAt <= now) this.delete(key);
  }
}

interface ToolCacheOptions {
  /** `context.cache.maxEntries`. */
  readonly maxEntries: number;
  /** `context.cache.ttlMs`. */
  readonly ttlMs: number;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** Counted with two bytes per character; Read itself stops at half a million characters. */
const MAX_OUTCOME_BYTES = 2 ** 20;
const MAX_BYTES = 4 * 2 ** 20;

/** Cache for the results of one session's read tools: at most 1 MB each, 4 MB together, within `context.cache.*`. */
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

/** A path never contains a NUL. */
function keyOf(path: string, stamp: string): string {
  return `${path}\0${stamp}`;
}
