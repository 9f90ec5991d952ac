import { expect, test } from 'vitest';
import { checkAndCompress } from '../../../src/context/strategies/checkAndCompress.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';

type CheckInput = Parameters<typeof checkAndCompress>[0];

const { removal } = contextSettingsSchema.parse({});
const check = (given: Partial<CheckInput>) =>
  checkAndCompress({
    currentTokens: 0,
    maxTokens: 1000,
    isEnabled: true,
    at: removal.at,
    checkIntervalMs: removal.checkIntervalMs,
    now: 100_000,
    ...given,
  });

test.each([
  [0, 'ok', false],
  [749, 'ok', false],
  [750, 'warning', false],
  [899, 'warning', false],
  [900, 'full', true],
  [1200, 'full', true],
] as const)('%i of 1,000 tokens: %s, compress: %s', (currentTokens, level, shouldCompress) => {
  const result = check({ currentTokens });
  expect(result).toMatchObject({ utilization: currentTokens / 1000, level, shouldCompress });
  expect(result.warning === undefined).toBe(level === 'ok');
});

test('a burst of results within the interval cannot overflow: only the statistics wait', () => {
  let tokens = 700;
  const decisions = Array.from({ length: 10 }, (_, index) => {
    tokens += 40;
    return check({ currentTokens: tokens, now: 100_000 + index * 100, lastStatisticsAt: 99_999 });
  });
  expect(decisions.map(({ shouldCompress }) => shouldCompress).indexOf(true)).toBe(4);
  expect(decisions.every(({ isStatisticsDue }) => !isStatisticsDue)).toBe(true);
  expect(decisions[1]?.warning).toBe('The context is 78 % full.');
});

test('statistics are due initially, after the interval, and after the clock was set back', () => {
  expect(check({}).isStatisticsDue).toBe(true);
  expect(check({ lastStatisticsAt: 95_001 }).isStatisticsDue).toBe(false);
  expect(check({ lastStatisticsAt: 95_000 }).isStatisticsDue).toBe(true);
  expect(check({ lastStatisticsAt: 200_000 }).isStatisticsDue).toBe(true);
});

test('when turned off, it warns and does nothing', () => {
  const result = check({ currentTokens: 950, isEnabled: false });
  expect(result.shouldCompress).toBe(false);
  expect(result.warning).toBe('The context is 95 % full and automatic compaction is off: run /compact.');
});

test('a request larger than the window is reported with the numbers', () => {
  const outgrown = 'The context has outgrown the window (about 1,012 of 1,000 tokens)';
  expect(check({ currentTokens: 1012 }).warning).toBe(
    `${outgrown}; it will be reduced before the next request.`,
  );
  expect(check({ currentTokens: 1012, isEnabled: false }).warning).toBe(
    `${outgrown} and automatic compaction is off: run /compact.`,
  );
  expect(check({ currentTokens: 1000 }).warning).toMatch(/^The context is 100 % full/);
});

test('for a smaller model, the same tokens are too many', () => {
  expect(check({ currentTokens: 30_000, maxTokens: 128_000 }).shouldCompress).toBe(false);
  expect(check({ currentTokens: 30_000, maxTokens: 32_000 }).shouldCompress).toBe(true);
  expect(check({ currentTokens: 1, maxTokens: 0 }).utilization).toBe(1);
});
