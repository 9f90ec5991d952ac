import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/protocol/events.ts';
import { builtinTools } from '../../src/tools/builtinTools.ts';
import { calls, says } from './scriptedModel.ts';
import { type Given, startAgent, type TestAgent } from './testAgent.ts';

/** A test agent with the real shell. */
async function startShellAgent(given: Given): Promise<TestAgent> {
  const { tools, tasks, dispose, runningCalls } = builtinTools({
    env: process.env,
    home: '/nowhere',
    shell: '/bin/bash',
  });
  return startAgent({ tools, tasks, runningCalls, disposeTools: dispose, ...given });
}

const WAITS = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; exit 4';
const hasBegun = (event: AgentEvent): boolean => event.type === 'tool_output' && event.text.includes('begun');
const isNotice = (event: AgentEvent): boolean => event.type === 'notice';
const contents = ({ model }: TestAgent, request: number): unknown[] =>
  (model.requests[request]?.messages ?? []).map(({ content }) => content);

test('Ctrl+B moves a command to the background and continues the turn; its end is shown immediately and reported to the model once', async () => {
  const stageOf = await startShellAgent({
    answers: [calls(['a', 'Bash', { command: WAITS }]), says('It runs.'), says('I see.'), says('And on.')],
  });
  const { agent, root, until, ask, events } = stageOf;
  agent.submit({ type: 'prompt', text: 'Start it' });
  await until(hasBegun);
  expect(agent.state()).toMatchObject({ busy: true, canBackground: true, tasks: [] });
  agent.submit({ type: 'background' });
  await agent.idle();
  expect(agent.state()).toMatchObject({
    canBackground: false,
    tasks: [{ id: 'b1', command: WAITS, lastLine: 'begun' }],
  });
  expect(String(contents(stageOf, 1).at(-1))).toMatch(/^begun\n\(Moved to the background by the user after/);

  await writeFile(join(root, 'go'), '');
  await until(isNotice);
  const text = expect.stringMatching(/^Background task b1 ended with exit code 4 after \d s: echo begun;/);
  expect(events.filter(isNotice)).toEqual([{ agentId: 'main', type: 'notice', level: 'info', text }]);
  expect(agent.state().tasks).toMatchObject([{ end: { code: 4 } }]);

  await ask('And now?');
  await ask('Go on');
  const told = contents(stageOf, 3).filter((content) => String(content).includes('Background task b1 ended'));
  expect(told).toHaveLength(1);
  expect(contents(stageOf, 2).slice(-2)).toEqual([told[0], 'And now?']);
  expect(events.filter(({ type }) => type === 'tasks_changed')).toHaveLength(2);
});

test('a task that ends while the model is working is reported with the next request', {
  tags: 'long',
}, async () => {
  const stageOf = await startShellAgent({
    answers: [
      calls(['a', 'Bash', { command: WAITS, run_in_background: true }]),
      calls(['b', 'Bash', { command: 'touch go; sleep 0.4' }]),
      says('Seen.'),
    ],
  });
  await stageOf.ask('Go');
  expect(String(contents(stageOf, 2).at(-1))).toContain('Background task b1 ended with exit code 4');
});

test('a !command can move to the background, and its entry records it', async () => {
  const { agent, until } = await startShellAgent({});
  agent.submit({ type: 'shell', command: WAITS });
  await until(hasBegun);
  agent.submit({ type: 'background' });
  await agent.idle();
  const entry = agent.entries().find(({ subtype }) => subtype === 'shell');
  expect(String(entry?.message.content)).toContain('it continues as task b1');
  expect(agent.taskOutput('b1')?.text).toBe('begun\n');
  agent.submit({ type: 'stop_task', id: 'b1' });
  await until((event) => event.type === 'notice');
  expect(agent.state().tasks).toMatchObject([{ end: { stoppedBy: 'user' } }]);
});

test('moving or stopping a task that does not exist reports so', async () => {
  const { run, lines } = await startShellAgent({});
  await run({ type: 'background' }, { type: 'stop_task', id: 'b9' });
  expect(lines()).toEqual([
    'notice info: No running command to move to the background.',
    'notice warning: There is no background task b9.',
  ]);
});

test("a task's watcher is notified of output", async () => {
  const { agent, until, root } = await startShellAgent({});
  agent.submit({ type: 'shell', command: 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo more' });
  await until(hasBegun);
  agent.submit({ type: 'background' });
  await agent.idle();
  const heard = new Promise<void>((resolve) => agent.watchTask('b1', resolve));
  await writeFile(join(root, 'go'), '');
  await heard;
  expect(agent.taskOutput('b1')?.text).toContain('more');
  await until((event) => event.type === 'notice');
});

test('the end of a task is recorded once, even if the program ends at the same time', {
  tags: 'long',
}, async () => {
  const stageOf = await startShellAgent({
    answers: [
      calls(['a', 'Bash', { command: WAITS, run_in_background: true }]),
      calls(['b', 'Bash', { command: 'sleep 600', run_in_background: true }]),
      says('Both run.'),
    ],
  });
  const { agent, events, root, until, ask } = stageOf;
  await ask('Go');
  await writeFile(join(root, 'go'), '');
  const isRecord = (event: AgentEvent): boolean => event.type === 'entry' && event.entry.subtype === 'task';
  await until(isRecord);
  await agent.close();
  const ends = events.flatMap((event) =>
    event.type === 'entry' && event.entry.subtype === 'task' ? [event.entry] : [],
  );
  expect(ends.map(({ data, message }) => [data?.id, data?.command, message.content])).toEqual([
    ['b1', WAITS, expect.stringMatching(/^Background task b1 ended with exit code 4 after/)],
    ['b2', 'sleep 600', expect.stringMatching(/^Background task b2 ended with exit code 143 after/)],
  ]);
});
