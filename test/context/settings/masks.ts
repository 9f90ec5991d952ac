/** When old steps become a line each, how many at a time, and when a summary takes their place. */
import { expect } from 'vitest';
import type { House } from '../harness.ts';
import { proof } from './proof.ts';
import { always, open, reductions, round, tokensAtFirst, untilReduced, words } from './scenes.ts';

const large = { windowTokens: 200_000, settings: { threadSummary: 'off' } } as const;
const steps = { tokens: 3000, steps: 50 };

export const maskProofs = [
  proof('mask.at', {
    ...large,
    to: 0.3,
    see: (home) => tokensAtFirst(home, steps),
    changes: (changed, byDefault) => {
      expect(byDefault).toBeGreaterThanOrEqual(40_000);
      expect(byDefault).toBeLessThan(45_000);
      expect(changed).toBeGreaterThanOrEqual(60_000);
    },
  }),
  proof('mask.protect', {
    ...large,
    to: 0.15,
    see: async (home) => {
      const { context } = await untilReduced(home, steps);
      return context.measure([]).usedTokens;
    },
    changes: (changed, byDefault) => {
      expect(byDefault).toBeLessThan(25_000);
      expect(changed).toBeGreaterThan(25_000);
    },
  }),
  proof('mask.batch', {
    ...large,
    to: 0.3,
    see: (home) => tokensAtFirst(home, steps),
    changes: (changed, byDefault) => expect(changed).toBeGreaterThan(byDefault + 20_000),
  }),
  proof('mask.residue', {
    windowTokens: 200_000,
    to: 0.5,
    see: kindsWithLongPrompts,
    changes: (changed, byDefault) => {
      expect(byDefault).toContain('summary');
      expect(changed).not.toContain('summary');
    },
  }),
];

/** What the user writes is never a line: only a summary can take its place. */
async function kindsWithLongPrompts(home: House): Promise<readonly string[]> {
  always(home);
  const context = await open(home);
  for (let index = 0; index < 16; index++) {
    await round(context, `p${index} ${words(2400)}`, 2400);
    await context.maintain(home.options());
    await context.session.parts.thread.settled();
    await context.buildRequest(home.options());
  }
  return reductions(context).map(({ kind }) => kind);
}
