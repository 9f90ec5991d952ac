import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionHooks } from '../../../src/agent/hooks/sessionHooks.ts';
import { createTurnHooks } from '../../../src/agent/hooks/turnHooks.ts';

const IDLE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('notification hooks run a minute after a turn, unless another turn begins or the session ends', async () => {
  const told: unknown[] = [];
  const hooks: SessionHooks = {
    has: () => true,
    run: async (event, { subject }) => {
      told.push([event, subject]);
      return undefined;
    },
    tell: async () => undefined,
    note: () => {
      throw new Error('nothing is said');
    },
  };
  const turns = createTurnHooks(hooks, {
    ...{ origin: 'startup', onError: () => undefined, notice: () => undefined },
    ...{ interactive: true, onPrompt: () => undefined, tasks: () => [], onEnd: () => undefined },
    ...{ model: () => 'm', transcript: () => '', summary: () => '' },
  });
  const ended = { type: 'turn_ended', outcome: 'done', steps: 1 } as const;
  turns.handle(ended);
  vi.advanceTimersByTime(IDLE_MS - 1);
  turns.handle({ type: 'turn_started' });
  vi.advanceTimersByTime(IDLE_MS);
  expect(told).toEqual([]);
  turns.handle(ended);
  vi.advanceTimersByTime(IDLE_MS);
  expect(told).toEqual([['Notification', 'idle_prompt']]);
  turns.handle(ended);
  await turns.sessionEnd();
  vi.advanceTimersByTime(IDLE_MS);
  expect(told).toEqual([
    ['Notification', 'idle_prompt'],
    ['SessionEnd', 'other'],
  ]);
});
