/** Seeded randomness: the same seed gives the same trace on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [from, to). */
  between(from: number, to: number): number;
  /** Whole number from a lognormal distribution with the given median, at least 1. */
  lognormal(median: number, sigma: number, highest: number): number;
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32: 32 bits of state, good enough to draw sizes with. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from)),
    lognormal: (median, sigma, highest) =>
      Math.max(1, Math.min(highest, Math.round(median * Math.exp(sigma * normal())))),
    pick: (from) => {
      const chosen = from[Math.floor(next() * from.length)];
      if (chosen === undefined) throw new Error('Nothing to pick from.');
      return chosen;
    },
  };
}
