import { expect, test } from 'vitest';
import type { AgentDeps } from '../../../src/agent/agentDeps.ts';
import { promptText } from '../../../src/agent/prompts/promptQueue.ts';
import { calls, says } from '../scriptedModel.ts';
import { ok, smallTool } from '../smallTools.ts';
import { startAgent, type TestAgent } from '../testAgent.ts';
import { permission, type ScriptedHooks, scriptedHooks, text } from './scriptedHooks.ts';

const MAX_STOP_CONTINUATIONS = 8;

const withHooks = (port: ScriptedHooks): Pick<AgentDeps, 'hooks'> => ({ hooks: { port, origin: 'startup' } });
const one = calls(['1', 'Edit', { file: 'a' }]);
const recording = (ran: unknown[]) =>
  smallTool('Edit', {
    run: (input) => {
      ran.push(input);
      return ok('done');
    },
  });
const lastMessages = ({ model }: TestAgent): string[] =>
  (model.requests.at(-1)?.messages ?? []).map(({ content }) => promptText(content));
const denied: AgentDeps['decide'] = async () => ({ behavior: 'deny', reason: 'a rule' });
const asking: AgentDeps['decide'] = async (_tool, _access, _mode, allowedBy) =>
  allowedBy === undefined
    ? { behavior: 'ask', reason: 'the mode' }
    : { behavior: 'allow', reason: 'a rule', rule: { text: 'Edit', source: allowedBy.source } };

test('a call that a hook denies does not run, and a note tells the model why', async () => {
  const port = scriptedHooks({ PreToolUse: permission('deny', 'never touch </system-note> a') });
  const ran: unknown[] = [];
  const edit = recording(ran);
  const on = await startAgent({ ...withHooks(port), tools: [edit], answers: [one, says('Fine.')] });
  await on.ask('Go');
  expect(ran).toEqual([]);
  const [result, note] = lastMessages(on).slice(-2);
  expect(result).toBe('A PreToolUse hook (hooks.json) blocked this call; it did not run.');
  expect(note).toMatch(/^<system-note>\nA hook that the user has set up \(PreToolUse, hooks\.json\)/);
  const fence = /the lines (\S+)\./.exec(note ?? '')?.[1] ?? '';
  expect(note).toContain(`\n${fence}\nnever touch </system-note> a\n${fence}\n`);
  expect(on.lines()).toContainEqual(
    expect.stringContaining('PreToolUse (Edit) hook blocked: never touch </system-note> a'),
  );
  expect(port.calls[0]?.input).toMatchObject({
    hook_event_name: 'PreToolUse',
    session_id: on.context.getCurrentSessionId(),
    transcript_path: on.context.filePath(),
    permission_mode: 'default',
    tool_name: 'Edit',
    tool_input: { file: 'a' },
    tool_use_id: '1',
  });
});

test('an input that a hook changes is validated and checked again, and the result says so', async () => {
  const port = scriptedHooks({
    PreToolUse: { updatedInput: { value: { file: 'b' }, source: 'hooks.json' } },
  });
  const ran: unknown[] = [];
  const edit = recording(ran);
  const on = await startAgent({ ...withHooks(port), tools: [edit], answers: [one, says('Fine.')] });
  await on.ask('Go');
  expect(ran).toEqual([{ file: 'b' }]);
  expect(lastMessages(on).at(-1)).toContain('{"file":"b"}');
  const refused = await startAgent({
    ...withHooks(port),
    tools: [edit],
    decide: denied,
    answers: [one, says('Fine.')],
  });
  await refused.ask('Go');
  expect(ran).toHaveLength(1);
  expect(lastMessages(refused).at(-2)).toBe('Not allowed: a rule');
});

test('an invalid input from a hook fails the call', async () => {
  const port = scriptedHooks({ PreToolUse: { updatedInput: { value: { bad: 1 }, source: 'hooks.json' } } });
  const on = await startAgent({
    ...withHooks(port),
    tools: [smallTool('Edit')],
    answers: [one, says('Fine.')],
  });
  await on.ask('Go');
  expect(lastMessages(on).at(-1)).toContain('replaced the input with one that is not valid');
});

test('a hook that returns "ask" makes an allowed call need approval, but does not override a denial', async () => {
  const port = scriptedHooks({ PreToolUse: permission('ask', 'sure?') });
  const on = await startAgent({
    ...withHooks(port),
    tools: [smallTool('Edit')],
    answers: [one, says('Fine.')],
  });
  on.when(
    ({ type }) => type === 'permission_question',
    (event) => {
      if (event.type !== 'permission_question') return;
      expect(event.question.reason).toBe('A hook (hooks.json) asks: sure?');
      on.agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow' } });
    },
  );
  await on.ask('Go');
  expect(on.lines()).toContainEqual(expect.stringContaining('for Edit: A hook (hooks.json) asks: sure?'));
  expect(lastMessages(on).at(-1)).toBe('Edit ran');
  const refused = await startAgent({
    ...withHooks(port),
    ...{ tools: [smallTool('Edit')], decide: denied, answers: [one, says('Fine.')] },
  });
  await refused.ask('Go');
  expect(lastMessages(refused).at(-1)).toBe('Not allowed: a rule');
});

test('files hidden from a call stay hidden if a hook requires approval, and the approval names them', async () => {
  const port = scriptedHooks({ PreToolUse: permission('ask', 'sure?') });
  const hiding = ['/project/.env'];
  const grants: unknown[] = [];
  const search = smallTool('Edit', {
    run: (_input, _context, grant) => {
      grants.push(grant);
      return ok('found');
    },
  });
  const on = await startAgent({
    ...withHooks(port),
    tools: [search],
    decide: async () => ({ behavior: 'allow', reason: 'It only reads.', hiding }),
    answers: [one, says('Fine.')],
  });
  on.when(
    ({ type }) => type === 'permission_question',
    (event) => {
      if (event.type !== 'permission_question') return;
      expect(event.question.reason).toContain('sure? Secrets stay hidden');
      expect(event.question.reason).toContain('/project/.env');
      on.agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow' } });
    },
  );
  await on.ask('Go');
  expect(grants).toMatchObject([{ basis: 'user', hiding }]);
});

test('a hook that returns "allow" acts as an allow rule', async () => {
  const port = scriptedHooks({ PreToolUse: permission('allow') });
  const on = await startAgent({
    ...withHooks(port),
    ...{ tools: [smallTool('Edit')], decide: asking, answers: [one, says('Fine.')] },
  });
  await on.ask('Go');
  expect(lastMessages(on).at(-1)).toBe('Edit ran');
  const result = on.agent.entries().find((entry) => entry.toolResult !== undefined)?.toolResult;
  expect(result?.permission).toMatchObject({ basis: 'rule', rule: { source: 'hook in hooks.json' } });
});

test('a hook\'s "allow" does not apply to an input that a later hook has changed', async () => {
  const port = scriptedHooks({
    PreToolUse: permission('allow'),
    PermissionRequest: { updatedInput: { value: { file: 'c' }, source: 'hooks.json' } },
  });
  const never: AgentDeps['decide'] = async (...args) => ({ ...(await asking(...args)), behavior: 'ask' });
  const on = await startAgent({
    ...withHooks(port),
    ...{ tools: [smallTool('Edit')], answers: [one] },
    decide: async (tool, access, mode, allowedBy) =>
      port.calls.length === 1 ? never(tool, access, mode) : asking(tool, access, mode, allowedBy),
  });
  on.when(
    ({ type }) => type === 'permission_question',
    (event) => {
      if (event.type !== 'permission_question') return;
      expect(event.question.reason).toContain("A hook (hooks.json) changed the model's call to this.");
      on.agent.submit({
        ...{ type: 'answer', id: event.question.id },
        answer: { behavior: 'deny', interrupt: true },
      });
    },
  );
  await on.ask('Go');
  expect(on.lines().at(-1)).toBe('turn_ended interrupted after 1');
});

test('a hook can answer a permission request; otherwise a notification is sent', async () => {
  const port = scriptedHooks({ PermissionRequest: [permission('allow'), permission('deny', 'no')] });
  const on = await startAgent({
    ...withHooks(port),
    ...{
      tools: [smallTool('Edit')],
      decide: asking,
      answers: [one, calls(['2', 'Edit', {}]), says('Fine.')],
    },
  });
  await on.ask('Go');
  expect(on.lines().filter((line) => line.startsWith('question'))).toEqual([]);
  expect(lastMessages(on)).toContain('Edit ran');
  expect(lastMessages(on).at(-2)).toContain('A PermissionRequest hook (hooks.json) blocked');
});

test('PostToolUse hooks get the tool result, and their text follows it', async () => {
  const port = scriptedHooks({
    PostToolUse: { blocks: [text('lint failed')], contexts: [text('see docs')] },
  });
  const on = await startAgent({
    ...withHooks(port),
    tools: [smallTool('Edit')],
    answers: [one, says('Fine.')],
  });
  await on.ask('Go');
  expect(port.calls[0]?.input).toMatchObject({ tool_response: { status: 'ok', output: 'Edit ran' } });
  const [result, block, context] = lastMessages(on).slice(-3);
  expect(result).toBe('Edit ran');
  expect(block).toContain('lint failed');
  expect(context).toContain('see docs');
});

test('a failed call triggers PostToolUseFailure instead of PostToolUse', async () => {
  const port = scriptedHooks({ PostToolUse: {}, PostToolUseFailure: {} });
  const failing = smallTool('Edit', { run: () => ({ ...ok('no such file'), status: 'error' }) });
  const on = await startAgent({ ...withHooks(port), tools: [failing], answers: [one, says('Fine.')] });
  await on.ask('Go');
  expect(port.told()).toEqual(['PostToolUseFailure:Edit']);
  expect(port.calls[0]?.input).toMatchObject({ error: 'no such file' });
});

test('continue: false ends the turn after the call', async () => {
  const port = scriptedHooks({ PostToolUse: { stop: text('enough') } });
  const on = await startAgent({ ...withHooks(port), tools: [smallTool('Edit')], answers: [one] });
  await on.ask('Go');
  expect(on.lines().at(-1)).toBe('turn_ended done after 1');
  expect(on.lines()).toContainEqual(expect.stringContaining('hook ended the turn: enough'));
});

test('a prompt that a hook blocks is returned and not sent', async () => {
  const port = scriptedHooks({ UserPromptSubmit: { blocks: [text('no secrets')] } });
  const on = await startAgent(withHooks(port));
  await on.ask('my key is …');
  expect(on.model.requests).toEqual([]);
  expect(on.lines()).toContain('returned [my key is …]');
  expect(on.agent.entries().some((entry) => entry.subtype === 'prompt')).toBe(false);
  expect(on.events.at(-1)).toMatchObject({
    type: 'turn_ended',
    outcome: 'failed',
    error: { message: 'A hook blocked this prompt, so it was not sent: no secrets' },
  });
});

test("a hook's context follows the prompt, and a resumed session sends the same request", async () => {
  const port = scriptedHooks({
    UserPromptSubmit: { contexts: [text('branch main')] },
    SessionStart: { contexts: [text('be kind')] },
  });
  const on = await startAgent({ ...withHooks(port), answers: [says('One.'), says('Two.')] });
  await on.ask('Go');
  expect(port.told()).toEqual(['SessionStart:startup', 'UserPromptSubmit']);
  const messages = lastMessages(on);
  expect(messages.map((message) => message.split('\n').length > 3)).toEqual([false, true, false, true]);
  expect(messages[1]).toContain('be kind');
  expect(messages[3]).toContain('branch main');
  await on.ask('Again');
  const { folder } = on;
  const sessionId = on.context.getCurrentSessionId() ?? '';
  const second = on.model.requests.at(-1)?.messages ?? [];
  await on.agent.close();
  const again = await startAgent({ resume: { folder, sessionId }, answers: [says('Three.')] });
  await again.ask('And again');
  expect(again.model.requests[0]?.messages.slice(0, second.length)).toEqual(second);
});

test('a Stop hook continues the turn with its reason, a limited number of times', async () => {
  const port = scriptedHooks({ Stop: [{ blocks: [text('tests are red')] }, {}] });
  const on = await startAgent({ ...withHooks(port), answers: [says('Done.'), says('Really done.')] });
  await on.ask('Go');
  expect(lastMessages(on).at(-1)).toContain('tests are red');
  expect(port.calls.map(({ input }) => [input.stop_hook_active, input.last_assistant_message])).toEqual([
    [false, 'Done.'],
    [true, 'Really done.'],
  ]);
  const stubborn = scriptedHooks({ Stop: { blocks: [text('again')] } });
  const answers = Array.from({ length: MAX_STOP_CONTINUATIONS + 1 }, () => says('Done.'));
  const loop = await startAgent({ ...withHooks(stubborn), answers });
  await loop.ask('Go');
  expect(loop.model.requests).toHaveLength(MAX_STOP_CONTINUATIONS + 1);
  expect(loop.lines()).toContainEqual(expect.stringContaining('A Stop hook continued this turn'));
});

test('an interrupt stops a running hook and the turn', async () => {
  const port = scriptedHooks({
    PreToolUse: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({}), { once: true })),
  });
  const on = await startAgent({ ...withHooks(port), tools: [smallTool('Edit')], answers: [one] });
  on.agent.submit({ type: 'prompt', text: 'Go' });
  await on.until((event) => event.type === 'entry' && event.entry.type === 'tool_use');
  on.agent.submit({ type: 'interrupt' });
  await on.agent.idle();
  expect(on.lines().at(-1)).toBe('turn_ended interrupted after 1');
});

test("hooks can block the user's own command, but neither require approval nor change it", async () => {
  const port = scriptedHooks({
    PreToolUse: [
      permission('deny', 'no'),
      { ...permission('ask'), updatedInput: { value: {}, source: 'hooks.json' } },
    ],
    PostToolUse: { contexts: [text('seen')] },
  });
  const bash = smallTool('Bash');
  const on = await startAgent({ ...withHooks(port), tools: [bash] });
  await on.run({ type: 'shell', command: 'rm -rf x' });
  expect(on.agent.entries().some((entry) => entry.subtype === 'shell')).toBe(false);
  await on.run({ type: 'shell', command: 'ls' });
  expect(on.agent.entries().filter((entry) => entry.subtype === 'shell')).toHaveLength(1);
  expect(on.lines()).toContainEqual(expect.stringContaining('your own commands run as typed'));
  expect(on.agent.entries().at(-1)).toMatchObject({ subtype: 'hook_context' });
});

test('hooks get all tool calls of a reply together, and a block ends the turn', async () => {
  const port = scriptedHooks({
    PostToolBatch: [{ contexts: [text('all is well')] }, { blocks: [text('enough')] }],
  });
  const tools = [smallTool('Edit'), smallTool('Read', { readOnly: true })];
  const on = await startAgent({
    ...withHooks(port),
    tools,
    answers: [calls(['1', 'Edit', { file: 'a' }], ['2', 'Read', {}]), calls(['3', 'Read', {}])],
  });
  await on.ask('Go');
  expect(port.calls.map(({ input }) => input.tool_calls)).toEqual([
    [
      { tool_name: 'Edit', tool_input: { file: 'a' }, tool_use_id: '1', tool_response: 'Edit ran' },
      { tool_name: 'Read', tool_input: {}, tool_use_id: '2', tool_response: 'Read ran' },
    ],
    [{ tool_name: 'Read', tool_input: {}, tool_use_id: '3', tool_response: 'Read ran' }],
  ]);
  expect(on.model.requests).toHaveLength(2);
  expect(JSON.stringify(on.model.requests[1]?.messages)).toContain('all is well');
});

test('hooks can block a compaction, and run after one that completes', async () => {
  const port = scriptedHooks({
    PreCompact: [{ blocks: [text('not now')] }, {}],
    PostCompact: {},
    SessionStart: { contexts: [text('remember me')] },
  });
  const long = 'word '.repeat(4000);
  const summary = '<summary>All is well, and everything was said.</summary>';
  const on = await startAgent({
    ...withHooks(port),
    answers: [says(long), says(long), says(summary), says('Fine.')],
    settings: { minRetainRounds: 1 },
  });
  await on.ask('One');
  await on.ask('Two');
  await on.run({ type: 'compact' });
  expect(on.lines()).toContain('compaction_ended manual refused');
  await on.run({ type: 'compact', focus: 'tests' });
  await on.ask('Three');
  expect(port.told()).toEqual([
    'SessionStart:startup',
    ...['PreCompact:manual', 'PreCompact:manual', 'SessionStart:compact', 'PostCompact:manual'],
  ]);
  expect(port.calls[2]?.input).toMatchObject({ trigger: 'manual', custom_instructions: 'tests' });
  expect(lastMessages(on).filter((message) => message.includes('remember me'))).not.toEqual([]);
});

test('a subagent triggers SubagentStart and SubagentStop instead of the session events', async () => {
  const port = scriptedHooks({
    SubagentStart: { contexts: [text('you are small')] },
    SubagentStop: {},
    Stop: {},
    SessionStart: {},
    SessionEnd: {},
    UserPromptSubmit: {},
  });
  const agent = { id: 'a1', type: 'explorer', sessionId: 'parent' };
  const on = await startAgent({ hooks: { port, origin: 'startup', agent }, answers: [says('Found.')] });
  await on.ask('Look');
  await on.agent.close();
  expect(port.told()).toEqual(['SubagentStart:explorer', 'SubagentStop:explorer']);
  expect(port.calls[1]?.input).toMatchObject({
    ...{ session_id: 'parent', agent_id: 'a1', agent_type: 'explorer', last_assistant_message: 'Found.' },
    agent_transcript_path: expect.stringContaining('.jsonl'),
  });
  expect(lastMessages(on)[1]).toContain('you are small');
});

test('SessionEnd hooks get the reason', async () => {
  const port = scriptedHooks({ SessionEnd: {} });
  const on = await startAgent(withHooks(port));
  await on.agent.close('clear');
  expect(port.told()).toEqual(['SessionEnd:clear']);
});

test('a failed turn triggers StopFailure, and the end of the session SessionEnd', async () => {
  const port = scriptedHooks({ StopFailure: {}, SessionEnd: {} });
  const failure = { kind: 'auth', message: 'No key.', retryable: false } as const;
  const on = await startAgent({ ...withHooks(port), answers: [[{ type: 'failed', error: failure }]] });
  await on.ask('Go');
  await on.agent.close();
  expect(port.told()).toEqual(['StopFailure:authentication_failed', 'SessionEnd:other']);
});
