/** The budget of each request. */
import { expect, test } from 'vitest';
import { TokenBudgetTracker } from '../../../src/context/index.ts';
import { runPrint } from '../support/project.ts';

test('`TokenBudgetTracker` rejects what is over the budget', () => {
  const tracker = new TokenBudgetTracker(10_000);
  expect(tracker.allocate('system', 2000)).toBe(true);
  expect(tracker.allocate('summary', 1000)).toBe(true);
  expect(tracker.allocate('messages', 8000)).toBe(false);
  expect(tracker.getRemaining()).toBe(7000);
  for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY])
    expect(tracker.allocate('bad', bad)).toBe(false);
  expect(tracker.getRemaining()).toBe(7000);
  expect(tracker.getBreakdown()).toEqual({ system: 2000, summary: 1000 });
});

test('the budget of each part is what the result and /context report', {
  tags: 'long',
}, async () => {
  const first = await runPrint('hello', { replies: [{ text: 'Hi.' }], window: 20_000 });
  const { parts, used_tokens, context_window } = first.result?.context_usage ?? { parts: [] };
  expect(context_window).toBe(20_000);
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(used_tokens);
  const shown = await first.again('/context', { format: 'text' });
  for (const name of ['tools', 'system']) expect(shown.stdout).toMatch(new RegExp(`${name}\\s+[\\d,]+`));
  expect(shown.stdout).toContain('20,000');
});

test('a request over the budget is not sent', async () => {
  const { code, stderr, requests } = await runPrint('hello', { window: 2000, format: 'text' });
  expect(code).toBe(1);
  expect(requests).toEqual([]);
  expect(stderr).toMatch(/about [\d,]+ tokens, but the context window of mock-1 is 2,000/);
});
