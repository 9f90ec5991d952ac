/** What the engine did to make room, counted from its log. */
import type { ContextManager } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';

export interface Swaps {
  readonly summaries: number;
  readonly removals: number;
  readonly masks: number;
}

export function swapsIn(manager: ContextManager): Swaps {
  const entries = manager.entries();
  const isReduction = (entry: JSONLEntry | undefined, kind: string): boolean =>
    entry?.subtype === 'reduction' && entry.data?.kind === kind;
  /** Several entries that follow each other are one batch. */
  const batches = (kind: string): number =>
    entries.filter((entry, index) => isReduction(entry, kind) && !isReduction(entries[index - 1], kind))
      .length;
  return {
    summaries: entries.filter(({ isCompactSummary }) => isCompactSummary === true).length,
    removals: batches('remove'),
    masks: batches('mask'),
  };
}
