import { spentIn } from '../context/index.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { Usage } from '../protocol/messages.ts';

export interface Totals extends Usage {
  readonly cachedTokens: number;
  readonly requests: number;
  /** US dollars; `undefined` as soon as one request had no known price. */
  readonly costUsd: number | undefined;
}

const noTotals: Totals = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, requests: 0, costUsd: 0 };

/** What a session has cost so far, as it is opened. */
export function totalsOf(
  entries: readonly JSONLEntry[],
  costUsd: (model: string, usage: Usage) => number | undefined,
): Totals {
  return spentIn(entries).reduce((totals, { model, requests, ...usage }) => {
    const cost = costUsd(model, usage);
    return {
      inputTokens: totals.inputTokens + usage.inputTokens,
      outputTokens: totals.outputTokens + usage.outputTokens,
      cachedTokens: totals.cachedTokens + usage.cachedTokens,
      requests: totals.requests + requests,
      costUsd: totals.costUsd === undefined || cost === undefined ? undefined : totals.costUsd + cost,
    };
  }, noTotals);
}

/** Adds what one entry cost: replies, and `usage` entries (summaries). */
export function addEntry(
  totals: Totals,
  entry: JSONLEntry,
  costUsd: (model: string, usage: Usage) => number | undefined,
): Totals {
  const spent = entry.message.usage;
  if (spent === undefined) return totals;
  const usage: Usage = {
    inputTokens: spent.input_tokens,
    outputTokens: spent.output_tokens,
    ...(spent.cached_tokens === undefined ? {} : { cachedTokens: spent.cached_tokens }),
  };
  const cost = costUsd(entry.message.model ?? '', usage);
  return {
    inputTokens: totals.inputTokens + usage.inputTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
    cachedTokens: totals.cachedTokens + (usage.cachedTokens ?? 0),
    requests: totals.requests + 1,
    costUsd: totals.costUsd === undefined || cost === undefined ? undefined : totals.costUsd + cost,
  };
}
