/** A hybrid analyzes the conversation and chooses. */
import { expect, test } from 'vitest';
import { planRemoval } from '../../../src/context/strategies/removalStrategies.ts';
import type { StrategyName } from '../../../src/context/strategies/types.ts';
import { messages } from '../support/items.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const plan = (items: ReturnType<typeof messages>, share: number, strategy: StrategyName = 'hybrid') =>
  planRemoval(items, items.reduce((sum, { tokens }) => sum + tokens, 0) * share, {
    strategy,
    preserveStart: 4,
    preserveEnd: 10,
    minMessages: 0,
    confidence: 0.6,
  });
const longToolHeavy = messages(80, (index) =>
  index % 4 === 0 ? {} : { hasCalls: true, hasResults: true, tokens: 400 },
);
const shortDense = messages(24, () => ({ tokens: 500, textTokens: 500 }));
const ambiguous = messages(30, (index) => (index % 2 === 1 ? { hasCalls: true } : {}));

/** Everything is new enough not to be masked, so that only removal shows. */
const unmasked = { protect: 0.99 };

test('each conversation gets the strategy that fits its length, distribution and severity', () => {
  const long = plan(longToolHeavy, 0.4);
  expect(long).toMatchObject({ strategy: 'oldest-removal' });
  expect(long?.confidence).toBeGreaterThanOrEqual(0.6);
  expect(long?.scores).toBeUndefined();
  const short = plan(shortDense, 0.9);
  expect(short).toMatchObject({ strategy: 'middle-removal' });
  expect(short?.confidence).toBeGreaterThanOrEqual(0.6);
  const unsure = plan(ambiguous, 0.6);
  expect(unsure?.confidence).toBeLessThan(0.6);
  expect(Object.keys(unsure?.scores ?? {})).toEqual(['middle-removal', 'oldest-removal']);
  for (const { reason } of [long, short, unsure].flatMap((one) => one ?? []))
    expect(reason).toMatch(/\d+ messages, \d+ % tools, \d+ % to go/);
});

test('other bases do not analyze the conversation', () => {
  for (const base of ['middle-removal', 'oldest-removal'] as const) {
    for (const items of [longToolHeavy, shortDense, ambiguous]) {
      const result = plan(items, 0.6, base);
      expect(result?.strategy).toBe(base);
      expect([result?.confidence, result?.scores]).toEqual([undefined, undefined]);
      expect(result?.reason).not.toMatch(/% tools/);
    }
  }
});

test('in a session, the log says what was measured and chosen', async () => {
  const reasons: Record<string, string> = {};
  for (const strategy of ['hybrid', 'middle-removal'] as const) {
    const app = await createTestApp({
      window: 12_000,
      files: { 'a.txt': 'alpha\n' },
      settings: { context: { strategy, mask: unmasked } },
    });
    const open = await app.open();
    for (let n = 0; n < 60 && !open.entries().some(({ subtype }) => subtype === 'reduction'); n++)
      await open.ask(
        `question ${n}`,
        { calls: [use('Read', { file_path: 'a.txt' })] },
        { text: `Answer ${n}. ${'And more of it. '.repeat(60)}` },
      );
    const { data } = open.entries().find((entry) => entry.subtype === 'reduction') ?? {};
    expect(data?.strategy).toMatch(/^(middle|oldest)-removal$/);
    reasons[strategy] = String(data?.reason);
  }
  expect(reasons.hybrid).toMatch(/\d+ messages, \d+ % tools, \d+ % to go/);
  expect(reasons['middle-removal']).not.toMatch(/% tools/);
});
