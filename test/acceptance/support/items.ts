/** Conversations in the form that strategies get. */
import type { StrategyItem } from '../../../src/context/strategies/types.ts';

/** `count` plain messages of a hundred tokens each, one second apart; `given` overrides some of them. */
export function messages(
  count: number,
  given: (index: number) => Partial<StrategyItem> = () => ({}),
): StrategyItem[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    tokens: 100,
    textTokens: 100,
    timestamp: index * 1000,
    hasQuestion: false,
    hasCalls: false,
    hasResults: false,
    isPinned: false,
    ...given(index),
  }));
}

export const numberOf = (id: string): number => Number(id.slice(1));
