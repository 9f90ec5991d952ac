import fc from 'fast-check';
import type { RemovalOptions, StrategyItem } from '../../../src/context/strategies/types.ts';

/** An item to which no rule applies, apart from the given fields. */
export const item = (id: string, given: Partial<StrategyItem> = {}): StrategyItem => ({
  id,
  role: 'user',
  tokens: 100,
  textTokens: 100,
  timestamp: 0,
  hasQuestion: false,
  hasCalls: false,
  hasResults: false,
  isPinned: false,
  ...given,
});

/** `count` plain items, one second apart; `given` overrides some of them. */
export const conversation = (
  count: number,
  given: (index: number) => Partial<StrategyItem> = () => ({}),
): StrategyItem[] =>
  Array.from({ length: count }, (_, index) =>
    item(`m${index}`, {
      role: index % 2 === 0 ? 'user' : 'assistant',
      timestamp: index * 1000,
      ...given(index),
    }),
  );

export const options = (given: Partial<RemovalOptions> = {}): RemovalOptions => ({
  preserveStart: 4,
  preserveEnd: 10,
  minMessages: 0,
  confidence: 0.6,
  ...given,
});

export const idsOf = (items: readonly StrategyItem[]): string[] => items.map(({ id }) => id);

/** Any conversation, with ids in order. */
export const anyConversation: fc.Arbitrary<StrategyItem[]> = fc
  .array(
    fc.record({
      role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'tool' as const),
      tokens: fc.nat(5000),
      textTokens: fc.nat(1500),
      timestamp: fc.nat(20),
      hasQuestion: fc.boolean(),
      hasCalls: fc.boolean(),
      hasResults: fc.boolean(),
      isPinned: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
      priority: fc.option(fc.constantFrom('LOW' as const, 'NORMAL', 'HIGH', 'CRITICAL'), { nil: undefined }),
    }),
    { maxLength: 60 },
  )
  .map((drafts) =>
    drafts.map(({ priority, ...draft }, index) => ({
      ...draft,
      id: `m${index}`,
      ...(priority === undefined ? {} : { priority }),
    })),
  );

export const anyOptions: fc.Arbitrary<RemovalOptions> = fc.record({
  preserveStart: fc.nat(40),
  preserveEnd: fc.nat(40),
  minMessages: fc.nat(40),
  confidence: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
});
