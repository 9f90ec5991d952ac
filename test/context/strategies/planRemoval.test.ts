import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allStrategies, planRemoval } from '../../../src/context/strategies/planRemoval.ts';
import { isRemovable } from '../../../src/context/strategies/priorities.ts';
import { sumTokens } from '../../../src/context/strategies/removal.ts';
import type { RemovalResult, RemovalStrategy, StrategyName } from '../../../src/context/strategies/types.ts';
import { validateRemoval } from '../../../src/context/strategies/validateRemoval.ts';
import { anyConversation, anyOptions, conversation, idsOf, options } from './makeItems.ts';

const names: readonly StrategyName[] = ['middle-removal', 'oldest-removal', 'hybrid'];

test('whenever the target can be reached it is, with a valid result', () => {
  fc.assert(
    fc.property(
      anyConversation,
      fc.nat(100_000),
      anyOptions,
      fc.constantFrom(...names),
      (items, targetTokens, given, strategy) => {
        const result = planRemoval(items, targetTokens, { ...given, strategy });
        const fixed = items.filter((one, index) => !isRemovable(one) || index === items.length - 1);
        if (sumTokens(items) <= targetTokens) {
          expect(result).toBeUndefined();
          return;
        }
        if (sumTokens(fixed) <= targetTokens) expect(result?.tokens).toBeLessThanOrEqual(targetTokens);
        if (result !== undefined) {
          expect(validateRemoval(items, result)).toBeUndefined();
          expect(result.kept).toContain(items.at(-1)?.id);
        } else expect(sumTokens(fixed)).toBe(sumTokens(items));
      },
    ),
    { numRuns: 500 },
  );
});

test('removes no more than is needed: without its last step the target would be missed', () => {
  const items = conversation(40);
  for (const strategy of names) {
    const result = planRemoval(items, 2950, { ...options(), strategy });
    expect(result?.tokens).toBe(2900);
  }
});

test('goes past the ends and the minimum when it has to, and keeps the newest', () => {
  const items = conversation(8);
  const result = planRemoval(items, 150, {
    ...options({ preserveStart: 4, preserveEnd: 4, minMessages: 6 }),
    strategy: 'middle-removal',
  });
  expect(result?.kept).toEqual(['m7']);
  expect(result?.reason).toBe('0 from the middle, then 7 more to reach the target');
});

test('takes what can be had when too much is pinned', () => {
  const items = conversation(10, (index) => (index < 5 ? { isPinned: true } : {}));
  const result = planRemoval(items, 100, { ...options(), strategy: 'oldest-removal' });
  expect(result?.kept).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm9']);
  expect(result?.tokens).toBe(600);
});

test('is quick with 20,000 items', () => {
  const items = conversation(20_000, (index) => ({ textTokens: index % 40 }));
  const started = performance.now();
  planRemoval(items, 100_000, { ...options(), strategy: 'hybrid' });
  expect(performance.now() - started).toBeLessThan(5000);
});

describe('a result that is not valid', () => {
  const items = conversation(6);
  const good: RemovalResult = {
    kept: ['m0', 'm1', 'm2', 'm3', 'm4'],
    removed: ['m5'],
    tokens: 500,
    strategy: 'middle-removal',
    reason: '',
  };

  test('a good one is let through', () => {
    expect(validateRemoval(items, good)).toBeUndefined();
  });

  test.each<[problem: string, change: Partial<RemovalResult>]>([
    ['it removes something twice', { removed: ['m5', 'm5'] }],
    ['it invents or loses something', { kept: ['m0', 'm1'] }],
    ['it invents or loses something', { removed: [] }],
    ['it changes the order', { kept: ['m1', 'm0', 'm2', 'm3', 'm4'] }],
    ['it changes the order', { removed: ['x'] }],
    ['it leaves nothing', { kept: [], removed: idsOf(items), tokens: 0 }],
    ['its count is wrong', { tokens: 400 }],
    ['it frees nothing', { kept: idsOf(items), removed: [], tokens: 600 }],
  ])('%s', (problem, change) => {
    expect(validateRemoval(items, { ...good, ...change })).toBe(problem);
  });

  test.each([{ isPinned: true }, { role: 'system' as const }, { priority: 'CRITICAL' as const }])(
    'it removes what may not go: %j',
    (given) => {
      const list = conversation(6, (index) => (index === 5 ? given : {}));
      expect(validateRemoval(list, good)).toBe('it removes what is pinned');
    },
  );

  const broken = (name: StrategyName): RemovalStrategy => ({
    name,
    remove: () => ({ ...good, kept: [...good.kept].reverse(), tokens: 0 }),
  });

  test('is refused, and the next strategy is asked', () => {
    const strategies = { ...allStrategies, 'middle-removal': broken('middle-removal') };
    const result = planRemoval(items, 500, { ...options(), strategy: 'middle-removal' }, strategies);
    expect(result?.strategy).toBe('oldest-removal');
    expect(result?.reason).toMatch(/^middle-removal was refused: it changes the order; instead /);
    expect(result?.tokens).toBe(500);
  });

  test('leaves the list as it is when no strategy has a better one', () => {
    const strategies = {
      'middle-removal': broken('middle-removal'),
      'oldest-removal': broken('oldest-removal'),
      hybrid: broken('hybrid'),
    };
    expect(planRemoval(items, 500, { ...options(), strategy: 'hybrid' }, strategies)).toBeUndefined();
  });
});
