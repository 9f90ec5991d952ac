/** From the settings and the model to what removal has to do; worked out anew for each request. */
import type { ContextSettings } from '../../protocol/contextSettings.ts';
import { type Endpoint, strategyForModel } from './strategyForModel.ts';
import type { RemovalPlanOptions, StrategyName } from './types.ts';

export interface RemovalPolicy extends RemovalPlanOptions {
  /** Share of the window that removal brings the request down to; below `removal.at`. */
  readonly targetShare: number;
  /** Who chose the strategy. */
  readonly source: 'model' | 'setting';
  /** One line for `/context settings`. */
  readonly reason: string;
}

/** `auto`, and every strategy that is not about removal, takes the model's row; amounts that are set win. */
export function removalPolicyFor(
  { strategy, removal }: Pick<ContextSettings, 'strategy' | 'removal'>,
  modelId: string,
  endpoint: Endpoint = {},
): RemovalPolicy {
  const row = strategyForModel(modelId, endpoint);
  const chosen = isRemovalStrategy(strategy) ? strategy : undefined;
  return {
    strategy: chosen ?? row.strategy,
    preserveStart: removal.preserveStart ?? row.preserveStart,
    preserveEnd: removal.preserveEnd ?? row.preserveEnd,
    minMessages: removal.minMessages ?? row.minMessages,
    confidence: removal.confidence,
    targetShare: Math.min(row.targetShare, removal.at * MOST_OF_TRIGGER),
    source: chosen === undefined ? 'model' : 'setting',
    reason: chosen === undefined ? row.reason : 'chosen in the settings',
  };
}

/** Removal that frees less than this would be back at its trigger with the next result. */
const MOST_OF_TRIGGER = 0.85;

/** True for the settings in which the user chose removal. */
export function isRemovalStrategy(name: string): name is StrategyName {
  return name === 'middle-removal' || name === 'oldest-removal' || name === 'hybrid';
}
