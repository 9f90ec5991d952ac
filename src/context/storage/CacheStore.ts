interface Cached<T> {
  readonly value: T;
  readonly expiresAt: number;
}

/** A bounded cache of derived values: each lives for a time, and the least recently used goes first. */
export class CacheStore<T> {
  readonly #maxSize: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** A Map keeps the order of insertion: least recently used first. */
  readonly #values = new Map<string, Cached<T>>();

  constructor(maxSize = 100, ttlMs = 300_000, now: () => number = Date.now) {
    this.#maxSize = maxSize;
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  /** How many values are held, expired ones that nobody asked for included. */
  get size(): number {
    return this.#values.size;
  }

  /** The value, which counts as a use; undefined when it is absent or expired. */
  get(key: string): T | undefined {
    const cached = this.#live(key);
    if (cached === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, cached);
    return cached.value;
  }

  /** Whether `get` would find the key; not a use. */
  has(key: string): boolean {
    return this.#live(key) !== undefined;
  }

  /** Keeps the value for `ttlMs`; 0 keeps nothing. Makes room only when the key is new. */
  set(key: string, value: T, ttlMs: number = this.#ttlMs): void {
    this.#values.delete(key);
    if (ttlMs <= 0 || this.#maxSize < 1) return;
    if (this.#values.size >= this.#maxSize) this.#dropExpired();
    for (const oldest of this.#values.keys()) {
      if (this.#values.size < this.#maxSize) break;
      this.#values.delete(oldest);
    }
    this.#values.set(key, { value, expiresAt: this.#now() + ttlMs });
  }

  /** Whether there was something to forget. */
  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }

  #live(key: string): Cached<T> | undefined {
    const cached = this.#values.get(key);
    if (cached === undefined || cached.expiresAt > this.#now()) return cached;
    this.#values.delete(key);
    return undefined;
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [key, { expiresAt }] of this.#values) if (expiresAt <= now) this.#values.delete(key);
  }
}
