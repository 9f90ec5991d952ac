/**
 * The one door to removal. A strategy removes down to the target as far as its own promise allows: middle removal
 * keeps the ends, oldest removal keeps `minMessages`, and an unsure hybrid gives up the ends only down to
 * `minMessages`. The promise is broken only for a request that could not be sent otherwise, no further than that
 * needs, and the reason says so.
 */
import { HybridStrategy } from './HybridStrategy.ts';
import { MiddleRemovalStrategy } from './MiddleRemovalStrategy.ts';
import { OldestRemovalStrategy } from './OldestRemovalStrategy.ts';
import { removeFurther, sumTokens } from './removal.ts';
import type {
  RemovalPlanOptions,
  RemovalResult,
  RemovalStrategy,
  StrategyItem,
  StrategyName,
} from './types.ts';
import { validateRemoval } from './validateRemoval.ts';

/**
 * Runs the chosen strategy and, where its result is not valid, the others in turn. The result may miss the target,
 * and even `mustFitTokens` where too much is pinned. The newest item always stays. Undefined when the list already
 * fits, when nothing may go, or when no strategy has a valid result: then the list is kept as it is.
 */
export function planRemoval(
  items: readonly StrategyItem[],
  targetTokens: number,
  options: RemovalPlanOptions,
  strategies: Readonly<Record<StrategyName, RemovalStrategy>> = allStrategies,
): RemovalResult | undefined {
  if (sumTokens(items) <= targetTokens) return undefined;
  const newest = items.at(-1);
  const list = items.map((item) => (item === newest ? { ...item, isPinned: true } : item));
  const first = strategies[options.strategy];
  const others = Object.values(strategies).filter((strategy) => strategy !== first);
  const refusals: string[] = [];
  for (const strategy of [first, ...others]) {
    const result = strategy.remove(list, targetTokens, options);
    const fitting = makeFit(list, result, options);
    // The ends or the minimum are all there is: no reason to ask a strategy that would take from them.
    if (isUnchanged(list, fitting)) return undefined;
    const problem = validateRemoval(list, fitting);
    if (problem === undefined) return withRefusals(fitting, refusals);
    refusals.push(`${strategy.name} was refused: ${problem}`);
  }
  return undefined;
}

export const allStrategies: Readonly<Record<StrategyName, RemovalStrategy>> = {
  'middle-removal': MiddleRemovalStrategy,
  'oldest-removal': OldestRemovalStrategy,
  hybrid: HybridStrategy,
};

/** Goes past the ends and the minimum, but only until the request can be sent. */
function makeFit(
  list: readonly StrategyItem[],
  result: RemovalResult,
  { mustFitTokens = Number.POSITIVE_INFINITY, minMessages }: RemovalPlanOptions,
): RemovalResult {
  const unlessSent = 'because the request would not have fitted otherwise';
  return removeFurther(list, mustFitTokens, {
    result,
    why: (count) =>
      result.strategy === 'oldest-removal' || result.scores !== undefined
        ? `then ${count} more, and fewer than ${minMessages} messages kept, ${unlessSent}`
        : `then ${count} more from the ends, ${unlessSent}`,
  });
}

function isUnchanged(list: readonly StrategyItem[], { kept, removed, tokens }: RemovalResult): boolean {
  return (
    removed.length === 0 &&
    tokens === sumTokens(list) &&
    kept.length === list.length &&
    list.every(({ id }, index) => id === kept[index])
  );
}

function withRefusals(result: RemovalResult, refusals: readonly string[]): RemovalResult {
  return refusals.length === 0
    ? result
    : { ...result, reason: `${refusals.join('; ')}; instead ${result.reason}` };
}
