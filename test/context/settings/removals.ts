/** Which messages are removed. */
import { expect } from 'vitest';
import type { ContextManager } from '../../../src/context/index.ts';
import type { ReductionRecord } from '../../../src/protocol/contextReport.ts';
import type { TestHome } from '../harness.ts';
import { proof } from './proof.ts';
import { longPrompts, open, reductions, shownPrompts, text } from './scenes.ts';

export const removalProofs = [
  proof('removal.preserveStart', {
    to: 14,
    settings: { strategy: 'middle-removal' },
    see: talkedAway,
    changes: (changed, byDefault) => {
      expect(byDefault).not.toContain('p6');
      for (let index = 0; index < 7; index++) expect(changed).toContain(`p${index}`);
    },
  }),
  proof('removal.preserveEnd', {
    to: 0,
    settings: { strategy: 'middle-removal', removal: { preserveStart: 60 } },
    see: talkedAway,
    changes: (changed, byDefault) => {
      // The start takes nearly all of the room; the rest goes to the end, which is kept by default, too.
      const newest = (prompts: readonly string[]): readonly string[] => prompts.slice(-4, -1);
      expect(newest(changed)).not.toEqual(newest(byDefault));
      for (let index = 0; index < 20; index++) expect(changed).toContain(`p${index}`);
      expect(changed.length).toBeLessThan(byDefault.length);
    },
  }),
  proof('removal.minMessages', {
    to: 60,
    settings: { strategy: 'oldest-removal' },
    see: async (home) => {
      const context = await longPrompts(home);
      return {
        reason: removal(context)?.reason,
        left: context.getMessages().map((message) => text(message).slice(0, 12)),
      };
    },
    changes: (changed, byDefault) => {
      // The note of the removal replaces the removed messages.
      expect(byDefault.left.length).toBeLessThan(60);
      expect(changed.left.length).toBeGreaterThanOrEqual(60);
    },
  }),
  proof('removal.checkIntervalMs', {
    to: 1000,
    see: async (home) => {
      let now = Date.UTC(2030, 0, 1);
      const context = await open(home, { clock: () => now });
      await context.addMessage('user', 'do it all');
      for (let second = 0; second < 12; second++) {
        now += 1000;
        await context.maintain(home.options());
      }
      return home.events.filter(({ type }) => type === 'context_measured').length;
    },
    // Updates of the meter between two requests within twelve seconds.
    changes: (changed, byDefault) => expect([changed, byDefault]).toEqual([12, 3]),
  }),
  proof('removal.confidence', {
    to: 0.99,
    settings: { strategy: 'hybrid' },
    see: async (home) => removal(await longPrompts(home, { tokens: 1500 }))?.reason,
    changes: (changed, byDefault) => {
      expect(byDefault).not.toContain('both tried');
      expect(changed).toContain('both tried');
    },
  }),
];

async function talkedAway(home: TestHome): Promise<readonly string[]> {
  return shownPrompts(await longPrompts(home));
}

function removal(context: ContextManager): ReductionRecord | undefined {
  return reductions(context).find(({ kind }) => kind === 'remove');
}
