import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignMessagePriorities, edgeIds, isRemovable } from '../../../src/context/strategies/priorities.ts';
import {
  adaptiveCompress,
  allStrategies,
  HybridStrategy,
  MiddleRemovalStrategy,
  OldestRemovalStrategy,
  planRemoval,
  validateRemoval,
} from '../../../src/context/strategies/removalStrategies.ts';
import type {
  RemovalResult,
  RemovalStrategy,
  StrategyItem,
  StrategyName,
} from '../../../src/context/strategies/types.ts';
import { cpuClock } from '../../cpuTime.ts';
import { anyConversation, anyOptions, conversation, idsOf, options } from './makeItems.ts';

const sumTokens = (items: readonly StrategyItem[]): number =>
  items.reduce((sum, { tokens }) => sum + tokens, 0);

describe('middle removal', () => {
  test('halves 40 messages: both ends and the order stay', () => {
    const items = conversation(40, (index) => (index === 0 ? { role: 'system' } : {}));
    const result = MiddleRemovalStrategy.remove(items, 2000, options({ preserveStart: 4, preserveEnd: 10 }));
    expect(result.tokens).toBe(2000);
    expect(result.kept).toHaveLength(20);
    expect(result.kept.slice(0, 5)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
    expect(result.kept.slice(-10)).toEqual(idsOf(items).slice(-10));
    expect(result.kept).toEqual(idsOf(items).filter((id) => result.kept.includes(id)));
  });

  test('removes low priority from the middle before normal, each oldest first', () => {
    const items = conversation(12, (index) => (index === 7 || index === 8 ? { textTokens: 5 } : {}));
    const remove = (targetTokens: number) =>
      MiddleRemovalStrategy.remove(items, targetTokens, options({ preserveStart: 3, preserveEnd: 3 }))
        .removed;
    expect(remove(1100)).toEqual(['m7']);
    expect(remove(1000)).toEqual(['m7', 'm8']);
    expect(remove(900)).toEqual(['m3', 'm7', 'm8']);
  });

  test('removes from the ends if the middle is not enough, but only low priority', () => {
    const items = conversation(12, (index) => (index === 2 || index === 9 ? { textTokens: 5 } : {}));
    const result = MiddleRemovalStrategy.remove(items, 100, options({ preserveStart: 4, preserveEnd: 4 }));
    expect(result.removed).toEqual(['m2', 'm4', 'm5', 'm6', 'm7', 'm9']);
    expect(result.reason).toBe('4 from the middle and 2 of low priority from the ends');
  });

  test('never removes system, pinned or critical messages', () => {
    const items = conversation(10, (index) => {
      if (index === 3) return { role: 'system' };
      if (index === 4) return { isPinned: true };
      return index === 5 ? { priority: 'CRITICAL' } : {};
    });
    const result = MiddleRemovalStrategy.remove(items, 0, options({ preserveStart: 1, preserveEnd: 1 }));
    expect(result.kept).toEqual(['m0', 'm3', 'm4', 'm5', 'm9']);
  });

  test('removes nothing from the middle if the ends cover everything', () => {
    const result = MiddleRemovalStrategy.remove(
      conversation(6),
      100,
      options({ preserveStart: 5, preserveEnd: 5 }),
    );
    expect(result.removed).toEqual([]);
  });
});

describe('oldest removal', () => {
  test('removes a new low-priority message before an old high-priority one', () => {
    const items = conversation(10, (index) => {
      if (index === 1) return { priority: 'HIGH' };
      return index === 8 ? { priority: 'LOW' } : { priority: 'NORMAL' };
    });
    expect(OldestRemovalStrategy.remove(items, 900, options()).removed).toEqual(['m8']);
    expect(OldestRemovalStrategy.remove(items, 100, options()).kept).toEqual(['m1']);
  });

  test('goes by age, not by position, within one priority', () => {
    const items = conversation(6, (index) => ({ priority: 'NORMAL', timestamp: 100 - index }));
    expect(OldestRemovalStrategy.remove(items, 400, options()).removed).toEqual(['m4', 'm5']);
  });

  test('keeps the minimum, even if the target is missed', () => {
    const result = OldestRemovalStrategy.remove(conversation(10), 0, options({ minMessages: 4 }));
    expect(result.kept).toHaveLength(4);
  });

  test('keeps the end configured for the model', () => {
    const items = conversation(30, (index) => (index === 15 ? { textTokens: 5 } : {}));
    const remove = (preserveEnd: number) =>
      OldestRemovalStrategy.remove(items, 2900, options({ preserveEnd })).removed;
    expect(remove(20)).toEqual(['m2']);
    expect(remove(5)).toEqual(['m15']);
  });
});

describe('hybrid', () => {
  const wide = options({ preserveStart: 2, preserveEnd: 3 });

  test('removes the oldest from a long run of tools if much has to go', () => {
    const items = conversation(80, (index) =>
      index % 2 === 1 ? { hasCalls: true, hasResults: true, tokens: 900 } : {},
    );
    const result = HybridStrategy.remove(items, sumTokens(items) * 0.5, wide);
    expect(result.strategy).toBe('oldest-removal');
    expect(result.confidence).toBeCloseTo(0.5 + (0.4 + 0.3 + 0.3 * 0.5) / 2);
    expect(result.scores).toBeUndefined();
    expect(result.reason).toMatch(/^80 messages, 90 % tools, 50 % to go; oldest-removal: /);
  });

  test('removes the middle of a short, dense conversation', () => {
    const items = conversation(10, () => ({ tokens: 2000, textTokens: 2000 }));
    const result = HybridStrategy.remove(items, 17_000, wide);
    expect(result.strategy).toBe('middle-removal');
    expect(result.confidence).toBeCloseTo(1);
    expect(result.scores).toBeUndefined();
    expect(result.reason).toContain('10 messages, 0 % tools, 15 % to go');
  });

  test('tries both if the features disagree, and says so', () => {
    const items = conversation(30, (index) => (index % 2 === 1 ? { hasCalls: true } : {}));
    const result = HybridStrategy.remove(items, 1800, wide);
    expect(result.confidence).toBeCloseTo(0.5);
    expect(Object.keys(result.scores ?? {})).toEqual(['middle-removal', 'oldest-removal']);
    expect(result.reason).toContain('unsure, both tried');
  });

  test('the required confidence is a setting', () => {
    const items = conversation(30, (index) => (index % 2 === 1 ? { hasCalls: true } : {}));
    const trusting = HybridStrategy.remove(items, 1800, { ...wide, confidence: 0.4 });
    expect(trusting.scores).toBeUndefined();
    const doubting = HybridStrategy.remove(conversation(10), 850, { ...wide, confidence: 1.1 });
    expect(doubting.scores).toBeDefined();
  });
});

describe('adaptive choice', () => {
  /** 15 messages, 9,000 tokens: the middle ends at 6,200 with 12 kept, the oldest at 5,800 with 10. */
  const example = conversation(15, (index) => ({
    priority: index >= 2 && index <= 7 ? 'NORMAL' : 'HIGH',
    tokens: [650, 650, 500, 500, 500, 850, 850, 1100, 400, 400, 400, 550, 550, 550, 550][index] ?? 0,
  }));
  const sides = options({ preserveStart: 5, preserveEnd: 7 });

  test('scores the design’s example like the design', () => {
    expect(sumTokens(example)).toBe(9000);
    const middle = MiddleRemovalStrategy.remove(example, 6000, sides);
    const oldest = OldestRemovalStrategy.remove(example, 6000, sides);
    expect([middle.tokens, middle.kept.length]).toEqual([6200, 12]);
    expect([oldest.tokens, oldest.kept.length]).toEqual([5800, 10]);
    const { scores } = adaptiveCompress(example, 6000, sides);
    expect(scores?.['middle-removal']).toBeCloseTo(0.5067, 4);
    expect(scores?.['oldest-removal']).toBeCloseTo(0.48, 4);
  });

  test('removes the middle first, and continues until the target is reached, in one result', () => {
    const result = adaptiveCompress(example, 6000, sides);
    expect(result.strategy).toBe('middle-removal');
    expect(result.scores?.['middle-removal'].toFixed(4)).toBe('0.5067');
    expect(result.scores?.['oldest-removal'].toFixed(4)).toBe('0.4800');
    // The oldest of the lowest remaining priority.
    expect(result.removed).toEqual(['m2', 'm5', 'm6', 'm7']);
    expect(result.tokens).toBe(5700);
    expect(result.reason).toBe(
      'both tried (middle 0.5067, oldest 0.4800): 3 from the middle, then 1 more to reach the target',
    );
  });

  test('removes the middle if scores are equal', () => {
    const even = conversation(9);
    const result = adaptiveCompress(even, 700, options({ preserveStart: 2, preserveEnd: 2 }));
    expect(result.scores?.['middle-removal']).toBe(result.scores?.['oldest-removal']);
    expect(result.strategy).toBe('middle-removal');
  });

  test('removes the oldest if that scores better', () => {
    const items = conversation(10, (index) => ({ tokens: index === 2 ? 1000 : 100 }));
    const result = adaptiveCompress(items, 900, options({ preserveStart: 4, preserveEnd: 4 }));
    expect(result.strategy).toBe('oldest-removal');
    expect(result.removed).toEqual(['m2']);
  });

  test('does not choose a result that removes nothing, whatever its score', () => {
    const items = conversation(10, (index) =>
      index < 2 ? { tokens: 1000, isPinned: true } : { tokens: 10 },
    );
    // The ends cover everything, so middle removal keeps everything and scores 0.4.
    const result = adaptiveCompress(items, 2000, options({ preserveStart: 5, preserveEnd: 5 }));
    expect(result.scores?.['middle-removal']).toBeCloseTo(0.4);
    expect(result.scores?.['oldest-removal']).toBeLessThan(0.2);
    expect(result.strategy).toBe('oldest-removal');
  });
});

describe.each(Object.values(allStrategies))('$name', (strategy) => {
  test('keeps the order and required items, loses nothing, and is deterministic', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(100_000), anyOptions, (items, targetTokens, given) => {
        const result = strategy.remove(items, targetTokens, given);
        const kept = new Set(result.kept);
        expect(result.kept).toEqual(idsOf(items).filter((id) => kept.has(id)));
        expect(result.removed).toEqual(idsOf(items).filter((id) => !kept.has(id)));
        for (const one of items) if (!isRemovable(one)) expect(kept.has(one.id)).toBe(true);
        expect(result.tokens).toBe(sumTokens(items.filter(({ id }) => kept.has(id))));
        expect(strategy.remove(items, targetTokens, given)).toEqual(result);
      }),
    );
  });

  test('removes nothing if the target is met', () => {
    fc.assert(
      fc.property(anyConversation, anyOptions, (items, given) => {
        expect(strategy.remove(items, sumTokens(items), given).removed).toEqual([]);
      }),
    );
  });
});

const names: readonly StrategyName[] = ['middle-removal', 'oldest-removal', 'hybrid'];

test('makes the request fit whenever possible, with a valid result', () => {
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
        // An uncertain hybrid may continue beyond the ends, down to the minimum.
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

test('beyond the ends or the minimum it removes only what the request needs to be sent, and says so', () => {
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

test('removes what it can if too much is pinned', () => {
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

  test('a valid one is accepted', () => {
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
    'it removes required items: %j',
    (given) => {
      const list = conversation(6, (index) => (index === 5 ? given : {}));
      expect(validateRemoval(list, good)).toBe('it removes what is pinned');
    },
  );

  const broken = (name: StrategyName): RemovalStrategy => ({
    name,
    remove: () => ({ ...good, kept: [...good.kept].reverse(), tokens: 0 }),
  });

  test('is rejected, and the next strategy is tried', () => {
    const strategies = { ...allStrategies, 'middle-removal': broken('middle-removal') };
    const result = planRemoval(items, 500, { ...options(), strategy: 'middle-removal' }, strategies);
    expect(result?.strategy).toBe('oldest-removal');
    expect(result?.reason).toMatch(/^middle-removal was refused: it changes the order; instead /);
    expect(result?.tokens).toBe(500);
  });

  test('leaves the list unchanged if no strategy has a better one', () => {
    const strategies = {
      'middle-removal': broken('middle-removal'),
      'oldest-removal': broken('oldest-removal'),
      hybrid: broken('hybrid'),
    };
    expect(planRemoval(items, 500, { ...options(), strategy: 'hybrid' }, strategies)).toBeUndefined();
  });
});
