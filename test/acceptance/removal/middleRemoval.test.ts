/** The ends are kept, the middle is removed. */
import { expect, test } from 'vitest';
import { planRemoval } from '../../../src/context/strategies/removalStrategies.ts';
import type { RemovalPlanOptions } from '../../../src/context/strategies/types.ts';
import { expectPairedCalls, textOf } from '../../e2e/support/wire.ts';
import { messages, numberOf } from '../support/items.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const options: RemovalPlanOptions = {
  strategy: 'middle-removal',
  preserveStart: 4,
  preserveEnd: 10,
  minMessages: 0,
  confidence: 0.6,
};

/** Everything is new enough not to be masked, so that only removal shows. */
const unmasked = { protect: 0.99 };

test('forty messages are halved with both ends intact', () => {
  const special: Record<number, object> = {
    0: { role: 'system' },
    12: { isPinned: true },
    14: { priority: 'LOW' },
    15: { priority: 'HIGH' },
  };
  const items = messages(40, (index) => special[index] ?? {});
  const result = planRemoval(items, 2000, options);
  expect(result?.tokens).toBeLessThanOrEqual(2000);
  expect(result?.strategy).toBe('middle-removal');
  const kept = result?.kept.map(numberOf) ?? [];
  const removed = result?.removed.map(numberOf) ?? [];
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  expect([...kept, ...removed].sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
  // The system message cannot be removed, so the first four that can are 1 to 4.
  for (const index of [0, 1, 2, 3, 4, 12, ...Array.from({ length: 10 }, (_, n) => 30 + n)])
    expect(kept).toContain(index);
  expect(removed).toContain(14);
  expect(kept).toContain(15);
});

test('if the middle is not enough, low-priority messages are removed from the ends', () => {
  const items = messages(40, (index) =>
    index === 1 || index === 35 || index === 38 ? { textTokens: 5, priority: 'LOW' } : {},
  );
  const result = planRemoval(items, 1250, options);
  expect(result?.tokens).toBeLessThanOrEqual(1250);
  const kept = result?.kept.map(numberOf) ?? [];
  expect(kept).not.toContain(1);
  expect(kept).not.toContain(35);
  // The newest is pinned, so the last ten that can be removed begin one earlier.
  expect(kept.filter((index) => index > 3 && index < 29)).toEqual([]);
  // Nothing else is removed from the ends, even if the target is missed ...
  const least = planRemoval(items, 500, options);
  const ends = [0, 2, 3, 29, 30, 31, 32, 33, 34, 36, 37, 39];
  expect(least?.kept.map(numberOf)).toEqual(ends);
  expect(least?.reason).not.toMatch(/otherwise/);
  // ... unless the request could not be sent: then as little as necessary, and a notice says so.
  const forced = planRemoval(items, 500, { ...options, mustFitTokens: 1000 });
  expect(forced?.kept).toHaveLength(10);
  expect(forced?.reason).toMatch(/2 more from the ends, because the request would not have fitted otherwise/);
});

test('strategy middle-removal keeps the first and the last messages of a session, and never splits a pair', async () => {
  const app = await createTestApp({
    window: 16_000,
    files: { 'a.txt': 'alpha\n' },
    settings: {
      context: { strategy: 'middle-removal', mask: unmasked, removal: { preserveStart: 4, preserveEnd: 6 } },
    },
  });
  const open = await app.open();
  for (let n = 0; n < 60 && !open.entries().some(({ subtype }) => subtype === 'reduction'); n++)
    await open.ask(
      `question ${n}`,
      { text: `I read ${n}. ${'And more of it. '.repeat(30)}`, calls: [use('Read', { file_path: 'a.txt' })] },
      { text: `Answer ${n}. ${'And more of it. '.repeat(60)}` },
    );
  const reduction = open.entries().find(({ subtype }) => subtype === 'reduction')?.data;
  expect(reduction).toMatchObject({ kind: 'remove', strategy: 'middle-removal' });
  const last = app.server.requests().at(-1);
  if (last === undefined) throw new Error('no request');
  expectPairedCalls(last);
  const texts = last.messages.map(textOf);
  const heads = open
    .entries()
    .filter(({ subtype, type }) => subtype === 'prompt' || type === 'assistant')
    .map(({ message }) => String(message.content))
    .slice(0, -1);
  for (const text of [...heads.slice(0, 4), ...heads.slice(-6)]) expect(texts).toContain(text);
  const shown = heads.filter((text) => texts.includes(text));
  expect(shown.length).toBeLessThan(heads.length);
  expect(texts.filter((text) => heads.includes(text))).toEqual(shown);
  expect(texts.some((text) => /removed to make room.*#\d+-#\d+.*Recall/s.test(text))).toBe(true);
});
