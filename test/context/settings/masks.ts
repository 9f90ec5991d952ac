/** When steps of earlier turns are reduced to one line each, which are kept, and how many are masked at a time. */
import { expect } from 'vitest';
import { proof } from './proof.ts';
import { tokensAtFirst, untilReduced } from './scenes.ts';

const large = {
  windowTokens: 200_000,
  settings: { strategy: 'economy', threadSummary: 'off' },
} as const;
const steps = { tokens: 3000, steps: 45, stepsPerTurn: 3 };

export const maskProofs = [
  proof('mask.at', {
    ...large,
    to: 0.7,
    see: (home) => tokensAtFirst(home, steps),
    changes: (changed, byDefault) => {
      expect(byDefault).toBeGreaterThanOrEqual(100_000);
      expect(byDefault).toBeLessThan(105_000);
      expect(changed).toBeGreaterThanOrEqual(140_000);
      expect(changed).toBeLessThan(145_000);
    },
  }),
  proof('mask.protect', {
    ...large,
    to: 0.1,
    see: async (home) => {
      const { context } = await untilReduced(home, steps);
      return context.measure([]).usedTokens;
    },
    changes: (changed, byDefault) => {
      expect(byDefault).toBeGreaterThan(45_000);
      expect(byDefault).toBeLessThan(55_000);
      expect(changed).toBeLessThan(25_000);
    },
  }),
  proof('mask.batch', {
    ...large,
    to: 0.4,
    see: (home) => tokensAtFirst(home, steps),
    changes: (changed, byDefault) => expect(changed).toBeGreaterThan(byDefault + 20_000),
  }),
];
