import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRemovable } from '../../../src/context/strategies/priorities.ts';
import {
  adaptiveCompress,
  allStrategies,
  efficiencyOf,
  HybridStrategy,
  MiddleRemovalStrategy,
  OldestRemovalStrategy,
  sumTokens,
} from '../../../src/context/strategies/removalStrategies.ts';
import { anyConversation, anyOptions, conversation, idsOf, options } from './makeItems.ts';

describe('middle removal', () => {
  test('brings 40 messages to half: both ends stay, the order too', () => {
    const items = conversation(40, (index) => (index === 0 ? { role: 'system' } : {}));
    const result = MiddleRemovalStrategy.remove(items, 2000, options({ preserveStart: 4, preserveEnd: 10 }));
    expect(result.tokens).toBe(2000);
    expect(result.kept).toHaveLength(20);
    expect(result.kept.slice(0, 5)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
    expect(result.kept.slice(-10)).toEqual(idsOf(items).slice(-10));
    expect(result.kept).toEqual(idsOf(items).filter((id) => result.kept.includes(id)));
  });

  test('takes low priority from the middle before normal, and of each the oldest first', () => {
    const items = conversation(12, (index) => (index === 7 || index === 8 ? { textTokens: 5 } : {}));
    const remove = (targetTokens: number) =>
      MiddleRemovalStrategy.remove(items, targetTokens, options({ preserveStart: 3, preserveEnd: 3 }))
        .removed;
    expect(remove(1100)).toEqual(['m7']);
    expect(remove(1000)).toEqual(['m7', 'm8']);
    expect(remove(900)).toEqual(['m3', 'm7', 'm8']);
  });

  test('goes to the ends when the middle is not enough, for low priority only', () => {
    const items = conversation(12, (index) => (index === 2 || index === 9 ? { textTokens: 5 } : {}));
    const result = MiddleRemovalStrategy.remove(items, 100, options({ preserveStart: 4, preserveEnd: 4 }));
    expect(result.removed).toEqual(['m2', 'm4', 'm5', 'm6', 'm7', 'm9']);
    expect(result.reason).toBe('4 from the middle and 2 of low priority from the ends');
  });

  test('never takes system, pinned or critical messages', () => {
    const items = conversation(10, (index) => {
      if (index === 3) return { role: 'system' };
      if (index === 4) return { isPinned: true };
      return index === 5 ? { priority: 'CRITICAL' } : {};
    });
    const result = MiddleRemovalStrategy.remove(items, 0, options({ preserveStart: 1, preserveEnd: 1 }));
    expect(result.kept).toEqual(['m0', 'm3', 'm4', 'm5', 'm9']);
  });

  test('has no middle where the ends cover everything', () => {
    const result = MiddleRemovalStrategy.remove(
      conversation(6),
      100,
      options({ preserveStart: 5, preserveEnd: 5 }),
    );
    expect(result.removed).toEqual([]);
  });
});

describe('oldest removal', () => {
  test('takes a new message of low priority before an old one of high', () => {
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

  test('leaves the minimum, target or not', () => {
    const result = OldestRemovalStrategy.remove(conversation(10), 0, options({ minMessages: 4 }));
    expect(result.kept).toHaveLength(4);
  });

  test('keeps the end that the model is to keep', () => {
    const items = conversation(30, (index) => (index === 15 ? { textTokens: 5 } : {}));
    const remove = (preserveEnd: number) =>
      OldestRemovalStrategy.remove(items, 2900, options({ preserveEnd })).removed;
    expect(remove(20)).toEqual(['m2']);
    expect(remove(5)).toEqual(['m15']);
  });
});

describe('hybrid', () => {
  const wide = options({ preserveStart: 2, preserveEnd: 3 });

  test('takes the oldest of a long run of tools of which much has to go', () => {
    const items = conversation(80, (index) =>
      index % 2 === 1 ? { hasCalls: true, hasResults: true, tokens: 900 } : {},
    );
    const result = HybridStrategy.remove(items, sumTokens(items) * 0.5, wide);
    expect(result.strategy).toBe('oldest-removal');
    expect(result.confidence).toBeCloseTo(0.5 + (0.4 + 0.3 + 0.3 * 0.5) / 2);
    expect(result.scores).toBeUndefined();
    expect(result.reason).toMatch(/^80 messages, 90 % tools, 50 % to go; oldest-removal: /);
  });

  test('takes the middle of a short, dense talk', () => {
    const items = conversation(10, () => ({ tokens: 2000, textTokens: 2000 }));
    const result = HybridStrategy.remove(items, 17_000, wide);
    expect(result.strategy).toBe('middle-removal');
    expect(result.confidence).toBeCloseTo(1);
    expect(result.scores).toBeUndefined();
    expect(result.reason).toContain('10 messages, 0 % tools, 15 % to go');
  });

  test('tries both where the features are at odds, and says so', () => {
    const items = conversation(30, (index) => (index % 2 === 1 ? { hasCalls: true } : {}));
    const result = HybridStrategy.remove(items, 1800, wide);
    expect(result.confidence).toBeCloseTo(0.5);
    expect(Object.keys(result.scores ?? {})).toEqual(['middle-removal', 'oldest-removal']);
    expect(result.reason).toContain('unsure, both tried');
  });

  test('the confidence from which it trusts itself is the setting', () => {
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

  test('scores the example of the design as the design does', () => {
    expect(sumTokens(example)).toBe(9000);
    const middle = MiddleRemovalStrategy.remove(example, 6000, sides);
    const oldest = OldestRemovalStrategy.remove(example, 6000, sides);
    expect([middle.tokens, middle.kept.length]).toEqual([6200, 12]);
    expect([oldest.tokens, oldest.kept.length]).toEqual([5800, 10]);
    const before = { tokens: 9000, messages: 15 };
    expect(efficiencyOf(middle, before).toFixed(4)).toBe('0.5067');
    expect(efficiencyOf(oldest, before).toFixed(4)).toBe('0.4800');
  });

  test('takes the middle there, and goes on until the target is reached, in one result', () => {
    const result = adaptiveCompress(example, 6000, sides);
    expect(result.strategy).toBe('middle-removal');
    expect(result.scores?.['middle-removal'].toFixed(4)).toBe('0.5067');
    expect(result.scores?.['oldest-removal'].toFixed(4)).toBe('0.4800');
    // The oldest of the lowest priority that is left.
    expect(result.removed).toEqual(['m2', 'm5', 'm6', 'm7']);
    expect(result.tokens).toBe(5700);
    expect(result.reason).toBe(
      'both tried (middle 0.5067, oldest 0.4800): 3 from the middle, then 1 more to reach the target',
    );
  });

  test('takes the middle of two equal scores', () => {
    const even = conversation(9);
    const result = adaptiveCompress(even, 700, options({ preserveStart: 2, preserveEnd: 2 }));
    expect(result.scores?.['middle-removal']).toBe(result.scores?.['oldest-removal']);
    expect(result.strategy).toBe('middle-removal');
  });

  test('takes the oldest where it scores better', () => {
    const items = conversation(10, (index) => ({ tokens: index === 2 ? 1000 : 100 }));
    const result = adaptiveCompress(items, 900, options({ preserveStart: 4, preserveEnd: 4 }));
    expect(result.strategy).toBe('oldest-removal');
    expect(result.removed).toEqual(['m2']);
  });

  test('does not choose a result that removes nothing, whatever its score', () => {
    const items = conversation(10, (index) =>
      index < 2 ? { tokens: 1000, isPinned: true } : { tokens: 10 },
    );
    // The ends cover everything, so the middle keeps everything and scores 0.4 for it.
    const result = adaptiveCompress(items, 2000, options({ preserveStart: 5, preserveEnd: 5 }));
    expect(result.scores?.['middle-removal']).toBeCloseTo(0.4);
    expect(result.scores?.['oldest-removal']).toBeLessThan(0.2);
    expect(result.strategy).toBe('oldest-removal');
  });
});

describe.each(Object.values(allStrategies))('$name', (strategy) => {
  test('keeps the order and what may not go, loses nothing, and says the same twice', () => {
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

  test('removes nothing where the target is met', () => {
    fc.assert(
      fc.property(anyConversation, anyOptions, (items, given) => {
        expect(strategy.remove(items, sumTokens(items), given).removed).toEqual([]);
      }),
    );
  });
});
