import { expect, test } from 'vitest';
import { readOnlyAgent } from '../../src/agent/readOnlyAgent.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { Op } from '../../src/protocol/ops.ts';
import { scriptedAgent } from '../headless/scriptedAgent.ts';

const refused: readonly Op[] = [
  { type: 'shell', command: 'ls' },
  { type: 'compact' },
  { type: 'set_mode', mode: 'plan' },
  { type: 'set_model', model: 'm' },
  { type: 'set_title', title: 't' },
];

test('additions to the session are rejected with a message and never reach it', () => {
  const agent = scriptedAgent();
  const shown = readOnlyAgent(agent, () => undefined);
  const events: AgentEvent[] = [];
  shown.subscribe((event) => events.push(event));
  for (const op of refused) shown.submit(op);
  expect(agent.ops).toEqual([]);
  expect(events.filter(({ type }) => type === 'notice')).toHaveLength(refused.length);
  expect(shown.state().readOnly).toBe(true);
});

test.each<[Op, string]>([
  [{ type: 'prompt', text: 'Go on' }, 'Go on'],
  [{ type: 'shell', command: 'ls' }, '!ls'],
])('text that was not sent returns to the composer: %j', (op, typed) => {
  const shown = readOnlyAgent(scriptedAgent(), () => undefined);
  const events: AgentEvent[] = [];
  shown.subscribe((event) => events.push(event));
  shown.submit(op);
  expect(events).toMatchObject([
    { type: 'notice', level: 'warning' },
    { type: 'queue_returned', prompts: [{ text: typed }] },
  ]);
});

test('reading works: events and interrupts are passed on', () => {
  const agent = scriptedAgent();
  const shown = readOnlyAgent(agent, () => undefined);
  shown.submit({ type: 'interrupt' });
  expect(agent.ops).toEqual([{ type: 'interrupt' }]);
  expect(shown.entries()).toEqual([]);
});
