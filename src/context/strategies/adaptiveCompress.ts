/**
 * Tries both ways of removal and takes the better one. Where that misses the target, removal goes on past the
 * ends that the middle way keeps, as the oldest way would: down to the target or to `minMessages`.
 */
import { MiddleRemovalStrategy } from './MiddleRemovalStrategy.ts';
import { OldestRemovalStrategy } from './OldestRemovalStrategy.ts';
import { removeFurther, sumTokens } from './removal.ts';
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
  const most = Math.max(0, items.length - options.minMessages - winner.removed.length);
  return removeFurther(items, targetTokens, {
    result: { ...winner, scores, reason: `both tried (${compared}): ${winner.reason}` },
    most,
    why: (count) => `then ${count} more to reach the target`,
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
