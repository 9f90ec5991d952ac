/** By priority, then by age. */
import { expect, test } from 'vitest';
import { planRemoval } from '../../../src/context/strategies/removalStrategies.ts';
import { countRequest } from '../../e2e/support/tokens.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { messages, numberOf } from '../support/items.ts';
import { createTestApp } from '../support/testApp.ts';

const options = {
  strategy: 'oldest-removal',
  preserveStart: 0,
  preserveEnd: 0,
  minMessages: 6,
  confidence: 0.6,
} as const;

/** Everything is new enough not to be masked, so that only removal shows. */
const unmasked = { protect: 0.99 };

test('new messages of low priority are removed before old ones of high priority, and the minimum stays', () => {
  const items = messages(20, (index) => ({ priority: index < 5 ? 'HIGH' : index >= 15 ? 'LOW' : 'NORMAL' }));
  const some = planRemoval(items, 1700, options)?.removed.map(numberOf);
  expect(some).toEqual([15, 16, 17]);
  const more = planRemoval(items, 1400, options)?.removed.map(numberOf);
  // The newest item of a conversation is never removed.
  expect(more).toEqual([5, 6, 15, 16, 17, 18]);
  // The target is far below the minimum of six.
  const least = planRemoval(items, 100, options);
  expect(least?.kept.map(numberOf)).toEqual([0, 1, 2, 3, 4, 19]);
  expect(least?.reason).not.toMatch(/otherwise/);
  const forced = planRemoval(items, 100, { ...options, mustFitTokens: 400 });
  expect(forced?.kept.map(numberOf)).toEqual([2, 3, 4, 19]);
  expect(forced?.reason).toMatch(
    /fewer than 6 messages kept, because the request would not have fitted otherwise/,
  );
});

test('strategy oldest-removal removes short messages before a longer, older reply', async () => {
  const app = await createTestApp({
    window: 16_000,
    settings: {
      context: { strategy: 'oldest-removal', mask: unmasked, removal: { preserveEnd: 2, minMessages: 12 } },
    },
  });
  const open = await app.open();
  const long = `A long answer. ${'It matters a great deal. '.repeat(180)}`;
  await open.ask('the first question', { text: 'Yes, indeed.' });
  await open.ask('the old question', { text: long });
  let n = 0;
  for (; n < 60 && !open.entries().some(({ subtype }) => subtype === 'reduction'); n++)
    await open.ask(
      `question ${n} ${'with many words '.repeat(20)}`,
      n % 2 === 0 ? { text: `Fine ${n}.` } : { text: `Answer ${n}. ${'And so on. '.repeat(80)}` },
    );
  const reduction = open.entries().find(({ subtype }) => subtype === 'reduction')?.data;
  expect(reduction).toMatchObject({ kind: 'remove', strategy: 'oldest-removal' });
  const texts = app.server.requests().at(-1)?.messages.map(textOf) ?? [];
  expect(texts).toContain(long);
  const short = texts.filter((text) => /^Fine \d+\.$/.test(text));
  // Only the last ones remain, which are the end of the conversation.
  expect(short.length).toBeLessThan(n / 4);
  const answers = texts
    .filter((text) => text.startsWith('Answer'))
    .map((text) => Number(/\d+/.exec(text)?.[0]));
  expect(answers).toEqual(answers.toSorted((a, b) => a - b));
  expect(texts.length).toBeGreaterThanOrEqual(12);
});

test('a session goes below the minimum only for a request that would not fit otherwise, and says so', async () => {
  const window = 8000;
  const app = await createTestApp({
    window,
    settings: {
      context: { strategy: 'oldest-removal', mask: unmasked, removal: { preserveEnd: 2, minMessages: 24 } },
    },
  });
  const open = await app.open();
  const reasons = (): string[] =>
    open.entries().flatMap(({ subtype, data }) => (subtype === 'reduction' ? [String(data?.reason)] : []));
  // At first replies are short and 24 messages fit; then they do not.
  const shown: number[] = [];
  for (let n = 0; n < 60 && reasons().length < 1; n++) {
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And so on. '.repeat(60)}` });
    shown.push(app.server.requests().at(-1)?.messages.length ?? 0);
  }
  expect(reasons()).toEqual([expect.not.stringContaining('otherwise')]);
  expect(shown.at(-1)).toBeGreaterThanOrEqual(24);
  for (let n = 0; n < 12; n++)
    await open.ask(`long ${n}`, { text: `Long ${n}. ${'And so on. '.repeat(300)}` });
  expect(reasons().at(-1)).toMatch(
    /fewer than 24 messages kept, because the request would not have fitted otherwise/,
  );
  for (const request of app.server.requests()) expect(countRequest(request)).toBeLessThan(window);
});
