/** What a conversation looks like, as far as it tells which way of removal fits, and how surely. */
import { isRemovable } from './priorities.ts';
import { sumTokens } from './removal.ts';
import type { BaseStrategyName, StrategyItem } from './types.ts';

export interface ConversationFeatures {
  /** Items that can be removed. */
  readonly length: number;
  /** Distribution: the share of their tokens that tool calls and results hold, 0 to 1. */
  readonly toolShare: number;
  /** Severity: the share of all tokens that has to go, 0 to 1. */
  readonly severity: number;
}

export interface StrategyChoice {
  readonly strategy: BaseStrategyName;
  /** 0.5 (the features are at odds) to 1 (all of them say the same). */
  readonly confidence: number;
}

export function featuresOf(items: readonly StrategyItem[], targetTokens: number): ConversationFeatures {
  const removable = items.filter(isRemovable);
  const tokens = sumTokens(removable);
  const total = sumTokens(items);
  const toolTokens = sumTokens(
    removable.filter(({ role, hasCalls, hasResults }) => role === 'tool' || hasCalls || hasResults),
  );
  return {
    length: removable.length,
    toolShare: tokens === 0 ? 0 : toolTokens / tokens,
    severity: total === 0 ? 0 : Math.min(1, Math.max(0, (total - targetTokens) / total)),
  };
}

/**
 * Each feature votes from −1 (middle removal: a short talk whose beginning still counts and of which little
 * has to go) to +1 (oldest removal: a long run of tools of which much has to go). The confidence is
 * 0.5 + |weighted sum| / 2, so 0.6 asks for votes that outweigh each other by a fifth.
 */
export function chooseByFeatures(features: ConversationFeatures): StrategyChoice {
  const sum = VOTES.reduce(
    (total, { feature, from, to, weight }) => total + weight * vote(features[feature], from, to),
    0,
  );
  return {
    strategy: sum > 0 ? 'oldest-removal' : 'middle-removal',
    confidence: 0.5 + Math.abs(sum) / 2,
  };
}

/** At `from` and below a feature votes −1, at `to` and above +1, between them in proportion. */
const VOTES: readonly {
  readonly feature: keyof ConversationFeatures;
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}[] = [
  { feature: 'length', from: 10, to: 50, weight: 0.4 },
  { feature: 'toolShare', from: 0.25, to: 0.75, weight: 0.3 },
  { feature: 'severity', from: 0.2, to: 0.6, weight: 0.3 },
];

function vote(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(-1, (2 * (value - from)) / (to - from) - 1));
}
