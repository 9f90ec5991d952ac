/** Repeated estimates. */
import { expect, test } from 'vitest';
import { estimateMessagesTokens, estimateTokens, estimateTokensCached } from '../../../src/context/index.ts';
import { TokenCache } from '../../../src/context/tokens/estimate.ts';
import { createTestApp } from '../support/testApp.ts';

test('the cache of `estimateTokensCached` and `estimateMessagesTokens` is bounded', () => {
  const cache = new TokenCache({ maxEntries: 5000, maxBytes: 1_000_000 });
  for (let n = 0; n < 100_000; n++) estimateTokensCached(`text number ${n}`, cache);
  expect(cache.size).toBeLessThanOrEqual(5000);
  expect(cache.size).toBeGreaterThan(1000);
  for (const text of ['', 'a', '中文', 'text number 99999', 'x'.repeat(100_000)]) {
    expect(estimateTokensCached(text, cache)).toBe(estimateTokens(text));
    expect(estimateTokensCached(text)).toBe(estimateTokens(text));
  }
  expect(estimateMessagesTokens([{ content: 'a'.repeat(400) }, { content: '' }])).toBe(108);
  expect(estimateMessagesTokens([])).toBe(0);
});

test('every message costs four tokens more than its text', async () => {
  const open = await (await createTestApp()).open();
  const used = async (): Promise<number> => (await open.agent.measure()).usedTokens;
  const empty = await used();
  await open.context.addMessage('user', 'a');
  const one = await used();
  await open.context.addMessage('assistant', 'a');
  expect([one - empty, (await used()) - one]).toEqual([5, 5]);
});
