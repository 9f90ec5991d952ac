import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ContextReport } from '../../../src/protocol/contextReport.ts';
import type { AgentEvent, IdentifiedEvent } from '../../../src/protocol/events.ts';
import { watchDraft } from '../../../src/ui/controller/sessionStore.ts';
import { statusLine } from '../../../src/ui/live/StatusLine.tsx';
import { measure, state } from '../../headless/scriptedAgent.ts';
import { plain } from '../mount.tsx';

function createSession() {
  let draft: ContextReport['draft'] = 'none';
  let listener: (event: IdentifiedEvent) => void = () => undefined;
  let looks = 0;
  let sessionId = 's';
  return {
    agent: {
      draft: () => {
        looks += 1;
        if (sessionId === '') throw new Error('there is no session');
        return draft;
      },
      state: () => ({ ...state, sessionId }),
      subscribe(one: (event: IdentifiedEvent) => void) {
        listener = one;
        return () => undefined;
      },
    },
    become(next: ContextReport['draft'], event: AgentEvent) {
      draft = next;
      listener({ ...event, agentId: 'main' });
    },
    leave() {
      sessionId = '';
    },
    looks: () => looks,
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pause = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a draft is shown from the next step until its cost is recorded', async () => {
  const session = createSession();
  const told: boolean[] = [];
  const stop = watchDraft(session.agent, (isDrafting) => told.push(isDrafting));
  session.become('running', { type: 'text_delta', text: 'x' });
  await pause(10);
  expect([told, session.looks()]).toEqual([[], 0]);
  session.become('running', { type: 'step_started', step: 2 });
  await pause(10);
  expect(told).toEqual([true]);
  // Without an event it is polled from time to time.
  session.become('ready', { type: 'text_delta', text: 'x' });
  while (told.length < 2) await pause(50);
  expect(told).toEqual([true, false]);
  stop();
});

test('a closed session is no longer polled', async () => {
  const session = createSession();
  const stop = watchDraft(session.agent, () => undefined);
  session.leave();
  session.become('running', { type: 'step_started', step: 1 });
  await pause(10);
  expect(session.looks()).toBe(0);
  stop();
});

test('the status line shows a symbol while a draft is written, at every width', () => {
  const facts = { model: 'm', mode: 'default' as const, measure, costUsd: undefined, demo: false };
  for (const width of [20, 40, 80, 120]) {
    expect(statusLine({ ...facts, drafting: true }, width, plain)).toContain('✎');
    expect(statusLine(facts, width, plain)).not.toContain('✎');
  }
});
