/** The check before each request. */
import { expect, test } from 'vitest';
import { checkAndCompress } from '../../../src/context/index.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { countRequest } from '../../e2e/support/tokens.ts';
import { expectPairedCalls } from '../../e2e/support/wire.ts';
import { isSummary, SILENT, SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

test('`checkAndCompress` respects its switch, strategy, interval of 5 s and threshold', () => {
  const { at, checkIntervalMs } = contextSettingsSchema.parse({}).removal;
  expect([at, checkIntervalMs]).toEqual([0.9, 5000]);
  const check = (currentTokens: number, more: object = {}) =>
    checkAndCompress({
      currentTokens,
      maxTokens: 10_000,
      isEnabled: true,
      at,
      checkIntervalMs,
      now: 100_000,
      ...more,
    });
  expect(check(5000)).toMatchObject({ utilization: 0.5, shouldCompress: false });
  expect(check(8999).shouldCompress).toBe(false);
  expect(check(9000)).toMatchObject({ shouldCompress: true, level: 'full' });
  expect(check(8000).warning).toMatch(/80 %/);
  expect(check(5000).warning).toBeUndefined();
  expect(check(9500, { isEnabled: false })).toMatchObject({ shouldCompress: false, utilization: 0.95 });
  // The interval delays statistics, never the decision.
  for (const lastStatisticsAt of [99_999, 94_000])
    expect(check(9500, { lastStatisticsAt })).toMatchObject({
      shouldCompress: true,
      isStatisticsDue: lastStatisticsAt < 95_001,
    });
});

test('a burst of ten results within a second cannot overflow', { tags: 'long' }, async () => {
  const window = 8000;
  const burst = Array.from({ length: 10 }, (_, n) =>
    use('Bash', { command: `seq ${n * 10_000} ${n * 10_000 + 4000}` }),
  );
  for (const strategy of ['auto', 'middle-removal', 'mask-only'] as const) {
    const app = await createTestApp({ window, settings: { context: { strategy } } });
    const open = await app.open();
    const start = open.events.length;
    const replies = [
      { calls: burst, ...SILENT },
      ...burst.map((call) => ({ calls: [call], ...SILENT })),
      { text: 'Done.', ...SILENT },
    ];
    app.server.otherwise((request) =>
      isSummary(request) ? { text: SUMMARY, ...SILENT } : (replies.shift() ?? { text: 'Done.', ...SILENT }),
    );
    await open.ask('count');
    expect(open.events.slice(start).findLast(({ type }) => type === 'turn_ended')).toMatchObject({
      outcome: 'done',
    });
    const requests = app.server.requests().filter((one) => !isSummary(one));
    expect(requests).toHaveLength(12);
    for (const request of requests) {
      expect(countRequest(request)).toBeLessThan(window);
      expectPairedCalls(request);
    }
  }
});

test('the user is warned once when the window fills, and once when it is full', async () => {
  const window = 16_000;
  const app = await createTestApp({ window, settings: { context: { compact: { auto: false } } } });
  const open = await app.open();
  const shares: number[] = [];
  while ((shares.at(-1) ?? 0) < 0.92) {
    const n = shares.length;
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(60)}`, ...SILENT });
    shares.push((await open.agent.measure()).usedTokens / window);
  }
  // Several requests at each level, so that a warning for each of them would show.
  expect(shares.filter((share) => share >= 0.75 && share < 0.9).length).toBeGreaterThan(4);
  expect(shares.filter((share) => share >= 0.9).length).toBeGreaterThan(0);
  const warnings = open.events.flatMap((event) =>
    event.type === 'notice' && /% full/.test(event.text) ? [event] : [],
  );
  expect(warnings.map(({ level, text }) => [level, /\d+ % full/.exec(text)?.[0]])).toEqual([
    ['warning', expect.stringMatching(/^7\d % full/)],
    ['warning', expect.stringMatching(/^9\d % full/)],
  ]);
});
