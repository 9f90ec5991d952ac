import { expect, test } from 'vitest';
import { confirmWhileRunning, createQuestions } from '../../src/agent/approvals.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type {
  Grant,
  PermissionAnswer,
  PermissionDecision,
  PermissionMode,
  RuleSuggestion,
} from '../../src/protocol/permissions.ts';
import type { RunningQuestion } from '../../src/protocol/tools.ts';
import { calls, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { type Given, startAgent, type TestAgent } from './testAgent.ts';

const asks = async (): Promise<PermissionDecision> => ({ behavior: 'ask', reason: 'it changes a file' });
const edit = smallTool('Edit', { access: { type: 'write', paths: ['/p/a'] } });
const isQuestion = (event: AgentEvent) => event.type === 'permission_question';

/** A test agent whose approvals get the given answers, in order. */
async function answering(answers: PermissionAnswer[], given: Given): Promise<TestAgent> {
  const made = await startAgent({ decide: asks, tools: [edit], ...given });
  made.agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    const answer = answers.shift();
    if (answer === undefined) throw new Error('a question too many');
    made.agent.submit({ type: 'answer', id: event.question.id, answer });
  });
  return made;
}

const aboutTools = (lines: readonly string[]): string[] =>
  lines.filter((line) =>
    /^(question|answered|tool_|turn_ended|notice|mode |entry (tool_result|mode))/.test(line),
  );

test('an approved call runs; the approval shows what it will do', async () => {
  const { ask, lines, events } = await answering([{ behavior: 'allow' }], {
    answers: [calls(['a', 'Edit', { path: 'a' }]), says('Done.')],
  });
  await ask('Go');
  expect(aboutTools(lines())).toEqual([
    'question q1 for Edit: it changes a file',
    'answered q1 {"behavior":"allow"}',
    'tool_started a Edit "Edit it"',
    'tool_ended a',
    'entry tool_result a ok: Edit ran',
    'turn_ended done after 2',
  ]);
  expect(events.find(isQuestion)).toEqual({
    agentId: 'main',
    type: 'permission_question',
    question: {
      id: 'q1',
      agentId: 'main',
      callId: 'a',
      tool: 'Edit',
      title: 'Edit it',
      input: { path: 'a' },
      preview: { type: 'text', text: 'Edit previewed' },
      reason: 'it changes a file',
    },
  });
});

test.each([
  [undefined, 'The user declined this call. It did not run.'],
  [' \n', 'The user declined this call. It did not run.'],
  ['use port 8080', 'The user declined this call; it did not run. They say: use port 8080'],
])('the model gets a denial with the comment %j and continues', async (comment, text) => {
  const { ask, lines, model } = await answering(
    [{ behavior: 'deny', ...(comment === undefined ? {} : { comment }) }],
    { answers: [calls(['a', 'Edit']), says('I see.')] },
  );
  await ask('Go');
  expect(lines()).toContain(`entry tool_result a denied: ${text}`);
  expect(lines().at(-1)).toBe('turn_ended done after 2');
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: text, isError: true });
});

test('a deny rule denies without asking', async () => {
  const { ask, lines } = await answering([], {
    decide: async () => ({ behavior: 'deny', reason: 'Rule Edit (test).' }),
    answers: [calls(['a', 'Edit']), says('I see.')],
  });
  await ask('Go');
  expect(aboutTools(lines())).toEqual([
    'entry tool_result a denied: Not allowed: Rule Edit (test).',
    'turn_ended done after 2',
  ]);
});

test('nothing runs if the rules cannot be read', async () => {
  const { ask, lines } = await answering([], {
    decide: () => Promise.reject(new Error('no grammar')),
    answers: [calls(['a', 'Edit']), says('I see.')],
  });
  await ask('Go');
  expect(aboutTools(lines())).toEqual([
    'entry tool_result a error: Edit failed unexpectedly: no grammar',
    'turn_ended done after 2',
  ]);
});

test('a denial that ends the turn skips the later calls and makes no further request', async () => {
  const { ask, lines } = await answering([{ behavior: 'deny', interrupt: true }], {
    answers: [calls(['a', 'Edit'], ['b', 'Edit'])],
  });
  await ask('Go');
  expect(aboutTools(lines())).toEqual([
    'question q1 for Edit: it changes a file',
    'answered q1 {"behavior":"deny","interrupt":true}',
    'entry tool_result a denied: The user declined this call. It did not run.',
    'entry tool_result b interrupted: The user stopped the turn before this call ran.',
    'turn_ended interrupted after 1',
  ]);
});

test('a rule that an answer saves decides about the waiting calls, before they are asked about again', async () => {
  const read = smallTool('Read', { readOnly: true });
  const suggestion: RuleSuggestion = { rules: ['Read(/a/**)'], destination: 'session', label: 'Always' };
  let isSaved = false;
  let hasAsked = 0;
  const { agent, lines } = await startAgent({
    decide: async () =>
      isSaved && ++hasAsked === 1
        ? { behavior: 'allow', reason: 'the new rule' }
        : { behavior: 'ask', reason: isSaved ? 'elsewhere' : 'outside', suggestion },
    remember: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isSaved = true;
      return 'Allowed.';
    },
    tools: [read],
    answers: [calls(['a', 'Read'], ['b', 'Read'], ['c', 'Read']), says('Done.')],
  });
  agent.submit({ type: 'prompt', text: 'Go' });
  await expect.poll(() => agent.state().questions).toHaveLength(3);
  agent.submit({ type: 'answer', id: 'q1', answer: { behavior: 'allow', remember: true } });
  expect(agent.state().questions).toEqual([]);
  await expect.poll(() => agent.state().questions).toMatchObject([{ callId: 'c', reason: 'elsewhere' }]);
  agent.submit({ type: 'answer', id: 'q4', answer: { behavior: 'allow' } });
  await agent.idle();
  expect(lines().filter((line) => line.startsWith('entry tool_result'))).toEqual([
    'entry tool_result a ok: Read ran',
    'entry tool_result b ok: Read ran',
    'entry tool_result c ok: Read ran',
  ]);
});

test('approvals of parallel calls are open at the same time and can be answered in any order', async () => {
  const read = smallTool('Read', { readOnly: true });
  const { agent, lines, events, model } = await startAgent({
    decide: asks,
    tools: [read],
    answers: [calls(['a', 'Read'], ['b', 'Read']), says('Done.')],
  });
  agent.submit({ type: 'prompt', text: 'Go' });
  await expect.poll(() => agent.state().questions.map((question) => question.id)).toEqual(['q1', 'q2']);
  agent.submit({ type: 'answer', id: 'q2', answer: { behavior: 'allow' } });
  agent.submit({ type: 'answer', id: 'q2', answer: { behavior: 'deny' } });
  agent.submit({ type: 'answer', id: 'nobody', answer: { behavior: 'allow' } });
  expect(agent.state().questions.map((question) => question.id)).toEqual(['q1']);
  agent.submit({ type: 'answer', id: 'q1', answer: { behavior: 'deny', comment: 'not this one' } });
  await agent.idle();
  expect(lines().filter((line) => line.startsWith('entry tool_result'))).toEqual([
    'entry tool_result a denied: The user declined this call; it did not run. They say: not this one',
    'entry tool_result b ok: Read ran',
  ]);
  expect(events.filter((event) => event.type === 'permission_answered')).toHaveLength(2);
  expect(model.requests).toHaveLength(2);
});

test('a denial that ends the turn also closes the other pending approvals', async () => {
  const read = smallTool('Read', { readOnly: true });
  const { agent, lines } = await startAgent({
    decide: asks,
    tools: [read],
    answers: [calls(['a', 'Read'], ['b', 'Read'])],
  });
  agent.submit({ type: 'prompt', text: 'Go' });
  await expect.poll(() => agent.state().questions).toHaveLength(2);
  agent.submit({ type: 'answer', id: 'q2', answer: { behavior: 'deny', interrupt: true } });
  await agent.idle();
  expect(agent.state().questions).toEqual([]);
  expect(aboutTools(lines()).slice(-3)).toEqual([
    'entry tool_result a interrupted: The user stopped the turn before this call ran.',
    'entry tool_result b denied: The user declined this call. It did not run.',
    'turn_ended interrupted after 1',
  ]);
});

const suggestion = (destination: RuleSuggestion['destination']): RuleSuggestion => ({
  rules: ['Edit(/a)'],
  destination,
  label: 'Yes, always',
  ...(destination === 'local' ? { file: '/p/.clawdcode.local.json' } : {}),
});

test.each(['session', 'local'] as const)(
  '"always" saves the suggested %s rule and confirms it',
  async (destination) => {
    const remembered: RuleSuggestion[] = [];
    const { ask, lines } = await answering([{ behavior: 'allow', remember: true }], {
      decide: async () => ({ ...(await asks()), suggestion: suggestion(destination) }),
      remember: async (given) => {
        remembered.push(given);
        return 'Saved.';
      },
      answers: [calls(['a', 'Edit']), says('Done.')],
    });
    await ask('Go');
    expect(remembered).toEqual([suggestion(destination)]);
    expect(lines()).toContain('notice info: Saved.');
    expect(lines()).toContain('entry tool_result a ok: Edit ran');
  },
);

test('"always" for edits switches the mode, which applies immediately', async () => {
  const modes: string[] = [];
  const { ask, lines, agent, model } = await answering([{ behavior: 'allow', remember: true }], {
    decide: async (_tool, _access, mode) => {
      modes.push(mode);
      return mode === 'default'
        ? { ...(await asks()), suggestion: suggestion('mode') }
        : { behavior: 'allow', reason: `Mode ${mode}.` };
    },
    answers: [calls(['a', 'Edit'], ['b', 'Edit']), says('Done.')],
  });
  await ask('Go');
  expect(modes).toEqual(['default', 'acceptEdits']);
  expect(aboutTools(lines())).toEqual([
    'question q1 for Edit: it changes a file',
    'answered q1 {"behavior":"allow","remember":true}',
    'entry mode acceptEdits',
    'mode acceptEdits',
    'tool_started a Edit "Edit it"',
    'tool_ended a',
    'entry tool_result a ok: Edit ran',
    'tool_started b Edit "Edit it"',
    'tool_ended b',
    'entry tool_result b ok: Edit ran',
    'turn_ended done after 2',
  ]);
  expect(agent.state().mode).toBe('acceptEdits');
  // The note was written between a call and its result; the request still keeps the pair together.
  expect(model.requests[1]?.messages.slice(-4).map((message) => message.role)).toEqual([
    'assistant',
    'tool',
    'tool',
    'user',
  ]);
});

test('an allow without "always" saves nothing', async () => {
  const { ask, lines } = await answering([{ behavior: 'allow' }], {
    decide: async () => ({ ...(await asks()), suggestion: suggestion('local') }),
    remember: () => Promise.reject(new Error('must not be called')),
    answers: [calls(['a', 'Edit']), says('Done.')],
  });
  await ask('Go');
  expect(lines()).toContain('entry tool_result a ok: Edit ran');
});

test.each([
  ['an ordinary file', 'diff', [{ type: 'edit', path: '/p/a' }], true],
  ['a protected file', 'diff', [{ type: 'limit', reason: 'protected' }], undefined],
  [
    'two files, one of them protected',
    'diff',
    [
      { type: 'edit', path: '/p/a' },
      { type: 'limit', reason: 'p' },
    ],
    undefined,
  ],
  ['a file, for an unknown reason', 'diff', undefined, undefined],
  ['a command that only edits', 'command', [{ type: 'edit', path: '/p/a' }], undefined],
  ['a plan', 'plan', undefined, true],
] as const)(
  'only ordinary edits and plans can be approved without showing them in full: %s',
  async (_, type, causes, canSkim) => {
    const previews = {
      diff: { type: 'diff', path: '/p/a', diff: '', isNew: false },
      command: { type: 'command', command: 'tee a', cwd: '/p' },
      plan: { type: 'plan', plan: 'Do it' },
    } as const;
    const tool = smallTool('Edit', { preview: async () => previews[type] });
    const { ask, events } = await answering([{ behavior: 'allow' }], {
      decide: async () => ({ behavior: 'ask', reason: 'it changes a file', ...(causes && { causes }) }),
      tools: [tool],
      answers: [calls(['a', 'Edit']), says('Done.')],
    });
    await ask('Go');
    const [asked] = events.flatMap((event) => (event.type === 'permission_question' ? [event.question] : []));
    expect(asked).toBeDefined();
    expect(asked?.canSkim).toBe(canSkim);
  },
);

test('a failed preview is reported in the approval, which can still be answered', async () => {
  const tool = smallTool('Edit', { preview: () => Promise.reject(new Error('gone')) });
  const { ask, events, lines } = await answering([{ behavior: 'allow' }], {
    tools: [tool],
    answers: [calls(['a', 'Edit']), says('Done.')],
  });
  await ask('Go');
  expect(events.find(isQuestion)).toMatchObject({
    question: { preview: { type: 'text', text: 'Edit it\n(no preview: gone)' } },
  });
  expect(lines()).toContain('entry tool_result a ok: Edit ran');
});

test('each tool result records why the call was allowed or denied, and the tool gets the decision', async () => {
  const told: Grant[] = [];
  const tools = ['Read', 'Edit', 'Bash', 'Write'].map((name) =>
    smallTool(name, {
      run: (_input, _context, grant) => {
        told.push(grant);
        return ok(name);
      },
    }),
  );
  const rule = { text: 'Bash(rm:*)', source: '.clawdcode.json' };
  const decisions: Record<string, PermissionDecision> = {
    Read: { behavior: 'allow', basis: 'read-only', reason: 'Only looks.' },
    Edit: { behavior: 'allow', basis: 'mode', reason: 'Mode acceptEdits.' },
    Bash: { behavior: 'deny', reason: 'Rule Bash(rm:*).', rule },
    Write: { behavior: 'ask', reason: 'It changes a file.' },
  };
  const { ask, context } = await answering([{ behavior: 'allow' }], {
    tools,
    decide: async (tool) => decisions[tool] ?? { behavior: 'deny', reason: 'unknown' },
    answers: [calls(['a', 'Read'], ['b', 'Edit'], ['c', 'Bash'], ['d', 'Write']), says('Done.')],
  });
  await ask('Go');
  const recorded = context.entries().flatMap(({ toolResult }) => toolResult?.permission ?? []);
  expect(recorded).toEqual([
    { basis: 'read-only' },
    { basis: 'mode', reason: 'Mode acceptEdits.' },
    { basis: 'rule', reason: 'Rule Bash(rm:*).', rule },
    { basis: 'user', reason: 'It changes a file.' },
  ]);
  expect(told.map(({ basis }) => basis)).toEqual(['read-only', 'mode', 'user']);
});

test("a decision made without asking is not recorded as the user's answer", async () => {
  const { ask, context } = await answering(
    [{ behavior: 'deny', unasked: true, comment: 'Nobody is here.' }, { behavior: 'deny' }],
    {
      tools: [smallTool('Write', { run: () => ok('Write') })],
      decide: async () => ({ behavior: 'ask', reason: 'It changes a file.' }),
      answers: [calls(['a', 'Write']), calls(['b', 'Write']), says('Done.')],
    },
  );
  await ask('Go');
  const recorded = context.entries().flatMap(({ toolResult }) => toolResult?.permission?.basis ?? []);
  expect(recorded).toEqual(['mode', 'user']);
});

test('a call that is certain to fail needs no approval; the model gets the error', async () => {
  const outcome = { status: 'error', text: 'Read it first.', kind: 'text', display: { title: 'a' } } as const;
  const tool = smallTool('Edit', {
    preview: async () => ({ type: 'settled', outcome }),
    run: () => {
      throw new Error('must not run');
    },
  });
  const { ask, lines } = await answering([], {
    tools: [tool],
    answers: [calls(['a', 'Edit']), says('I see.')],
  });
  await ask('Go');
  expect(aboutTools(lines())).toEqual([
    'entry tool_result a error: Read it first.',
    'turn_ended done after 2',
  ]);
});

/** Asks a user who declines; returns whether they were asked, and the outcome. */
async function confirm(mode: PermissionMode, question: Partial<RunningQuestion>) {
  let hasAsked = false;
  const isAllowed = await confirmWhileRunning(
    { title: 'Connect', preview: { type: 'text', text: '' }, reason: '', ...question },
    { callId: 'c1', tool: 'Bash', signal: new AbortController().signal },
    {
      questions: {
        ask: async () => {
          hasAsked = true;
          return { behavior: 'deny' };
        },
        answer: () => {},
        open: () => [],
      },
      mode: () => mode,
      remember: async () => '',
      notice: () => {},
      newId: () => 'q1',
      declinedHosts: new Set(),
    },
  );
  return { hasAsked, isAllowed };
}

test('bypassPermissions allows every host, except one for which managed settings require approval', async () => {
  expect(await confirm('bypassPermissions', { domain: 'a.example' })).toEqual({
    hasAsked: false,
    isAllowed: true,
  });
  expect(await confirm('bypassPermissions', { domain: 'a.example', verdict: () => 'always ask' })).toEqual({
    hasAsked: true,
    isAllowed: false,
  });
  expect(await confirm('bypassPermissions', {})).toEqual({ hasAsked: false, isAllowed: false });
  expect(await confirm('default', { domain: 'a.example' })).toEqual({ hasAsked: true, isAllowed: false });
});

/** The same with a hook that answers; also returns whether hooks were notified. */
async function confirmHooked(
  question: Partial<RunningQuestion>,
  behavior: 'allow' | 'deny' | undefined,
  { isManaged = false, hasRules = true } = {},
) {
  const seen: string[] = [];
  const isAllowed = await confirmWhileRunning(
    { title: 'Connect?', preview: { type: 'text', text: '' }, reason: '', ...question },
    { callId: 'c1', tool: 'Bash', signal: new AbortController().signal },
    {
      questions: {
        ask: async () => {
          seen.push('asked');
          return { behavior: 'deny' };
        },
        answer: () => {},
        open: () => [],
      },
      ...(hasRules && { suggestHost: () => ({ rules: [], destination: 'session', label: '' }) }),
      hooks: {
        confirm: async ({ input }) => {
          seen.push(JSON.stringify(input));
          return behavior && { behavior, isManaged };
        },
        notifyRunning: (type, message) => seen.push(`${type} ${message}`),
      },
      mode: () => 'default',
      remember: async () => '',
      notice: () => {},
      newId: () => 'q1',
      declinedHosts: new Set(),
    },
  );
  return { isAllowed, asked: seen.slice(1), input: seen[0] };
}

test('hooks can approve a host for a running command, as a rule could, but never a rerun outside the sandbox', async () => {
  const asked = ['permission_prompt ClawdCode needs your permission: Connect?', 'asked'];
  const host = { domain: 'a.example' };
  expect(await confirmHooked(host, 'allow')).toEqual({
    ...{ isAllowed: true, asked: [] },
    input: '{"question":"Connect?","domain":"a.example"}',
  });
  expect(await confirmHooked(host, 'deny')).toMatchObject({ isAllowed: false, asked: [] });
  expect(await confirmHooked(host, undefined)).toMatchObject({ isAllowed: false, asked });
  expect(await confirmHooked({}, 'allow')).toMatchObject({ isAllowed: false, asked });
  expect(await confirmHooked({}, 'deny')).toMatchObject({ isAllowed: false, asked: [] });
  // Managed settings require approval, or allow only their own rules.
  expect(await confirmHooked({ ...host, verdict: () => 'always ask' }, 'allow')).toMatchObject({
    isAllowed: false,
    asked,
  });
  expect(await confirmHooked(host, 'allow', { hasRules: false })).toMatchObject({ asked });
  expect(await confirmHooked(host, 'allow', { hasRules: false, isManaged: true })).toMatchObject({
    isAllowed: true,
  });
});

test('an approval closes when its command no longer waits for it', async () => {
  const events: string[] = [];
  const questions = createQuestions(
    'main',
    (event) => events.push(event.type),
    () => false,
  );
  const command = new AbortController();
  const call = new AbortController();
  const declinedHosts = new Set<string>();
  const answered = confirmWhileRunning(
    {
      title: 'Connect',
      preview: { type: 'text', text: '' },
      reason: '',
      domain: 'a.example',
      signal: command.signal,
    },
    { callId: 'c1', tool: 'Bash', signal: call.signal },
    {
      questions,
      mode: () => 'default',
      remember: async () => '',
      notice: () => {},
      newId: () => 'q1',
      declinedHosts,
    },
  );
  expect(questions.open()).toHaveLength(1);
  command.abort();
  expect(await answered).toBe(false);
  expect(questions.open()).toEqual([]);
  expect(events).toEqual(['permission_question', 'permission_answered']);
  expect(call.signal.aborted).toBe(false);
  // The user has not denied it.
  expect([...declinedHosts]).toEqual([]);
});

test('a saved rule also answers the same question of another running command', async () => {
  const answers: boolean[] = [];
  let saved = '';
  const command = (name: string, domain: string) =>
    smallTool(name, {
      async run(_, { confirm }) {
        const isAllowed = await confirm?.({
          ...{ title: `Connect to ${domain}`, preview: { type: 'text', text: '' }, reason: '', domain },
          verdict: () => (domain === saved ? 'allow' : 'ask'),
        });
        answers.push(isAllowed === true);
        return ok('tried');
      },
      readOnly: true,
    });
  const { agent } = await startAgent({
    decide: async () => ({ behavior: 'allow', reason: '' }),
    suggestHost: (domain) => ({ rules: [domain], destination: 'session', label: 'Always' }),
    remember: async ({ rules }) => {
      saved = rules[0] ?? '';
      return 'Allowed.';
    },
    tools: [command('A', 'a.example'), command('B', 'a.example'), command('C', 'c.example')],
    answers: [calls(['a', 'A'], ['b', 'B'], ['c', 'C']), says('Done.')],
  });
  agent.submit({ type: 'prompt', text: 'Go' });
  await expect.poll(() => agent.state().questions).toHaveLength(3);
  const [first] = agent.state().questions;
  agent.submit({ type: 'answer', id: first?.id ?? '', answer: { behavior: 'allow', remember: true } });
  await expect.poll(() => agent.state().questions).toMatchObject([{ callId: 'c' }]);
  await expect.poll(() => answers).toEqual([true, true]);
  agent.submit({ type: 'answer', id: agent.state().questions[0]?.id ?? '', answer: { behavior: 'deny' } });
  await agent.idle();
  expect(answers).toEqual([true, true, false]);
});

test('a denied host stays denied without asking until the next prompt', async () => {
  const allowed: boolean[] = [];
  const connect = smallTool('Connect', {
    async run({ domain }, { confirm }) {
      const question = { title: 'Connect', preview: { type: 'text', text: '' }, reason: '' } as const;
      allowed.push((await confirm?.({ ...question, domain: String(domain) })) === true);
      return ok('tried');
    },
  });
  const to = (id: string, domain: string) => [id, 'Connect', { domain }] as const;
  const answers: PermissionAnswer[] = [{ behavior: 'deny' }, { behavior: 'allow' }, { behavior: 'allow' }];
  const { ask } = await answering(answers, {
    decide: async () => ({ behavior: 'allow', reason: '' }),
    tools: [connect],
    answers: [
      calls(to('a', 'a.example'), to('b', 'a.example')),
      calls(to('c', 'a.example'), to('d', 'b.example')),
      says('Done.'),
      calls(to('e', 'a.example')),
      says('Done.'),
    ],
  });
  await ask('Go');
  expect(allowed).toEqual([false, false, false, true]);
  await ask('You may.');
  expect(allowed.slice(4)).toEqual([true]);
  expect(answers).toEqual([]);
});
