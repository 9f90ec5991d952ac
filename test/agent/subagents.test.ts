/** Subagents in real sessions, with scripted models for them and for the parent agent. */
import { expect, onTestFinished, test } from 'vitest';
import { promptText } from '../../src/agent/prompts/promptQueue.ts';
import { type ChildRequest, type SubagentPort, stricterMode } from '../../src/agent/subagents/types.ts';
import type { IdentifiedEvent } from '../../src/protocol/events.ts';
import type { AgentDefinition } from '../../src/protocol/extensions/subagents.ts';
import { permissionModes } from '../../src/protocol/permissions.ts';
import { scriptedHooks } from './hooks/scriptedHooks.ts';
import { type Answer, aborted, calls, delta, fails, gate, hangsAfter, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { type Given, startAgent, type TestAgent } from './testAgent.ts';

const definition = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name,
  description: `does ${name}`,
  prompt: 'Do it.',
  scope: 'builtin',
  disallowedTools: [],
  skills: [],
  ignored: [],
  ...more,
});

/** A test agent whose subagents are scripted as well: `children` has the answers for each description. */
async function family(
  given: Given & {
    readonly children: Readonly<Record<string, readonly Answer[]>>;
    readonly ofChildren?: Given;
    readonly definitions?: readonly AgentDefinition[];
    /** Called before each subagent is created. */
    readonly creating?: (request: ChildRequest) => Promise<void>;
  },
) {
  const {
    children,
    ofChildren,
    definitions = [definition('general-purpose')],
    creating,
    ...ofParent
  } = given;
  const opened: { request: ChildRequest; child: TestAgent }[] = [];
  let last = 0;
  let requested = 0;
  const subagents: SubagentPort = {
    definitions,
    modelProblem: (model) => (model === 'evil/logger' ? 'Not that model.' : undefined),
    newId: async () => `a${++last}`,
    async open(request) {
      requested += 1;
      await creating?.(request);
      const child = await startAgent({
        decide: async () => ({ behavior: 'allow', reason: 'the test allows everything' }),
        ...ofChildren,
        id: request.id,
        parent: request.parent,
        maxSteps: request.definition.maxTurns,
        answers: children[request.description] ?? [],
      });
      opened.push({ request, child });
      return { agent: child.agent, log: `agents/s/${request.id}.jsonl` };
    },
  };
  const parent = await startAgent({ ...ofParent, subagents });
  // The subagents' logs are checked after everything has ended.
  onTestFinished(() => parent.agent.close());
  return { parent, opened, requested: () => requested };
}

const start = (id: string, description: string, more: object = {}, name = 'Agent') =>
  [id, name, { description, prompt: `Please ${description}.`, ...more }] as const;

const results = ({ context }: TestAgent) =>
  context.entries().flatMap(({ toolResult }) => (toolResult === undefined ? [] : [toolResult]));

/** Text of the last request's last message. */
const told = ({ model }: TestAgent): string => promptText(model.requests.at(-1)?.messages.at(-1)?.content);

test('subagents of one reply run in parallel, and their results keep the order of the calls', async () => {
  const doors = { one: gate(), two: gate() };
  const meets = (mine: 'one' | 'two', other: 'one' | 'two'): Answer =>
    async function* () {
      doors[mine].open();
      await doors[other].opened;
      yield* says(`${mine} is done`);
    };
  const { parent, opened } = await family({
    answers: [calls(start('c1', 'one'), start('c2', 'two', {}, 'Task')), says('Both are done.')],
    children: { one: [meets('one', 'two')], two: [meets('two', 'one')] },
  });
  await parent.ask('Go');
  expect(results(parent).map(({ id, output }) => [id, String(output).split('\n')[0]])).toEqual([
    ['c1', 'one is done'],
    ['c2', 'two is done'],
  ]);
  expect(opened.map(({ request }) => [request.id, request.callId]).sort()).toEqual([
    ['a1', 'c1'],
    ['a2', 'c2'],
  ]);
  const first = opened.find(({ request }) => request.callId === 'c1');
  expect(first?.child.model.requests[0]?.messages.at(-1)?.content).toBe('Please one.');
});

test('at most eight subagents run in parallel; the others wait', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
  const door = gate();
  let running = 0;
  const startedWithEight: number[] = [];
  const answer: Answer = async function* () {
    running += 1;
    if (running === 8) {
      startedWithEight.push(requested());
      door.open();
    }
    await door.opened;
    yield* says('done');
  };
  const { parent, requested } = await family({
    answers: [calls(...names.map((name) => start(name, name))), says('All.')],
    children: Object.fromEntries(names.map((name) => [name, [answer]])),
  });
  await parent.ask('Go');
  expect(startedWithEight).toEqual([8]);
  expect(results(parent).map(({ status }) => status)).toEqual(names.map(() => 'ok'));
});

test('a subagent’s approval reaches the user with its name, and the answer reaches the subagent', async () => {
  const { parent } = await family({
    answers: [calls(start('c1', 'write it')), says('Fine.')],
    children: { 'write it': [calls(['w', 'Write']), says('I wrote it.')] },
    ofChildren: {
      tools: [smallTool('Write', { run: () => ok('written') })],
      decide: async () => ({ behavior: 'ask', reason: 'writing needs approval' }),
    },
  });
  parent.when(
    ({ type }) => type === 'permission_question',
    (event) => {
      if (event.type !== 'permission_question') return;
      const { id, from, agentId, tool } = event.question;
      expect({ from, agentId, tool }).toEqual({
        from: 'general-purpose: write it',
        agentId: 'main',
        tool: 'Write',
      });
      parent.agent.submit({ type: 'answer', id, answer: { behavior: 'allow' } });
    },
  );
  await parent.ask('Go');
  expect(String(results(parent)[0]?.output)).toMatch(/^I wrote it\./);
  expect(parent.lines()).toContain('subagent a1 step 1: waiting for your answer');
  expect(results(parent)[0]?.display?.steps).toEqual(['Write(written)']);
});

test('an interrupt stops the turn and every subagent it waits for, and reports their results so far', async () => {
  const hangs = hangsAfter(delta('Half of it: '));
  const { parent, opened } = await family({
    answers: [calls(start('c1', 'one'), start('c2', 'two'))],
    children: { one: [hangs], two: [hangs] },
  });
  let writing = 0;
  const stopWhenBoth = (event: IdentifiedEvent): void => {
    if (event.type === 'subagent_changed' && event.status.step === 1) writing += 1;
    if (writing === 2) setImmediate(() => parent.agent.submit({ type: 'interrupt' }));
  };
  parent.agent.subscribe(stopWhenBoth);
  await parent.ask('Go');
  expect(results(parent).map(({ status, display }) => [status, display?.summary?.split(' · ')[0]])).toEqual([
    ['partial', 'stopped'],
    ['partial', 'stopped'],
  ]);
  expect(opened.map(({ child }) => child.agent.state().busy)).toEqual([false, false]);
  expect(parent.context.entries().at(-1)?.message.content).toBe('interrupted');
});

test.each(['is created anyway', 'is not created'])(
  'an interrupt stops a subagent that is waiting to be created and leaves nothing running if it %s',
  async (how) => {
    const [asked, door] = [gate(), gate()];
    const { parent, opened } = await family({
      answers: [calls(start('c1', 'it'))],
      children: { it: [] },
      async creating({ signal }) {
        asked.open();
        await aborted(signal);
        await door.opened;
        if (how === 'is not created') throw new Error('Git was stopped.');
      },
    });
    const asking = parent.ask('Go');
    await asked.opened;
    parent.agent.submit({ type: 'interrupt' });
    await asking;
    expect(results(parent).map(({ status, display }) => [status, display?.summary])).toEqual([
      ['partial', expect.stringMatching(/^stopped · /)],
    ]);
    expect(opened).toEqual([]);
    let isClosed = false;
    const closing = parent.agent.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    // Closing waits until the subagent that is still being created has been removed.
    expect(isClosed).toBe(false);
    door.open();
    await closing;
    const [late] = opened;
    expect(late?.child.model.requests ?? []).toEqual([]);
    expect(late?.child.agent.state().busy ?? false).toBe(false);
    expect(opened).toHaveLength(how === 'is not created' ? 0 : 1);
  },
);

test.each([
  [
    'the step limit',
    [calls(['l', 'Look']), calls(['m', 'Look'])],
    { maxTurns: 2 },
    'partial',
    /limit of 2 steps/,
  ],
  [
    'a failing model',
    [fails({ retryable: false, message: 'No such model.' })],
    {},
    'error',
    /No such model\./,
  ],
] as const)('%s ends a subagent, and the result says so', async (_, answers, more, status, text) => {
  const { parent } = await family({
    answers: [calls(start('c1', 'it')), says('I see.')],
    children: { it: answers },
    ofChildren: { tools: [smallTool('Look', { readOnly: true })] },
    definitions: [definition('general-purpose', more)],
  });
  await parent.ask('Go');
  expect(results(parent)[0]?.status).toBe(status);
  expect(told(parent)).toMatch(text);
});

test('a background subagent returns immediately, and its final message arrives once, as a note', async () => {
  const door = gate();
  const { parent } = await family({
    answers: [
      calls(start('c1', 'slowly', { run_in_background: true })),
      says('It runs.'),
      says('I see that it ended.'),
      says('And on.'),
    ],
    children: {
      slowly: [
        async function* () {
          await door.opened;
          yield* says('Found it at last.');
        },
      ],
    },
  });
  await parent.ask('Go');
  expect(results(parent)[0]?.output).toMatch(/^The subagent a1 runs in the background/);
  expect(parent.agent.state().tasks).toMatchObject([
    { id: 'a1', kind: 'subagent', command: 'general-purpose: slowly' },
  ]);
  door.open();
  await parent.until(
    ({ type, ...rest }) => type === 'notice' && JSON.stringify(rest).includes('ended (done)'),
  );
  await parent.ask('And now?');
  const notes = () =>
    parent.model.requests
      .at(-1)
      ?.messages.filter(({ content }) => promptText(content).includes('Found it at last.'));
  expect(notes()).toHaveLength(1);
  await parent.ask('Go on');
  expect(notes()).toHaveLength(1);
  expect(parent.agent.state().tasks[0]?.end?.outcome).toBe('done');
});

test('a definition can put its subagent in the background, and a call can override that', async () => {
  const port = scriptedHooks({ PostToolUse: {} });
  const { parent } = await family({
    definitions: [definition('general-purpose', { isBackground: true })],
    hooks: { port, origin: 'startup' },
    answers: [
      calls(start('c1', 'look')),
      calls(start('c2', 'look', { run_in_background: false })),
      says('Ok.'),
    ],
    children: { look: [says('Found.')] },
  });
  await parent.ask('Go');
  expect(results(parent).map(({ output }) => String(output).split('\n')[0])).toEqual([
    expect.stringMatching(/^The subagent a1 runs in the background/),
    'Found.',
  ]);
  expect(port.calls.map(({ input }) => input.tool_response)).toMatchObject([
    { status: 'async_launched', agentId: 'a1', prompt: 'Please look.' },
    { status: 'completed', agentId: 'a2', content: [{ type: 'text', text: 'Found.' }] },
  ]);
});

test('the user can stop a background subagent', async () => {
  const asked = gate();
  const stays: Answer = async function* (_request, signal) {
    yield delta('Hm');
    asked.open();
    await aborted(signal);
  };
  const { parent } = await family({
    answers: [calls(start('c1', 'forever', { run_in_background: true })), says('It runs.')],
    children: {
      forever: [stays],
    },
  });
  await parent.ask('Go');
  await asked.opened;
  parent.agent.submit({ type: 'stop_task', id: 'a1' });
  await parent.until(
    ({ type, ...rest }) => type === 'notice' && JSON.stringify(rest).includes('ended (stopped)'),
  );
  expect(parent.agent.state().tasks[0]?.end).toMatchObject({ outcome: 'stopped', stoppedBy: 'user' });
});

test("the usage of subagents counts toward the session's totals, including after a resume", async () => {
  const usage = { inputTokens: 900, outputTokens: 100 };
  const { parent } = await family({
    answers: [calls(start('c1', 'it')), says('Done.', { usage })],
    children: { it: [says('Found.', { usage })] },
  });
  await parent.ask('Go');
  expect(parent.agent.state().usage).toMatchObject({ inputTokens: 1800, outputTokens: 200, costUsd: 2 });
});

test('a definition never loosens the permission mode of the parent agent', () => {
  const freer = new Map(
    permissionModes.map((mode) => [mode, permissionModes.filter((one) => stricterMode(mode, one) !== mode)]),
  );
  expect(Object.fromEntries(freer)).toEqual({
    plan: [],
    dontAsk: ['plan'],
    default: ['plan', 'dontAsk'],
    acceptEdits: ['default', 'plan', 'dontAsk'],
    auto: ['default', 'plan', 'dontAsk'],
    bypassPermissions: ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk'],
  });
  for (const mode of permissionModes) expect(stricterMode(mode, undefined)).toBe(mode);
});

test('a subagent follows the mode of the session while it runs', async () => {
  const modes: string[] = [];
  const { parent } = await family({
    answers: [calls(start('c1', 'it')), says('Done.')],
    children: { it: [calls(['one', 'Write']), calls(['two', 'Write']), says('Written.')] },
    ofChildren: {
      tools: [smallTool('Write', { run: () => ok('written') })],
      decide: async (_tool, _access, mode) => {
        modes.push(mode);
        if (modes.length === 1) parent.agent.submit({ type: 'set_mode', mode: 'plan' });
        return { behavior: 'allow', reason: 'yes' };
      },
    },
  });
  await parent.ask('Go');
  expect(modes).toEqual(['default', 'plan']);
});

test('an unknown agent is an error that lists the known ones', async () => {
  const { parent } = await family({
    answers: [calls(start('c1', 'it', { subagent_type: 'wizard' })), says('Well.')],
    children: {},
    definitions: [definition('general-purpose'), definition('explore')],
  });
  await parent.ask('Go');
  expect(told(parent)).toBe('There is no agent "wizard". Available: general-purpose, explore.');
});

test('the description of the Agent tool is limited, regardless of the number of agents', async () => {
  const many = Array.from({ length: 100 }, (_, index) =>
    definition(`agent-${index}`, { description: 'x'.repeat(1024) }),
  );
  const { parent } = await family({ answers: [says('Hello.')], children: {}, definitions: many });
  await parent.ask('Hello');
  const tool = parent.model.requests[0]?.tools?.find(({ name }) => name === 'Agent');
  expect(tool?.description).toContain('agent-99');
  expect(tool?.description.length).toBeLessThan(8000);
});

test('a call with a model that is not allowed starts no subagent', async () => {
  const { parent, opened } = await family({
    answers: [
      calls(start('c1', 'leak', { model: 'evil/logger' }), start('c2', 'work', { model: 'small' })),
      says('One.'),
    ],
    children: { leak: [says('leaked')], work: [says('done')] },
  });
  await parent.ask('Go');
  expect(results(parent).map(({ status, output }) => [status, String(output).split('\n')[0]])).toEqual([
    ['error', 'Not that model.'],
    ['ok', 'done'],
  ]);
  expect(opened.map(({ request }) => request.model)).toEqual(['small']);
});
