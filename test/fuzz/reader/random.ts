/** Random choices: the same seed gives the same choices. */
export interface Random {
  /** An integer from 0 up to, but not including, `count`. */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
  /** Between `least` and `most` results of `make`. */
  some<T>(least: number, most: number, make: () => T): T[];
}

export function randomFrom(seed: number): Random {
  const next = mulberry32(seed);
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    chance: (share) => next() < share,
    some: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}

/** Small, fast and good enough for choices: https://github.com/bryc/code/blob/master/jshash/PRNGs.md#mulberry32 */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
