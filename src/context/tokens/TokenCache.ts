interface CacheLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** LRU cache of token counts; stores a fingerprint of each text instead of the text. */
export class TokenCache {
  readonly #limits: CacheLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: CacheLimits = { maxEntries: 10_000, maxBytes: 2_000_000 }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#counts.size;
  }

  get bytes(): number {
    return this.#counts.size * ENTRY_BYTES;
  }

  /** Sum of the tokens of all cached texts. */
  get tokens(): number {
    let sum = 0;
    for (const tokens of this.#counts.values()) sum += tokens;
    return sum;
  }

  get(key: string): number | undefined {
    const tokens = this.#counts.get(key);
    if (tokens === undefined) return undefined;
    this.#counts.delete(key);
    this.#counts.set(key, tokens);
    return tokens;
  }

  set(key: string, tokens: number): void {
    this.#counts.delete(key);
    this.#counts.set(key, tokens);
    while (this.#counts.size > this.#limits.maxEntries || this.bytes > this.#limits.maxBytes) {
      const oldest = this.#counts.keys().next();
      if (oldest.done === true) return;
      this.#counts.delete(oldest.value);
    }
  }

  clear(): void {
    this.#counts.clear();
  }
}

/** A key of about 30 characters, a number, and the overhead of the map. */
const ENTRY_BYTES = 160;

/** Cache key of a text: its length and two hashes, 64 bits together. Reads every character. */
export function fingerprint(text: string): string {
  let [first, second] = [0x811c9dc5, 0x9747b28c];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second + code, 0x5bd1e995) ^ (second >>> 13);
  }
  return `${text.length}:${(first >>> 0).toString(36)}:${(second >>> 0).toString(36)}`;
}
