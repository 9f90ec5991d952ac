import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignMessagePriorities, edgeIds, isRemovable } from '../../../src/context/strategies/priorities.ts';
import {
  allStrategies,
  planRemoval,
  sumTokens,
  validateRemoval,
} from '../../../src/context/strategies/removalStrategies.ts';
import type { RemovalResult, RemovalStrategy, StrategyName } from '../../../src/context/strategies/types.ts';
import { cpuClock } from '../../cpuTime.ts';
import { anyConversation, anyOptions, conversation, idsOf, options } from './makeItems.ts';

const names: readonly StrategyName[] = ['middle-removal', 'oldest-removal', 'hybrid'];

test('whenever the request can be made to fit it is, with a valid result', () => {
  fc.assert(
    fc.property(
      anyConversation,
      fc.nat(100_000),
      fc.nat(100_000),
      anyOptions,
      fc.constantFrom(...names),
      (items, targetTokens, slack, given, strategy) => {
        const mustFitTokens = targetTokens + slack;
        const result = planRemoval(items, targetTokens, { ...given, strategy, mustFitTokens });
        const fixed = items.filter((one, index) => !isRemovable(one) || index === items.length - 1);
        if (sumTokens(items) <= targetTokens) {
          expect(result).toBeUndefined();
          return;
        }
        const tokens = result?.tokens ?? sumTokens(items);
        if (sumTokens(fixed) <= mustFitTokens) expect(tokens).toBeLessThanOrEqual(mustFitTokens);
        if (result !== undefined) {
          expect(validateRemoval(items, result)).toBeUndefined();
          expect(result.kept).toContain(items.at(-1)?.id);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('ends and minimum hold unless the request could not be sent', () => {
  fc.assert(
    fc.property(
      anyConversation,
      fc.nat(100_000),
      anyOptions,
      fc.constantFrom(...names),
      (items, targetTokens, given, strategy) => {
        const result = planRemoval(items, targetTokens, { ...given, strategy });
        if (result === undefined) return;
        const { preserveStart: start, preserveEnd: end, minMessages } = given;
        const isAboveMinimum = result.kept.length >= Math.min(minMessages, items.length);
        // An unsure hybrid may go on past the ends, down to the minimum.
        if (result.strategy === 'middle-removal' && !(isAboveMinimum && result.scores !== undefined)) {
          const list = items.map((one, index) =>
            index === items.length - 1 ? { ...one, isPinned: true } : one,
          );
          const ends = edgeIds(list, { start, end });
          const low = new Set(
            assignMessagePriorities(list).flatMap(({ id, priority }) => (priority === 'LOW' ? [id] : [])),
          );
          expect(result.removed.filter((id) => ends.has(id) && !low.has(id))).toEqual([]);
        } else expect(isAboveMinimum).toBe(true);
        expect(result.reason).not.toContain('would not have fitted');
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

test('past the ends or the minimum it goes only as far as the request needs to be sent, and says so', () => {
  const items = conversation(8);
  const given = options({ preserveStart: 4, preserveEnd: 4, minMessages: 6 });
  const plan = (strategy: StrategyName, mustFitTokens?: number) =>
    planRemoval(items, 150, {
      ...given,
      strategy,
      ...(mustFitTokens === undefined ? {} : { mustFitTokens }),
    });
  expect(plan('middle-removal')).toBeUndefined();
  expect(plan('middle-removal', 800)).toBeUndefined();
  expect(plan('middle-removal', 550)?.removed).toEqual(['m2', 'm3', 'm4']);
  expect(plan('middle-removal', 550)?.reason).toBe(
    '0 from the middle, then 3 more from the ends, because the request would not have fitted otherwise',
  );
  expect(plan('oldest-removal')?.kept).toHaveLength(6);
  expect(plan('oldest-removal', 650)?.kept).toHaveLength(6);
  expect(plan('oldest-removal', 450)?.kept).toHaveLength(4);
  expect(plan('oldest-removal', 450)?.reason).toBe(
    '2 by priority, then by age, then 2 more, and fewer than 6 messages kept, because the request would not have fitted otherwise',
  );
  expect(plan('middle-removal', 1)?.kept).toEqual(['m7']);
});

test('an unsure hybrid gives up the ends for the target, but not the minimum', () => {
  const items = conversation(9);
  const given = {
    ...options({ preserveStart: 3, preserveEnd: 4, confidence: 0.99 }),
    strategy: 'hybrid',
  } as const;
  expect(planRemoval(items, 300, given)?.kept).toHaveLength(3);
  expect(planRemoval(items, 300, { ...given, minMessages: 5 })?.kept).toHaveLength(5);
  const forced = planRemoval(items, 300, { ...given, minMessages: 5, mustFitTokens: 450 });
  expect(forced?.kept).toHaveLength(4);
  expect(forced?.reason).toMatch(/fewer than 5 messages kept, because the request would not have fitted/);
});

test('takes what can be had when too much is pinned', () => {
  const items = conversation(10, (index) => (index < 5 ? { isPinned: true } : {}));
  const result = planRemoval(items, 100, { ...options(), strategy: 'oldest-removal' });
  expect(result?.kept).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm9']);
  expect(result?.tokens).toBe(600);
});

test('is quick with 20,000 items', () => {
  const items = conversation(20_000, (index) => ({ textTokens: index % 40 }));
  const spentMs = cpuClock();
  planRemoval(items, 100_000, { ...options(), strategy: 'hybrid' });
  expect(spentMs()).toBeLessThan(5000);
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
