import { expect, test } from 'vitest';
import type { PermissionMode } from '../../src/protocol/permissions.ts';
import { exitPlanModeTool } from '../../src/tools/exitPlanMode.ts';
import { failureOf } from '../../src/ui/print/toolLine.ts';
import { entryLine } from './line.ts';
import { calls, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { startAgent } from './testAgent.ts';

const MAX_REPEATS = 4;

const plan = calls(['p', 'ExitPlanMode', { plan: '1. Write it' }]);

test('a mode change is logged; it applies to permissions immediately, and the model gets it with the next request', async () => {
  const seen: PermissionMode[] = [];
  const { agent, run, ask, model, lines } = await startAgent({
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
      '<system-note>\nEdits inside the project are accepted without approval. Commands still need approval.\n</system-note>',
  });
});

test.each([
  // The mode that the session is opened in, the mode before the plan, the restored mode.
  ['default', undefined, 'default'],
  ['acceptEdits', undefined, 'acceptEdits'],
  ['plan', undefined, 'default'],
  ['plan', 'acceptEdits', 'default'],
  ['default', 'acceptEdits', 'default'],
  ['acceptEdits', 'default', 'default'],
  ['dontAsk', 'acceptEdits', 'dontAsk'],
  ['bypassPermissions', 'default', 'default'],
] as const)(
  'in a session opened in %s and then in %s, accepting a plan restores %s',
  async (opened, before, after) => {
    const { agent, run, lines } = await startAgent({
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
  },
);

test('accepting a plan restores the mode used before, and the approval says so', async () => {
  const { agent, run, ask } = await startAgent({
    tools: [exitPlanModeTool()],
    decide: async () => ({ behavior: 'ask', reason: 'The plan is ready.' }),
    answers: [says('Hello.'), plan, says('I begin.')],
  });
  agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    expect(event.question.reason).toBe('The plan runs in accept edits mode.');
    agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow' } });
  });
  await run({ type: 'set_mode', mode: 'acceptEdits' });
  await ask('Hi');
  await run({ type: 'set_mode', mode: 'plan' }, { type: 'prompt', text: 'Plan it' });
  expect(agent.state().mode).toBe('acceptEdits');
});

test('a plan made in accept edits mode can be accepted with a question for each edit', async () => {
  const { agent, run, ask } = await startAgent({
    tools: [exitPlanModeTool()],
    decide: async () => ({ behavior: 'ask', reason: 'The plan is ready.' }),
    answers: [says('Hello.'), plan, says('I begin.')],
  });
  agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    expect(event.question.suggestion?.label).toBe('Yes, but ask for each edit');
    agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow', remember: true } });
  });
  await run({ type: 'set_mode', mode: 'acceptEdits' });
  await ask('Hi');
  await run({ type: 'set_mode', mode: 'plan' }, { type: 'prompt', text: 'Plan it' });
  expect(agent.state().mode).toBe('default');
});

test('accepting a plan can also switch to acceptEdits', async () => {
  const { agent, run, lines } = await startAgent({
    tools: [exitPlanModeTool()],
    decide: async () => ({ behavior: 'ask', reason: 'The plan is ready.' }),
    answers: [plan, says('I begin.')],
  });
  agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    expect(event.question.suggestion?.label).toBe('Yes, and accept edits');
    agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow', remember: true } });
  });
  await run({ type: 'set_mode', mode: 'plan' }, { type: 'prompt', text: 'Plan it' });
  expect(lines().filter((line) => line.startsWith('mode '))).toEqual(['mode plan', 'mode acceptEdits']);
});

test('denying a plan with a comment keeps plan mode and passes the comment to the model', async () => {
  const { agent, run, lines } = await startAgent({
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

test('a plan outside plan mode is rejected without asking; the advice is only for the model', async () => {
  const { ask, lines, agent } = await startAgent({
    tools: [exitPlanModeTool()],
    decide: () => Promise.reject(new Error('must not be asked')),
    answers: [plan, says('Right.')],
  });
  await ask('Go');
  expect(lines()).toContain(
    'entry tool_result p denied: Not allowed: Plan mode is not on. Just do the work.',
  );
  const result = agent.entries().find(({ toolResult }) => toolResult !== undefined)?.toolResult;
  expect(result && failureOf(result).text).toBe('Plan mode is not on.');
});

test('a session opened in plan mode tells the model once', async () => {
  const { agent, ask, model } = await startAgent({ mode: 'plan', answers: [says('One.'), says('Two.')] });
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
  'a session opened in %s does not pass that mode to a later resume without it',
  async (mode) => {
    const first = await startAgent({ mode, answers: [says('One.')] });
    await first.ask('Hi');
    const sessionId = first.agent.state().sessionId;
    await first.agent.close();
    const again = await startAgent({ resume: { folder: first.folder, sessionId } });
    expect(again.agent.state().mode).toBe('default');
  },
);

test('a resumed session keeps its mode', async () => {
  const first = await startAgent({ answers: [says('One.')] });
  await first.run({ type: 'set_mode', mode: 'plan' }, { type: 'prompt', text: 'Hi' });
  const sessionId = first.agent.state().sessionId;
  await first.agent.close();
  const again = await startAgent({ resume: { folder: first.folder, sessionId } });
  expect(again.agent.state().mode).toBe('plan');
});

test.each([
  ['bypassPermissions', 'default'],
  ['acceptEdits', 'default'],
] as const)(
  'accepting a plan in a resumed session does not skip approvals: %s before, then %s',
  async (before, then) => {
    const first = await startAgent({ mode: before, answers: [says('One.')] });
    await first.run(...(['default', before] as const).map((mode) => ({ type: 'set_mode', mode }) as const), {
      type: 'prompt',
      text: 'Hi',
    });
    await first.run({ type: 'set_mode', mode: 'plan' });
    const sessionId = first.agent.state().sessionId;
    await first.agent.close();
    const again = await startAgent({
      resume: { folder: first.folder, sessionId },
      tools: [exitPlanModeTool()],
      decide: async () => ({ behavior: 'ask', reason: 'The plan is ready.' }),
      answers: [plan, says('Done.')],
    });
    again.agent.subscribe((event) => {
      if (event.type === 'permission_question')
        again.agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow' } });
    });
    expect(again.agent.state().mode).toBe('plan');
    await again.ask('Plan it');
    expect(again.agent.state().mode).toBe(then);
  },
);

test.each([
  ['default', ['default', 'acceptEdits', 'plan', 'auto']],
  ['dontAsk', ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk']],
  ['bypassPermissions', ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions']],
] as const)('started in %s, Shift+Tab cycles through %j', async (mode, cycle) => {
  const { agent } = await startAgent({ mode });
  expect(agent.state().modes.cycle).toEqual(cycle);
});

test('a forbidden mode cannot be selected, a notice says why, and Shift+Tab skips it', async () => {
  const { agent, run, ask, lines } = await startAgent({
    refusedModes: { auto: 'Auto is off here.' },
    answers: [says('Done.')],
  });
  await run({ type: 'set_mode', mode: 'auto' });
  // A mode change would be written after the op has returned.
  await ask('Go');
  expect(agent.state().mode).toBe('default');
  expect(agent.state().modes.cycle).toEqual(['default', 'acceptEdits', 'plan']);
  expect(lines()).toContain('notice error: Auto is off here.');
  expect(lines().some((line) => line.startsWith('entry mode'))).toBe(false);
});

test('a session left in a mode that is now forbidden resumes in default mode', async () => {
  const first = await startAgent();
  await first.run({ type: 'set_mode', mode: 'bypassPermissions' });
  const sessionId = first.agent.state().sessionId;
  await first.agent.close();
  const again = await startAgent({
    resume: { folder: first.folder, sessionId },
    refusedModes: { bypassPermissions: 'Not here.' },
  });
  expect(again.agent.state().mode).toBe('default');
});

test('in dontAsk, calls that need approval are denied, and the turn continues', async () => {
  const { ask, lines, model } = await startAgent({
    mode: 'dontAsk',
    tools: [smallTool('Edit')],
    decide: async () => ({ behavior: 'ask', reason: 'it changes a file' }),
    answers: [calls(['a', 'Edit']), says('I see.')],
  });
  await ask('Go');
  expect(lines().filter((line) => line.startsWith('question'))).toEqual([]);
  expect(lines().at(-1)).toBe('turn_ended done after 2');
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', isError: true });
});

test('in dontAsk, the turn ends if the model repeats itself, without asking whether to continue', async () => {
  const again = calls(['a', 'Look']);
  const { ask, lines } = await startAgent({
    mode: 'dontAsk',
    tools: [smallTool('Look', { readOnly: true })],
    answers: Array.from({ length: MAX_REPEATS }, () => again),
  });
  await ask('Go');
  expect(lines().filter((line) => line.startsWith('question'))).toEqual([]);
  expect(lines().at(-1)).toContain('turn_ended loop');
});

test('in dontAsk, an approval that a running call needs, for example for a host, is denied', async () => {
  const answers: boolean[] = [];
  const tool = smallTool('Bash', {
    run: async (_input, context) => {
      const preview = { type: 'text', text: 'x' } as const;
      const question = { domain: 'example.com', title: 'Reach example.com', preview, reason: 'Not listed.' };
      answers.push((await context.confirm?.(question)) ?? true);
      return ok('ran');
    },
  });
  const { ask, lines } = await startAgent({
    mode: 'dontAsk',
    tools: [tool],
    answers: [calls(['a', 'Bash']), says('Done.')],
  });
  await ask('Go');
  expect(answers).toEqual([false]);
  expect(lines().filter((line) => line.startsWith('question'))).toEqual([]);
});
