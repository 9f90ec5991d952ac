/** A heap of (rank, part): the lowest rank comes out first, of equal ones the leftmost part. */
export class RankHeap {
  /** Rank and part in one number, in which the rank weighs more; exact below 2^53. */
  #keys: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#keys = new Float64Array(Math.max(16, capacity));
  }

  push(rank: number, part: number): void {
    if (this.#size === this.#keys.length) {
      const larger = new Float64Array(this.#keys.length * 2);
      larger.set(this.#keys);
      this.#keys = larger;
    }
    const keys = this.#keys;
    const key = rank * PARTS + part;
    let slot = this.#size++;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      const above = keys[parent] ?? 0;
      if (above <= key) break;
      keys[slot] = above;
      slot = parent;
    }
    keys[slot] = key;
  }

  pop(): { readonly rank: number; readonly part: number } | undefined {
    if (this.#size === 0) return undefined;
    const keys = this.#keys;
    const top = keys[0] ?? 0;
    const last = keys[--this.#size] ?? 0;
    let slot = 0;
    for (;;) {
      let child = 2 * slot + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child++;
      const below = keys[child] ?? 0;
      if (below >= last) break;
      keys[slot] = below;
      slot = child;
    }
    keys[slot] = last;
    return { rank: Math.floor(top / PARTS), part: top % PARTS };
  }
}

const PARTS = 2 ** 24;
