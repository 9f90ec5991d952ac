/** Limits on the content of a request that apply only if set. */
import { expect } from 'vitest';
import type { ContextManagerDeps } from '../../../src/context/index.ts';
import type { TestHome } from '../harness.ts';
import { proof } from './proof.ts';
import { open, round, shownPrompts, text, toolStep, words } from './scenes.ts';

const sliding = { strategy: 'sliding-window' } as const;
const filter = { filter: { enabled: true } } as const;

export const windowProofs = [
  proof('window.rounds', {
    to: 2,
    settings: sliding,
    windowTokens: 200_000,
    see: (home) => promptsOf(home, 12, 20),
    changes: (changed, byDefault) => expect([changed.length, byDefault.length]).toEqual([2, 5]),
  }),
  proof('window.maxMessageTokens', {
    to: 200,
    settings: sliding,
    windowTokens: 200_000,
    see: async (home) => {
      const context = await open(home);
      await context.addMessage('user', `p0 ${words(1500)}`);
      await toolStep(context, home, 'a', 2500);
      return context.getMessages().map((message) => [message.role, text(message).length] as const);
    },
    changes: (changed, byDefault) => {
      const sizes = (role: string, seen: typeof changed) =>
        seen.flatMap(([one, length]) => (one === role ? [length] : []));
      expect(Math.max(...sizes('tool', byDefault))).toBeLessThan(800 * 5);
      expect(Math.max(...sizes('tool', changed))).toBeLessThan(200 * 6);
      // User messages are never cut.
      expect(sizes('user', changed)[0]).toBe(sizes('user', byDefault)[0]);
    },
  }),
  proof('window.messagesBudget', {
    to: 1000,
    settings: sliding,
    windowTokens: 200_000,
    see: (home) => promptsOf(home, 8, 500),
    changes: (changed, byDefault) => expect(changed.length).toBeLessThan(byDefault.length),
  }),
  proof('slidingWindowSize', {
    to: 3,
    windowTokens: 200_000,
    see: (home) => promptsOf(home, 25, 20),
    changes: (changed, byDefault) => expect([changed.length, byDefault.length]).toEqual([3, 25]),
  }),
  proof('filter.enabled', {
    to: true,
    windowTokens: 200_000,
    see: (home) => promptsOf(home, 30, 20, { clock: hoursFromNow(30) }),
    changes: (changed, byDefault) => expect([changed.length, byDefault.length]).toEqual([1, 30]),
  }),
  proof('filter.maxMessages', {
    to: 20,
    settings: filter,
    windowTokens: 200_000,
    see: (home) => promptsOf(home, 40, 20),
    changes: (changed, byDefault) => expect([changed.length, byDefault.length]).toEqual([10, 25]),
  }),
  proof('filter.maxTokens', {
    to: 2000,
    settings: filter,
    windowTokens: 200_000,
    see: (home) => promptsOf(home, 20, 400),
    changes: (changed, byDefault) => {
      expect(byDefault).toHaveLength(20);
      expect(changed.length).toBeLessThan(7);
    },
  }),
  proof('filter.maxAgeHours', {
    to: 48,
    settings: filter,
    windowTokens: 200_000,
    see: (home) => promptsOf(home, 10, 20, { clock: hoursFromNow(30) }),
    changes: (changed, byDefault) => expect([changed.length, byDefault.length]).toEqual([10, 1]),
  }),
];

/** The prompts in the request after this many rounds of this size. */
export async function promptsOf(
  home: TestHome,
  rounds: number,
  tokens: number,
  deps: Partial<ContextManagerDeps> = {},
): Promise<readonly string[]> {
  const context = await open(home, deps);
  for (let index = 0; index < rounds; index++) await round(context, `p${index}`, tokens);
  await context.buildRequest(home.options());
  return shownPrompts(context);
}

function hoursFromNow(hours: number): () => number {
  return () => Date.now() + hours * 3_600_000;
}
