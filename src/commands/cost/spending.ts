/** Sums of tokens and dollars, under names. */
import type { ModelInfo } from '../../protocol/models/model.ts';

/** What requests, or parts of them, used. */
export interface Spending {
  readonly inputTokens: number;
  /** The part of the input that came from the provider's cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** US dollars at list price; null as soon as one price is unknown. */
  readonly costUsd: number | null;
  /** US dollars of the part whose price is known. */
  readonly knownCostUsd: number;
}

export interface Row extends Spending {
  readonly name: string;
  /** Zero for shares of requests, such as those of a tool. */
  readonly requests: number;
}

export const noSpending: Spending = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  knownCostUsd: 0,
};

export function addSpending(a: Spending, b: Spending): Spending {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
    knownCostUsd: a.knownCostUsd + b.knownCostUsd,
  };
}

/** Names come from logs: a table of them must not grow without limit. */
const MAX_NAMES = 5000;
const OTHERS = '(others)';

export interface Table {
  add(name: string, spending: Spending, requests: number): void;
  /** The most expensive first; without prices, those with the most tokens. */
  rows(): readonly Row[];
}

export function createTable(): Table {
  const known = new Map<string, Row>();
  return {
    add(given, spending, requests) {
      const name = known.has(given) || known.size < MAX_NAMES ? given : OTHERS;
      const before = known.get(name);
      known.set(name, {
        name,
        ...addSpending(before ?? noSpending, spending),
        requests: (before?.requests ?? 0) + requests,
      });
    },
    rows: () => [...known.values()].toSorted(byCostDescending),
  };
}

export function byCostDescending(a: Spending, b: Spending): number {
  const tokens = ({ inputTokens, outputTokens }: Spending): number => inputTokens + outputTokens;
  return b.knownCostUsd - a.knownCostUsd || tokens(b) - tokens(a);
}

type Price = ModelInfo['price'];

/** Input in which `cached` tokens came from the cache and `written` of the others were written to it. */
export function inputSpending(tokens: number, cached: number, written: number, price: Price): Spending {
  const plain = Math.max(0, tokens - cached - written);
  const costUsd =
    price === undefined
      ? null
      : (plain * price.input + cached * price.cachedInput + written * (price.cacheWrite ?? price.input)) /
        1e6;
  return { inputTokens: tokens, cachedTokens: cached, outputTokens: 0, costUsd, knownCostUsd: costUsd ?? 0 };
}

export function outputSpending(tokens: number, price: Price): Spending {
  const costUsd = price === undefined ? null : (tokens * price.output) / 1e6;
  return { ...noSpending, outputTokens: tokens, costUsd, knownCostUsd: costUsd ?? 0 };
}

/** For JSON: shares without the noise of their division. */
export function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value;
}
