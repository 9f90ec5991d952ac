/** A draft of the next summary, written in the background. */
import { expect, test } from 'vitest';
import { createModelChoice } from '../../../src/cli/models/modelChoice.ts';
import { settingsSchema } from '../../../src/config/schema.ts';
import { sessionOf } from '../../context/sessionOf.ts';
import { isSummary, SILENT, SUMMARY } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const mentioned = (text: string): string[] => [...new Set(text.match(/turn-\d+-end/g) ?? [])];

test('each of sixty turns is in the summary or in the messages', async () => {
  const app = await createTestApp({
    window: 16_000,
  });
  const open = await app.open();
  // The summarizer names every turn that it was shown, in the messages or in the earlier summary.
  app.server.otherwise((request) =>
    isSummary(request)
      ? {
          text: `${SUMMARY}\n${mentioned(JSON.stringify(request.messages)).join(' ')}`,
          ...SILENT,
          latency: 5,
        }
      : { text: `Yes. ${'And more of it. '.repeat(50)}`, ...SILENT },
  );
  for (let n = 0; n < 60; n++) {
    const [request] = await open.ask(`This is turn-${n}-end`);
    const shown = mentioned(JSON.stringify(request?.messages));
    expect(shown.length, `turn ${n}`).toBe(n + 1);
  }
  const boundaries = open.entries().filter(({ subtype }) => subtype === 'compact_boundary');
  expect(boundaries.length).toBeGreaterThan(0);
  for (const { compactMetadata } of boundaries)
    expect(compactMetadata).toMatchObject({ success: true, trigger: 'auto' });
  const asked = app.server.requests();
  // Hardly more drafts are paid for than used.
  expect(asked.filter(isSummary).length).toBeLessThanOrEqual(1.3 * boundaries.length + 1);
  const ended = open.events.filter(({ type }) => type === 'turn_ended');
  expect(ended).toHaveLength(60);
  expect(asked.filter(isSummary).length).toBeGreaterThanOrEqual(boundaries.length);
});

/** Talks until a draft is requested; each turn takes `stepMs` by the clock. */
async function talkUntilDraft(stepMs: number) {
  let now = Date.UTC(2030, 0, 1);
  const clock = { now: () => now, random: () => 0.5, sleep: () => Promise.resolve() };
  const app = await createTestApp({ window: 64_000, clock });
  const open = await app.open();
  app.server.otherwise((request) =>
    isSummary(request)
      ? { text: SUMMARY, ...SILENT }
      : { text: `Yes. ${'And more of it. '.repeat(240)}`, ...SILENT },
  );
  const sizes: number[] = [];
  while (!app.server.requests().some(isSummary)) {
    now += stepMs;
    await open.ask(`question ${sizes.length}`);
    sizes.push((await open.agent.measure()).usedTokens);
    await sessionOf(open.context).thread.settled();
  }
  const { triggerTokens } = await open.agent.measure();
  return { begunAt: sizes.at(-1) ?? 0, growth: (sizes.at(-1) ?? 0) - (sizes.at(-2) ?? 0), triggerTokens };
}

test('a draft starts as many steps before the trigger as writing it takes', { tags: 'long' }, async () => {
  const slow = await talkUntilDraft(60_000);
  expect(slow.begunAt).toBeGreaterThan(slow.triggerTokens - 3.5 * slow.growth);
  expect(slow.begunAt).toBeLessThan(slow.triggerTokens);
  const fast = await talkUntilDraft(5000);
  expect(fast.begunAt).toBeLessThan(slow.begunAt - slow.growth);
  expect(fast.begunAt).toBeGreaterThan(0.65 * fast.triggerTokens);
});

test('a local server with one slot gets no drafts, nor does any with drafts off; their cost is counted', async () => {
  const summaries = async (threadSummary: string, hasOneSlot: boolean) => {
    const choice = createModelChoice('mock-1', settingsSchema.parse({ contextWindow: 16_000 }));
    const app = await createTestApp({
      window: 16_000,
      settings: { context: { threadSummary } },
      deps: { model: () => ({ ...choice.current(), hasOneSlot }) },
    });
    const open = await app.open();
    app.server.otherwise((request) =>
      isSummary(request)
        ? { text: SUMMARY, usage: { prompt_tokens: 7000, completion_tokens: 100 } }
        : { text: `Yes. ${'And more of it. '.repeat(150)}`, ...SILENT },
    );
    for (let n = 0; n < 11; n++) await open.ask(`question ${n}`);
    const { usedTokens, triggerTokens } = await open.agent.measure();
    expect(usedTokens).toBeGreaterThan(0.85 * triggerTokens);
    expect(usedTokens).toBeLessThan(triggerTokens);
    await sessionOf(open.context).thread.settled();
    const cost = open.entries().filter(({ subtype }) => subtype === 'usage');
    return {
      asked: app.server.requests().filter(isSummary).length,
      cost: cost.length,
      spent: open.agent.state().usage.inputTokens,
      draft: (await open.agent.report()).draft,
    };
  };
  expect(await summaries('on', true)).toEqual({ asked: 1, cost: 1, spent: 7000, draft: 'ready' });
  expect(await summaries('auto', false)).toEqual({ asked: 1, cost: 1, spent: 7000, draft: 'ready' });
  expect(await summaries('auto', true)).toEqual({ asked: 0, cost: 0, spent: 0, draft: 'none' });
  expect(await summaries('off', false)).toEqual({ asked: 0, cost: 0, spent: 0, draft: 'none' });
});
