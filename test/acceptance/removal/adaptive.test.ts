/** Both strategies are tried and scored. */
import { expect, test } from 'vitest';
import {
  adaptiveCompress,
  MiddleRemovalStrategy,
  OldestRemovalStrategy,
  planRemoval,
} from '../../../src/context/strategies/removalStrategies.ts';
import { messages } from '../support/items.ts';
import { createTestApp } from '../support/testApp.ts';

const sizes = [650, 650, 500, 500, 500, 850, 850, 1100, 400, 400, 400, 550, 550, 550, 550];
/** The design's example: the middle ends at 6,200 with 12 messages, the oldest at 5,800 with 10. */
const example = messages(15, (index) => ({
  priority: index >= 2 && index <= 7 ? 'NORMAL' : 'HIGH',
  tokens: sizes[index] ?? 0,
}));
const options = { preserveStart: 5, preserveEnd: 7, minMessages: 0, confidence: 0.99 };

/** Everything is new enough not to be masked, so that only removal shows. */
const unmasked = { protect: 0.99 };

test('chooses the higher of the scores .5067 and .4800, which removes the middle', () => {
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(9000);
  const middle = MiddleRemovalStrategy.remove(example, 6000, options);
  const oldest = OldestRemovalStrategy.remove(example, 6000, options);
  expect([middle.tokens, middle.kept.length, oldest.tokens, oldest.kept.length]).toEqual([
    6200, 12, 5800, 10,
  ]);

  const result = adaptiveCompress(example, 6000, options);
  expect(result.strategy).toBe('middle-removal');
  expect(result.scores?.['middle-removal']).toBeCloseTo(0.5067, 4);
  expect(result.scores?.['oldest-removal']).toBeCloseTo(0.48, 4);
  expect(result.tokens).toBeLessThanOrEqual(6000);
  expect(new Set([...result.kept, ...result.removed]).size).toBe(15);
});

test('with equal scores, the middle is removed', () => {
  const result = planRemoval(messages(9), 700, {
    ...options,
    preserveStart: 2,
    preserveEnd: 2,
    strategy: 'hybrid',
  });
  expect(result?.scores?.['middle-removal']).toBe(result?.scores?.['oldest-removal']);
  expect(result?.strategy).toBe('middle-removal');
});

test('in a session, an uncertain hybrid records both scores in one reduction that reaches its target', async () => {
  const app = await createTestApp({
    window: 12_000,
    settings: { context: { strategy: 'hybrid', mask: unmasked, removal: { confidence: 0.99 } } },
  });
  const open = await app.open();
  const reductions = () => open.entries().filter((entry) => entry.subtype === 'reduction');
  for (let n = 0; n < 60 && reductions().length === 0; n++)
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(60)}` });
  expect(reductions()).toHaveLength(1);
  expect(reductions()[0]?.data?.reason).toMatch(/both tried \(middle \d\.\d{4}, oldest \d\.\d{4}\)/);
  const { usedTokens, triggerTokens } = await open.agent.measure();
  expect(usedTokens).toBeLessThan(0.85 * triggerTokens);
});
