import { expect, test, vi } from 'vitest';
import type { AgentEvent } from '../../src/protocol/events.ts';
import { entryLine } from './line.ts';
import { aborted, calls, delta, fails, hangsAfter, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { readLog, startAgent } from './testAgent.ts';

const is = (type: AgentEvent['type']) => (event: AgentEvent) => event.type === type;

test('a model chosen during a turn answers the next request', async () => {
  const { agent, ask, when, lines, model } = await startAgent({
    tools: [smallTool('Read')],
    answers: [calls(['a', 'Read']), says('Hello.')],
  });
  when(is('tool_started'), () => agent.submit({ type: 'set_model', model: 'other' }));
  await ask('Go');
  expect(model.requests.map((request) => request.model)).toEqual(['test-model', 'other']);
  expect(lines()).toContain('entry model: Model: other');
  expect(lines()).toContain('model other');
  expect(agent.state().model.id).toBe('other');
});

test('a reply is attributed to the model that wrote it, even if the user has switched models since', async () => {
  const { agent, ask, when } = await startAgent({
    answers: [fails({}, [delta('Half')]), says('Whole.', { usage: { inputTokens: 10, outputTokens: 1 } })],
  });
  when(is('text_delta'), () => agent.submit({ type: 'set_model', model: 'other' }));
  await ask('Go');
  const reply = agent.entries().find((entry) => entry.type === 'assistant');
  expect(reply?.message.model).toBe('test-model');
});

test('a snapshot shows running calls, queued prompts and usage, and never changes afterwards', async () => {
  const { agent, until } = await startAgent({
    tools: [smallTool('Read')],
    decide: async () => ({ behavior: 'ask', reason: 'why not' }),
    answers: [calls(['a', 'Read']), says('Hello.', { usage: { inputTokens: 10, outputTokens: 5 } })],
  });
  const before = agent.state();
  agent.submit({ type: 'prompt', text: 'First line\nsecond' });
  await until(is('permission_question'));
  agent.submit({ type: 'prompt', text: 'queued' });
  const during = agent.state();
  agent.submit({ type: 'answer', id: 'q1', answer: { behavior: 'allow' } });
  await agent.idle();
  expect(before).toMatchObject({
    busy: false,
    queue: [],
    questions: [],
    title: undefined,
    measure: undefined,
  });
  expect(during).toMatchObject({
    busy: true,
    title: 'First line',
    mode: 'default',
    demo: false,
    queue: [{ text: 'queued' }],
    questions: [{ id: 'q1' }],
    measure: { model: 'test-model', windowTokens: 200_000 },
    usage: { inputTokens: 0, requests: 0 },
  });
  expect(agent.state()).toMatchObject({
    busy: false,
    queue: [],
    questions: [],
    usage: { inputTokens: 10, outputTokens: 5, requests: 1, costUsd: 0.015 },
  });
});

test('closing during a turn leaves a valid log, ends the tools and drops the queue', async () => {
  let disposed = 0;
  const slow = smallTool('Bash', {
    run: async (_, { signal }) => {
      await aborted(signal);
      return ok('stopped');
    },
  });
  const { agent, until, context, lines } = await startAgent({
    tools: [slow],
    disposeTools: () => {
      disposed++;
    },
    answers: [calls(['a', 'Bash'], ['b', 'Bash'])],
  });
  const file = context.filePath() ?? '';
  agent.submit({ type: 'prompt', text: 'Go' });
  await until(is('tool_started'));
  agent.submit({ type: 'compact' });
  agent.submit({ type: 'shell', command: 'rm -rf build' });
  await agent.close();
  agent.submit({ type: 'shell', command: 'ls' });
  agent.submit({ type: 'compact' });
  await agent.idle();
  expect(disposed).toBe(1);
  expect((await readLog(file)).map(entryLine)).toEqual([
    'session_start',
    'prompt: Go',
    'assistant',
    'tool_use a Bash {}',
    'tool_use b Bash {}',
    'tool_result a ok: stopped',
    'tool_result b interrupted: The user stopped the turn before this call ran.',
    'turn_end: interrupted',
  ]);
  expect(lines().some((line) => line.startsWith('compaction'))).toBe(false);
});

test('closing during a stream keeps the partial reply in the log, and the session can be resumed', async () => {
  const first = await startAgent({ answers: [hangsAfter(delta('Half'))] });
  first.agent.submit({ type: 'prompt', text: 'Hi' });
  await first.until(is('text_delta'));
  const { sessionId } = first.agent.state();
  await first.agent.close();
  const again = await startAgent({
    resume: { folder: first.folder, sessionId },
    answers: [says('The rest.', { usage: { inputTokens: 7, outputTokens: 3 } })],
  });
  expect(again.agent.entries().map(entryLine).slice(1)).toEqual([
    'prompt: Hi',
    'assistant interrupted: Half',
    'turn_end: interrupted',
  ]);
  await again.ask('Go on');
  expect(again.model.requests[0]?.messages.map((message) => message.content)).toEqual([
    'Be brief.',
    'Hi',
    'Half',
    'Go on',
  ]);
});

test('a resumed session restores its totals, title and working directory', async () => {
  const cd = smallTool('Bash', {
    run: (_, { setCwd, root }) => {
      setCwd(`${root}/sub`);
      return ok('moved');
    },
  });
  const where: string[] = [];
  const pwd = smallTool('Pwd', {
    run: (_, { cwd }) => {
      where.push(cwd());
      return ok('here');
    },
  });
  const first = await startAgent({
    tools: [cd, pwd],
    answers: [
      calls(['a', 'Bash'], ['b', 'Pwd']),
      says('Moved.', { usage: { inputTokens: 10, outputTokens: 5 } }),
    ],
  });
  await first.ask('Go');
  const { sessionId, usage } = first.agent.state();
  await first.agent.close();
  const again = await startAgent({
    tools: [pwd],
    resume: { folder: first.folder, sessionId },
    answers: [calls(['c', 'Pwd']), says('Same.')],
  });
  expect(again.agent.state()).toMatchObject({ sessionId, usage, title: 'Go' });
  await again.ask('Where?');
  expect(where).toEqual([`${first.root}/sub`, `${first.root}/sub`]);
});

test('the cost is unknown as soon as one reply has no known price', async () => {
  const usage = { inputTokens: 10, outputTokens: 5 };
  const { agent, ask } = await startAgent({
    answers: [says('One.', { usage }), says('Two.', { usage, model: 'free-of-known-price' })],
  });
  await ask('One');
  expect(agent.state().usage.costUsd).toBe(0.015);
  await ask('Two');
  expect(agent.state().usage).toEqual({
    inputTokens: 20,
    outputTokens: 10,
    cachedTokens: 0,
    requests: 2,
    estimated: 0,
    costUsd: undefined,
    knownUsd: 0.015,
    unpriced: 1,
  });
});

test('a context measurement can be requested at any time and is sent to all subscribers', async () => {
  const { agent, lines } = await startAgent({ tools: [smallTool('Read')] });
  const measure = await agent.measure();
  expect(measure.usedTokens).toBe(measure.parts.reduce((sum, part) => sum + part.tokens, 0));
  expect(lines()).toEqual(['measured for test-model']);
  expect(agent.state().measure).toEqual(measure);
});

test('a listener gets no more events after unsubscribing', async () => {
  const { agent, ask } = await startAgent({ answers: [says('Hello.')] });
  const heard: AgentEvent[] = [];
  agent.subscribe((event) => heard.push(event))();
  await ask('Hi');
  expect(heard).toEqual([]);
});

test.each([
  [true, 1],
  [false, 0],
])('the sandbox is checked only for the status line (interactive: %s)', async (interactive, times) => {
  const state = vi.fn(async () => ({ type: 'on', mode: 'workspace-write' }) as const);
  await startAgent({ interactive, sandbox: { state } });
  if (times > 0) await expect.poll(() => state.mock.calls.length).toBe(times);
  else await new Promise((resolve) => setTimeout(resolve, 250));
  expect(state).toHaveBeenCalledTimes(times);
});
