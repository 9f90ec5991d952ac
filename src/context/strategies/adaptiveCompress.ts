/** Tries both ways of removal and takes the better one; what is still missing for the target is added. */

import { MiddleRemovalStrategy } from './MiddleRemovalStrategy.ts';
import { OldestRemovalStrategy } from './OldestRemovalStrategy.ts';
import { assignMessagePriorities } from './priorities.ts';
import { inRemovalOrder, removableOf, resultWithout, sumTokens, takeUntil } from './removal.ts';
import type { RemovalOptions, RemovalResult, StrategyItem } from './types.ts';
import { validateRemoval } from './validateRemoval.ts';

/** How much the freed tokens count against the kept messages. */
const REDUCTION_WEIGHT = 0.6;
const PRESERVATION_WEIGHT = 0.4;

/** Both ways, scored; of equal scores the middle wins. An invalid result loses to a valid one. */
export function adaptiveCompress(
  items: readonly StrategyItem[],
  targetTokens: number,
  options: RemovalOptions,
): RemovalResult {
  const middle = MiddleRemovalStrategy.remove(items, targetTokens, options);
  const oldest = OldestRemovalStrategy.remove(items, targetTokens, options);
  const before = { tokens: sumTokens(items), messages: items.length };
  const scores = {
    'middle-removal': efficiencyOf(middle, before),
    'oldest-removal': efficiencyOf(oldest, before),
  };
  const isValid = (result: RemovalResult): boolean => validateRemoval(items, result) === undefined;
  const middleWins =
    isValid(middle) === isValid(oldest)
      ? scores['middle-removal'] >= scores['oldest-removal']
      : isValid(middle);
  const winner = middleWins ? middle : oldest;
  const compared = `middle ${scores['middle-removal'].toFixed(4)}, oldest ${scores['oldest-removal'].toFixed(4)}`;
  return finishRemoval(items, targetTokens, {
    ...winner,
    scores,
    reason: `both tried (${compared}): ${winner.reason}`,
  });
}

/** 0.6 × share of tokens freed + 0.4 × share of messages kept. */
export function efficiencyOf(
  result: Pick<RemovalResult, 'tokens'> & { readonly kept: { readonly length: number } },
  before: { readonly tokens: number; readonly messages: number },
): number {
  const reduction = before.tokens === 0 ? 0 : 1 - result.tokens / before.tokens;
  const preservation = before.messages === 0 ? 1 : result.kept.length / before.messages;
  return REDUCTION_WEIGHT * reduction + PRESERVATION_WEIGHT * preservation;
}

/**
 * Goes on where a strategy stopped short of the target: low priority first, then the oldest, past the ends
 * and the minimum that the strategy kept, until the target is reached or only what may not go is left.
 */
export function finishRemoval(
  items: readonly StrategyItem[],
  targetTokens: number,
  result: RemovalResult,
): RemovalResult {
  if (result.tokens <= targetTokens) return result;
  const gone = new Set(result.removed);
  const rest = removableOf(assignMessagePriorities(items)).filter(({ id }) => !gone.has(id));
  const { taken } = takeUntil(inRemovalOrder(rest), result.tokens - targetTokens);
  if (taken.length === 0) return result;
  const { strategy, confidence, scores } = result;
  return resultWithout(items, new Set([...gone, ...taken]), {
    strategy,
    reason: `${result.reason}, then ${taken.length} more to reach the target`,
    ...(confidence === undefined ? {} : { confidence }),
    ...(scores === undefined ? {} : { scores }),
  });
}
