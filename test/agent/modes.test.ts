import { expect, test } from 'vitest';
import type { PermissionMode } from '../../src/protocol/permissions.ts';
import { exitPlanModeTool } from '../../src/tools/exitPlanMode.ts';
import { entryLine } from './line.ts';
import { calls, says } from './scriptedModel.ts';
import { smallTool } from './smallTools.ts';
import { stage } from './stage.ts';

const plan = calls(['p', 'ExitPlanMode', { plan: '1. Write it' }]);

test('a mode is an entry; the model reads it with the next request, the rules see it at once', async () => {
  const seen: PermissionMode[] = [];
  const { agent, run, ask, model, lines } = await stage({
    tools: [smallTool('Edit')],
    decide: async (_tool, _access, mode) => {
      seen.push(mode);
      return { behavior: 'allow', reason: '' };
    },
    answers: [calls(['a', 'Edit']), says('Done.')],
  });
  await run({ type: 'set_mode', mode: 'acceptEdits' }, { type: 'set_mode', mode: 'acceptEdits' });
  expect(agent.state().mode).toBe('acceptEdits');
  await ask('Go');
  expect(seen).toEqual(['acceptEdits']);
  expect(lines().filter((line) => /^(entry )?mode /.test(line))).toEqual([
    'entry mode acceptEdits',
    'mode acceptEdits',
  ]);
  expect(model.requests[0]?.messages[1]).toEqual({
    role: 'user',
    content:
      '<system-note>\nEdits inside the project are accepted without asking. Commands are still asked about.\n</system-note>',
  });
});

test.each([
  // The mode that the session is opened in, what the user switched to before the plan, what comes back.
  ['default', undefined, 'default'],
  ['acceptEdits', undefined, 'acceptEdits'],
  ['plan', undefined, 'default'],
  ['default', 'acceptEdits', 'acceptEdits'],
  ['acceptEdits', 'default', 'default'],
] as const)('opened in %s, then %s: an accepted plan brings %s back', async (opened, before, after) => {
  const { agent, run, lines } = await stage({
    mode: opened,
    tools: [exitPlanModeTool()],
    decide: async () => ({ behavior: 'ask', reason: 'The plan is ready.' }),
    answers: [plan, says('I begin.')],
  });
  agent.subscribe((event) => {
    if (event.type === 'permission_question')
      agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow' } });
  });
  if (before !== undefined) await run({ type: 'set_mode', mode: before });
  await run({ type: 'set_mode', mode: 'plan' }, { type: 'prompt', text: 'Plan it' });
  expect(agent.state().mode).toBe(after);
  expect(lines()).toContain(`mode ${after}`);
  expect(lines().at(-1)).toBe('turn_ended done after 2');
});

test('a plan that is refused with a comment leaves plan mode on', async () => {
  const { agent, run, lines } = await stage({
    tools: [exitPlanModeTool()],
    decide: async () => ({ behavior: 'ask', reason: 'The plan is ready.' }),
    answers: [plan, says('I look again.')],
  });
  agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    expect(event.question.preview).toEqual({ type: 'plan', plan: '1. Write it' });
    agent.submit({
      type: 'answer',
      id: event.question.id,
      answer: { behavior: 'deny', comment: 'smaller steps' },
    });
  });
  await run({ type: 'set_mode', mode: 'plan' }, { type: 'prompt', text: 'Plan it' });
  expect(agent.state().mode).toBe('plan');
  expect(lines().some((line) => line.includes('They say: smaller steps'))).toBe(true);
});

test('a plan outside plan mode is refused without asking', async () => {
  const { ask, lines } = await stage({
    tools: [exitPlanModeTool()],
    decide: () => Promise.reject(new Error('must not be asked')),
    answers: [plan, says('Right.')],
  });
  await ask('Go');
  expect(lines()).toContain('entry tool_result p denied: Not allowed: plan mode is not on; just do the work');
});

test('a session opened in plan mode tells the model so, once', async () => {
  const { agent, ask, model } = await stage({ mode: 'plan', answers: [says('One.'), says('Two.')] });
  expect(agent.state().mode).toBe('plan');
  await ask('First');
  await ask('Second');
  expect(agent.entries().map(entryLine)).toEqual([
    'session_start',
    'mode plan',
    'prompt: First',
    'assistant: One.',
    'turn_end: done',
    'prompt: Second',
    'assistant: Two.',
    'turn_end: done',
  ]);
  expect(model.requests[0]?.messages[1]?.content).toContain('Plan mode is on: change nothing.');
});

test.each(['acceptEdits', 'bypassPermissions'] as const)(
  'a session opened in %s leaves no trace of it for whoever resumes it without',
  async (mode) => {
    const first = await stage({ mode, answers: [says('One.')] });
    await first.ask('Hi');
    const sessionId = first.agent.state().sessionId;
    await first.agent.close();
    const again = await stage({ resume: { folder: first.folder, sessionId } });
    expect(again.agent.state().mode).toBe('default');
  },
);

test('a mode that was switched to is still on after a resume', async () => {
  const first = await stage({ answers: [says('One.')] });
  await first.run({ type: 'set_mode', mode: 'plan' }, { type: 'prompt', text: 'Hi' });
  const sessionId = first.agent.state().sessionId;
  await first.agent.close();
  const again = await stage({ resume: { folder: first.folder, sessionId } });
  expect(again.agent.state().mode).toBe('plan');
});
