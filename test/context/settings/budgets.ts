/** When room is made, and the share of the window that each part may take. */
import { expect } from 'vitest';
import { configuration } from '../harness.ts';
import { proof } from './proof.ts';
import {
  always,
  longPrompts,
  open,
  reductions,
  round,
  tokensAtFirst,
  untilReduced,
  words,
} from './scenes.ts';

/** Summaries without a model, so that only the numbers matter. */
const simple = { strategy: 'summary', summary: 'simple' } as const;
const less = (changed: number, byDefault: number): void => {
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThan(byDefault);
};

export const budgetProofs = [
  proof('compact.threshold', {
    to: 0.5,
    settings: simple,
    see: tokensAtFirst,
    changes: (changed, byDefault) => {
      less(changed, byDefault);
      expect(changed).toBeGreaterThanOrEqual(10_000);
    },
  }),
  proof('compressionThreshold', {
    to: 6000,
    settings: simple,
    see: tokensAtFirst,
    changes: (changed, byDefault) => {
      less(changed, byDefault);
      expect(changed).toBeLessThan(7000);
    },
  }),
  proof('totalBudget', { to: 8000, settings: simple, see: tokensAtFirst, changes: less }),
  proof('unknownWindow', {
    to: 16_000,
    windowTokens: 0,
    settings: simple,
    see: async (home) => {
      const { context, first } = await untilReduced(home, { tokens: 3000 });
      return { window: context.measure([]).windowTokens, at: first?.preTokens ?? 0 };
    },
    changes: (changed, byDefault) => {
      expect([changed.window, byDefault.window]).toEqual([16_000, 128_000]);
      less(changed.at, byDefault.at);
    },
  }),
  proof('replyReserve', {
    to: 1000,
    settings: simple,
    see: async (home) => {
      const { context, first } = await untilReduced(home, { tokens: 250 });
      return { reserve: context.measure([]).replyReserveTokens, at: first?.preTokens ?? 0 };
    },
    changes: (changed, byDefault) => {
      expect([changed.reserve, byDefault.reserve]).toEqual([1000, 4000]);
      less(byDefault.at, changed.at);
    },
  }),
  proof('removal.at', {
    to: 0.82,
    settings: { strategy: 'summary', threadSummary: 'on' },
    see: async (home) => {
      always(home, () => new Promise(() => undefined));
      const context = await longPrompts(home);
      return reductions(context).find(({ kind }) => kind === 'remove')?.preTokens ?? 0;
    },
    changes: less,
  }),
  proof('budget.systemPrompt', {
    to: 0.01,
    see: async (home) => {
      const context = await open(home, {}, `${configuration.systemPrompt} ${words(400)}`);
      return context.report([]).warnings;
    },
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual([]);
      expect(changed.join()).toContain('context.budget.systemPrompt');
    },
  }),
  proof('budget.messages', { to: 0.1, settings: simple, see: tokensAtFirst, changes: less }),
  proof('budget.currentInput', {
    to: 0.2,
    settings: { ...simple, budget: { messages: 0.1 } },
    see: tokensAtFirst,
    changes: (changed, byDefault) => less(byDefault, changed),
  }),
  proof('budget.retrieved', {
    to: 0.01,
    see: async (home) => {
      const memory = { search: async () => found };
      const context = await open(home, { memory });
      const drafts = [
        {
          type: 'user',
          subtype: 'prompt',
          message: { role: 'user', content: 'foxes?' },
        } as const,
      ];
      const entries = await context.appendPrompts(drafts, home.options());
      const note = entries.find(({ subtype }) => subtype === 'memory');
      return String(note?.message.content ?? '').length;
    },
    changes: (changed, byDefault) => {
      expect(changed).toBeLessThan(byDefault);
      expect(changed).toBeLessThan(1200);
    },
  }),
  proof('budget.summary', { to: 0.02, see: wordsAskedFor, changes: less }),
  proof('compact.summaryTokens', { to: 512, see: wordsAskedFor, changes: less }),
];

const found = Array.from({ length: 3 }, (_, index) => ({
  content: `Foxes ${index}. ${words(300)}`,
  file: `memory-${index}.md`,
  similarity: 0.9,
}));

/** The length requested for a summary. */
async function wordsAskedFor(home: Parameters<typeof open>[0]): Promise<number> {
  always(home);
  const context = await open(home);
  for (let index = 0; index < 12; index++) await round(context, `p${index}`, 600);
  await context.compressCurrentContext({ ...home.options() });
  const instruction = String(home.summaries.requests[0]?.messages.at(-1)?.content);
  return Number(/([\d,]+) words/.exec(instruction)?.[1]?.replace(',', ''));
}
