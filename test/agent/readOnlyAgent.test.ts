import { expect, test } from 'vitest';
import { readOnlyAgent } from '../../src/agent/readOnlyAgent.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { Skill } from '../../src/protocol/extensions/skills.ts';
import type { Op } from '../../src/protocol/ops.ts';
import { scriptedAgent } from '../headless/scriptedAgent.ts';

const skill: Skill = {
  ...{ name: 'review', kind: 'skill', description: '', file: '/s/SKILL.md', scope: 'user' },
  ...{ modelCanUse: true, userCanUse: true, allowedTools: [], ignored: [] },
};

/** Every op, and whether a read-only session accepts it. */
const table: {
  readonly [Type in Op['type']]: readonly [Extract<Op, { type: Type }>, 'accepted' | 'refused'];
} = {
  prompt: [{ type: 'prompt', text: 'Go on' }, 'refused'],
  use_skill: [{ type: 'use_skill', display: '/review', skill, parts: [] }, 'refused'],
  shell: [{ type: 'shell', command: 'ls' }, 'refused'],
  interrupt: [{ type: 'interrupt' }, 'accepted'],
  background: [{ type: 'background' }, 'accepted'],
  stop_task: [{ type: 'stop_task', id: 't' }, 'accepted'],
  answer: [{ type: 'answer', id: 'q', answer: { behavior: 'deny' } }, 'accepted'],
  compact: [{ type: 'compact' }, 'refused'],
  uncompact: [{ type: 'uncompact' }, 'refused'],
  edit_item: [{ type: 'edit_item', edit: { action: 'pin', uuid: 'u' } }, 'refused'],
  set_mode: [{ type: 'set_mode', mode: 'plan' }, 'refused'],
  set_model: [{ type: 'set_model', model: 'm' }, 'refused'],
  set_effort: [{ type: 'set_effort' }, 'refused'],
  set_thinking: [{ type: 'set_thinking' }, 'refused'],
  set_title: [{ type: 'set_title', title: 't' }, 'refused'],
  rewind: [{ type: 'rewind', to: 'u', scope: 'both' }, 'refused'],
  undo_rewind: [{ type: 'undo_rewind' }, 'refused'],
};

test.each(Object.values(table))('in a read-only session, %j is %s', (op, verdict) => {
  const passedOn: Op[] = [];
  const agent = { ...scriptedAgent(), submit: (one: Op) => void passedOn.push(one) };
  const shown = readOnlyAgent(agent, () => undefined);
  const events: AgentEvent[] = [];
  shown.subscribe((event) => events.push(event));
  shown.submit(op);
  expect(passedOn).toEqual(verdict === 'accepted' ? [op] : []);
  expect(events.filter(({ type }) => type === 'notice')).toHaveLength(verdict === 'accepted' ? 0 : 1);
  expect(shown.state().readOnly).toBe(true);
});

test.each<[Op, string]>([
  [{ type: 'prompt', text: 'Go on' }, 'Go on'],
  [{ type: 'shell', command: 'ls' }, '!ls'],
  [table.use_skill[0], '/review'],
])('in a read-only session, typed text returns to the composer: %j', (op, typed) => {
  const shown = readOnlyAgent(scriptedAgent(), () => undefined);
  const events: AgentEvent[] = [];
  shown.subscribe((event) => events.push(event));
  shown.submit(op);
  expect(events).toMatchObject([
    { type: 'notice', level: 'warning' },
    { type: 'queue_returned', prompts: [{ text: typed }] },
  ]);
});
