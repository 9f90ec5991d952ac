/** The record of compressions. */
import { expect, test } from 'vitest';
import { allStrategies, planRemoval } from '../../../src/context/strategies/removalStrategies.ts';
import type { RemovalResult, RemovalStrategy } from '../../../src/context/strategies/types.ts';
import { firstIsQuick } from '../../e2e/support/long.ts';
import { messages } from '../support/items.ts';
import { SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

test('twelve compactions leave ten records', async () => {
  const app = await createTestApp({ strategy: 'summary', window: 200_000 });
  const open = await app.open();
  for (let n = 0; n < 12; n++) {
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(300)}` });
    await open.submit({ type: 'compact' }, { text: `${SUMMARY} (${n})` });
  }
  const { compactions, reductions } = await open.agent.report();
  expect(reductions).toHaveLength(12);
  expect(compactions).toHaveLength(10);
  expect(compactions).toEqual(reductions.slice(-10));
  for (const { preTokens, postTokens, strategy, kind, durationMs } of compactions) {
    expect({ strategy, kind }).toEqual({ strategy: 'summary', kind: 'summary' });
    expect(postTokens).toBeLessThan(preTokens);
    expect(durationMs).toBeGreaterThanOrEqual(0);
  }
});

test('an invalid result is rejected; if no other is valid, the old list is kept', () => {
  const items = messages(20);
  const broken = (result: Partial<RemovalResult>): RemovalStrategy => ({
    name: 'hybrid',
    remove: () => ({
      kept: [],
      removed: [],
      tokens: 0,
      strategy: 'middle-removal',
      reason: 'broken',
      ...result,
    }),
  });
  const options = {
    strategy: 'hybrid',
    preserveStart: 2,
    preserveEnd: 2,
    minMessages: 0,
    confidence: 0.6,
  } as const;
  const ids = items.map(({ id }) => id);
  // Each is wrong in only one way, so that each check must find its own.
  const wrong: readonly [problem: string, Partial<RemovalResult>][] = [
    ['it removes something twice', { kept: ids.slice(1), removed: ['m0', 'm0'], tokens: 1900 }],
    ['it invents or loses something', { kept: ids.slice(5), removed: [], tokens: 1500 }],
    ['it invents or loses something', { kept: ids, removed: ['m0'], tokens: 1900 }],
    ['it changes the order', { kept: ids.slice(1).toReversed(), removed: ['m0'], tokens: 1900 }],
    ['it changes the order', { kept: [...ids.slice(1, 19), 'unknown'], removed: ['m0'], tokens: 1900 }],
    // The newest item is pinned.
    ['it removes what is pinned', { kept: ids.slice(0, 19), removed: ['m19'], tokens: 1900 }],
    ['its count is wrong', { kept: ids.slice(1), removed: ['m0'], tokens: 1800 }],
  ];
  for (const [problem, result] of wrong) {
    const one = broken(result);
    const next = planRemoval(items, 1000, options, { ...allStrategies, hybrid: one });
    expect(next?.reason).toContain(`hybrid was refused: ${problem}; instead `);
    expect(next?.tokens).toBeLessThanOrEqual(1000);
    const none = { hybrid: one, 'middle-removal': one, 'oldest-removal': one };
    expect(planRemoval(items, 1000, options, none)).toBeUndefined();
  }
});

for (const { row: strategy, options } of firstIsQuick(['auto', 'middle-removal'] as const))
  test(`one batch is one record (${strategy})`, options, async () => {
    const files = { 'a.txt': 'alpha beta\n'.repeat(60) };
    const open = await (
      await createTestApp({
        window: 12_000,
        strategy,
        files,
        settings: { context: { threadSummary: 'off', summary: 'simple' } },
      })
    ).open();
    const turns: number[] = [];
    for (let n = 0; n < 30; n++) {
      const before = open.entries().length;
      await open.ask(
        `question ${n}`,
        {
          text: `I read ${n}. ${'And more of it. '.repeat(20)}`,
          calls: [use('Read', { file_path: 'a.txt' })],
        },
        { text: `Answer ${n}. ${'And more of it. '.repeat(30)}` },
      );
      const made = open
        .entries()
        .slice(before)
        .filter(({ subtype }) => subtype === 'reduction');
      expect(made.length).toBeLessThanOrEqual(2);
      if (made.length > 0) turns.push(n);
    }
    // Each batch must free 6 % of the window: two turns in a row cannot both free that much.
    expect(turns.filter((turn, index) => turn - (turns[index - 1] ?? -9) < 2)).toEqual([]);
  });
