/** When a compaction starts, and what it keeps. */
import { expect, test } from 'vitest';
import { retainedBy } from '../../../src/context/history/compactions.ts';
import { estimateTokens } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { createTestApp, type OpenTestApp } from '../support/testApp.ts';

/** Counted without a model, so that only the trigger matters. */
const context = { summary: 'simple' } as const;

const talk = async (open: OpenTestApp): Promise<void> => {
  for (let n = 0; n < 36; n++)
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(100)}` });
};
const tokensOf = (entries: readonly JSONLEntry[]): number =>
  entries.reduce((sum, { message }) => sum + estimateTokens(String(message.content)), 0);
const boundaries = (open: OpenTestApp) =>
  open.entries().filter(({ subtype }) => subtype === 'compact_boundary');

test('nothing happens at 79.9 % of the window, and a compaction at 80.0 %', async () => {
  const { threshold, retain, fallbackRetain } = contextSettingsSchema.parse({}).compact;
  expect([threshold, retain, fallbackRetain]).toEqual([0.8, 0.2, 0.3]);
  const reserves = { replyReserve: 256, compact: { summaryTokens: 256 } };
  const probe = await (await createTestApp({ settings: { context } })).open();
  await talk(probe);
  await probe.ask('now?', { text: 'Yes.' });
  const used = probe.events.flatMap((event) =>
    event.type === 'context_measured' ? [event.measure.usedTokens] : [],
  );
  const tokens = used.at(-1) ?? 0;
  expect(tokens).toBeGreaterThan(5000);
  // The trigger is exactly the size of the request, or one token above it.
  const windows = { below: Math.ceil((tokens + 1) / 0.8), at: Math.ceil(tokens / 0.8) };
  expect(Math.floor(0.8 * windows.at)).toBe(tokens);
  expect(Math.floor(0.8 * windows.below)).toBe(tokens + 1);
  for (const [name, window] of Object.entries(windows)) {
    const models = { edge: { contextWindow: window }, start: { contextWindow: 1_000_000 } };
    const app = await createTestApp({
      model: 'start',
      settings: { models, context: { ...context, ...reserves } },
    });
    const open = await app.open();
    await talk(open);
    await open.submit({ type: 'set_model', model: 'edge' });
    expect(boundaries(open)).toHaveLength(0);
    await open.ask('now?', { text: 'Yes.' });
    expect(boundaries(open)).toHaveLength(name === 'at' ? 1 : 0);
  }
});

test('context.compact.threshold and retain apply, and the retained tail has the set size', {
  tags: 'long',
}, async () => {
  for (const retain of [0.1, 0.3]) {
    const app = await createTestApp({
      window: 64_000,
      settings: { context: { ...context, compact: { threshold: 0.6, retain } } },
    });
    const open = await app.open();
    for (let n = 0; n < 48; n++)
      await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(220)}` });
    const boundary = boundaries(open)[0];
    const first = boundary?.compactMetadata;
    expect(first?.preTokens).toBeGreaterThanOrEqual(0.6 * 64_000);
    expect(first?.preTokens).toBeLessThan(0.65 * 64_000);
    const retained = retainedBy(boundary, open.entries());
    const before = open.entries().filter(({ seq, type }) => seq < (boundary?.seq ?? 0) && type !== 'system');
    const share = tokensOf(before.filter(({ uuid }) => retained.has(uuid))) / tokensOf(before);
    expect(share).toBeGreaterThan(retain * 0.7);
    expect(share).toBeLessThan(retain * 1.1);
  }
});
