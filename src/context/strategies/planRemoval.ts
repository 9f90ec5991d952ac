/** The one door to removal: a valid result that reaches the target where that is possible, or nothing. */
import { finishRemoval } from './adaptiveCompress.ts';
import { HybridStrategy } from './HybridStrategy.ts';
import { MiddleRemovalStrategy } from './MiddleRemovalStrategy.ts';
import { OldestRemovalStrategy } from './OldestRemovalStrategy.ts';
import { sumTokens } from './removal.ts';
import type {
  RemovalPlanOptions,
  RemovalResult,
  RemovalStrategy,
  StrategyItem,
  StrategyName,
} from './types.ts';
import { validateRemoval } from './validateRemoval.ts';

/**
 * Runs the chosen strategy and, where its result is not valid, the others in turn. What misses the target is
 * finished by further removal and stays one result; it may still miss it where too much is pinned. The
 * newest item always stays. Undefined when the list already fits, or when nothing valid could be had: then
 * the list is kept as it is.
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
    const finished = finishRemoval(list, targetTokens, result);
    const problem = validateRemoval(list, finished);
    if (problem === undefined) return withRefusals(finished, refusals);
    refusals.push(`${strategy.name} was refused: ${problem}`);
  }
  return undefined;
}

export const allStrategies: Readonly<Record<StrategyName, RemovalStrategy>> = {
  'middle-removal': MiddleRemovalStrategy,
  'oldest-removal': OldestRemovalStrategy,
  hybrid: HybridStrategy,
};

function withRefusals(result: RemovalResult, refusals: readonly string[]): RemovalResult {
  return refusals.length === 0
    ? result
    : { ...result, reason: `${refusals.join('; ')}; instead ${result.reason}` };
}
