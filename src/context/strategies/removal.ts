/** What all strategies share: the order in which things go, and the list that is left. */
import { assignMessagePriorities, isRemovable, rankOf } from './priorities.ts';
import type { RankedItem, RemovalResult, StrategyItem } from './types.ts';

/** Tokens of a list. */
export function sumTokens(items: readonly StrategyItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Low priority first; of the same priority the oldest first, and of the same time the one that stands first. */
export function inRemovalOrder(items: readonly RankedItem[]): RankedItem[] {
  return items
    .map((item, index) => ({ item, index }))
    .sort(
      (a, b) =>
        rankOf[a.item.priority] - rankOf[b.item.priority] ||
        a.item.timestamp - b.item.timestamp ||
        a.index - b.index,
    )
    .map(({ item }) => item);
}

/** Takes candidates in their order until `excess` tokens are gone or `most` items are. */
export function takeUntil(
  candidates: readonly StrategyItem[],
  excess: number,
  most = Number.POSITIVE_INFINITY,
): { readonly taken: readonly string[]; readonly freed: number } {
  const taken: string[] = [];
  let freed = 0;
  for (const { id, tokens } of candidates) {
    if (freed >= excess || taken.length >= most) break;
    taken.push(id);
    freed += tokens;
  }
  return { taken, freed };
}

/** The result of removing these ids: what is kept and what is not, each in the order of the list. */
export function resultWithout(
  items: readonly StrategyItem[],
  removed: ReadonlySet<string>,
  facts: Pick<RemovalResult, 'strategy' | 'reason' | 'confidence' | 'scores'>,
): RemovalResult {
  const kept = items.filter(({ id }) => !removed.has(id));
  return {
    ...facts,
    kept: kept.map(({ id }) => id),
    removed: items.filter(({ id }) => removed.has(id)).map(({ id }) => id),
    tokens: sumTokens(kept),
  };
}

export interface FurtherRemoval {
  /** What a strategy has removed so far. */
  readonly result: RemovalResult;
  /** Items that may go at most; absent = all that are removable. */
  readonly most?: number;
  /** Completes the result's reason when `count` items have gone besides. */
  readonly why: (count: number) => string;
}

/** Removes more, low priority first, then the oldest, until `targetTokens` is reached or nothing more may go. */
export function removeFurther(
  items: readonly StrategyItem[],
  targetTokens: number,
  { result, most, why }: FurtherRemoval,
): RemovalResult {
  if (result.tokens <= targetTokens) return result;
  const gone = new Set(result.removed);
  const rest = removableOf(assignMessagePriorities(items)).filter(({ id }) => !gone.has(id));
  const { taken } = takeUntil(inRemovalOrder(rest), result.tokens - targetTokens, most);
  if (taken.length === 0) return result;
  const { strategy, confidence, scores } = result;
  return resultWithout(items, new Set([...gone, ...taken]), {
    strategy,
    reason: `${result.reason}, ${why(taken.length)}`,
    ...(confidence === undefined ? {} : { confidence }),
    ...(scores === undefined ? {} : { scores }),
  });
}

/** Those of a ranked list that may go. */
export function removableOf(items: readonly RankedItem[]): RankedItem[] {
  return items.filter(isRemovable);
}
