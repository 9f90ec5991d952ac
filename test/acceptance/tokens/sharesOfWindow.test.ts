/** How a window is divided. */
import { expect, test } from 'vitest';
import { allocateBudget } from '../../../src/context/tokens/budgets.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { createTestApp } from '../support/testApp.ts';

test('`allocateBudget` divides 48,000 tokens 20 : 10 : 10 : 55 : 5', () => {
  const { budget } = contextSettingsSchema.parse({});
  expect(Object.values(allocateBudget(48_000, budget))).toEqual([9600, 4800, 4800, 26_400, 2400]);
  const own = contextSettingsSchema.parse({ budget: { systemPrompt: 0.5, summary: 0.02 } }).budget;
  expect(allocateBudget(10_000, own)).toMatchObject({ systemPrompt: 5000, summary: 200 });
});

test('messages get what summary and memories do not use', async () => {
  const app = await createTestApp({
    settings: { context: { totalBudget: 48_000, threadSummary: 'off' } },
    window: 200_000,
  });
  const open = await app.open();
  for (let n = 0; n < 12; n++)
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(480)}` });
  const { windowTokens, parts, usedTokens } = await open.agent.measure();
  expect(windowTokens).toBe(48_000);
  const messages = parts
    .filter(({ name }) => ['history', 'input'].includes(name))
    .reduce((sum, { tokens }) => sum + tokens, 0);
  expect(messages).toBeGreaterThan(26_400);
  expect(usedTokens).toBeLessThan(48_000);
  expect(
    open.entries().some(({ subtype }) => subtype === 'compact_boundary' || subtype === 'reduction'),
  ).toBe(false);
});

test('system prompt and tools come first, and only cause a warning above their share', async () => {
  const systemPrompt = 'Be careful with everything. '.repeat(400);
  const app = await createTestApp({ window: 16_000, systemPrompt });
  const open = await app.open();
  const [request] = await open.ask('hello', { text: 'Hi.' });
  expect(request?.messages[0]).toEqual({ role: 'system', content: systemPrompt });
  const { warnings } = await open.agent.report();
  expect(warnings.join('\n')).toMatch(/more than their share of 3,200 \(context\.budget\.systemPrompt\)/);
  const roomy = await (await createTestApp({ window: 200_000 })).open();
  expect((await roomy.agent.report()).warnings).toEqual([]);
});
