/** The input of hooks, compared with Claude Code's published types. */
import { expect, test } from 'vitest';
import type { AgentDeps } from '../../../src/agent/agentDeps.ts';
import { type HookEvent, hookEvents } from '../../../src/protocol/extensions/hooks.ts';
import type { TaskInfo, TaskPort } from '../../../src/protocol/tasks.ts';
import type { Tool } from '../../../src/protocol/tools.ts';
import { claudeTypes, differences } from '../../claudeTypes.ts';
import { calls, says } from '../scriptedModel.ts';
import { ok, smallTool } from '../smallTools.ts';
import { type Given, startAgent, type TestAgent } from '../testAgent.ts';
import { type ScriptedHooks, scriptedHooks } from './scriptedHooks.ts';

const uuid = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
const tools = [
  smallTool('Edit', {
    run: ({ to }, context) => {
      if (typeof to === 'string') context.setCwd(to);
      return ok('Edit ran');
    },
  }),
  smallTool('Bash', { run: () => ({ ...ok('no'), status: 'error' }) }),
  { ...smallTool('mcp__notes__add'), server: { name: 'notes', source: 'project' } } satisfies Tool,
];
const everyEvent = () => scriptedHooks(Object.fromEntries(hookEvents.map((event) => [event, {}])));
const running: TaskInfo = { id: 'b1', command: 'npm run dev', startedAtMs: 0, lastLine: '' };

function tasksOf(...list: readonly TaskInfo[]): TaskPort {
  return {
    ...{ list: () => list, output: () => undefined, stop: () => undefined, takeUnreported: () => [] },
    ...{ subscribe: () => () => undefined, watch: () => () => undefined },
  };
}

/** Every call needs approval, suggests a rule to save, and is allowed. */
async function asking(port: ScriptedHooks, given: Given): Promise<TestAgent> {
  const decide: AgentDeps['decide'] = async () => ({
    ...{ behavior: 'ask', reason: 'the mode' },
    suggestion: { rules: ['Bash(npm run *)', 'mcp__notes'], destination: 'local', label: 'Always' },
  });
  const on = await startAgent({ hooks: { port, origin: 'startup' }, decide, tools, ...given });
  on.agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    on.agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'allow' } });
  });
  return on;
}

const inputsOf = (port: ScriptedHooks, event: HookEvent) =>
  port.calls.filter((call) => call.event === event).map(({ input }) => input);

test('hooks get exactly the fields of the published types', async () => {
  const port = everyEvent();
  const summary = '<summary>All is well, and everything was said.</summary>';
  const long = 'word '.repeat(4000);
  const on = await asking(port, {
    info: { effort: 'high' },
    settings: { minRetainRounds: 1 },
    tasks: tasksOf(running),
    answers: [
      calls(['1', 'Edit', { file: 'a', to: '/elsewhere' }], ['2', 'Bash', {}], ['3', 'mcp__notes__add', {}]),
      says(long),
      says(long),
      says(summary),
      [{ type: 'failed', error: { kind: 'auth', message: 'No key.', retryable: false } }],
    ],
  });
  await on.ask('One');
  await on.ask('Two');
  await on.run({ type: 'compact', focus: 'tests' });
  await on.ask('Three');
  port.change({ path: '/elsewhere/.envrc', event: 'change' });
  await on.agent.close();

  const agent = { id: 'a1', type: 'explorer', sessionId: 'parent' };
  const child = await startAgent({ hooks: { port, origin: 'startup', agent }, answers: [says('Found.')] });
  await child.ask('Look');

  const judged = await startAgent({
    ...{ hooks: { port, origin: 'startup' as const }, mode: 'auto', tools },
    decide: async () => ({ behavior: 'ask', reason: 'It edits.', causes: [{ type: 'edit', path: '/p/a' }] }),
    answers: [calls(['1', 'Edit']), says('{"decision":"deny","reason":"Nobody asked."}'), says('I see.')],
  });
  judged.clock.held = true;
  await judged.ask('Go');

  const { hookBase, hooks } = claudeTypes;
  const found = hookEvents.map((event) => ({
    event,
    differences: [
      ...new Set(
        inputsOf(port, event).flatMap((input) => differences(input, { ...hookBase, ...hooks[event] })),
      ),
    ],
  }));
  expect(found).toEqual(hookEvents.map((event) => ({ event, differences: [] })));
  expect(hookEvents.filter((event) => inputsOf(port, event).length === 0)).toEqual([]);
});

test('hooks of a turn share the id of its prompt', async () => {
  const port = everyEvent();
  const on = await asking(port, { answers: [calls(['1', 'Edit', {}]), says('One.'), says('Two.')] });
  await on.ask('One');
  await on.ask('Two');
  const [start] = inputsOf(port, 'SessionStart');
  expect(start).not.toHaveProperty('prompt_id');
  const [first, second] = inputsOf(port, 'UserPromptSubmit').map(({ prompt_id: id }) => id);
  expect([first, second]).toEqual([uuid, uuid]);
  expect(first).not.toBe(second);
  expect(inputsOf(port, 'PreToolUse')).toMatchObject([{ prompt_id: first }]);
  expect(inputsOf(port, 'Stop')).toMatchObject([{ prompt_id: first }, { prompt_id: second }]);
});

test('hooks of a turn get the effort if the request sets one', async () => {
  const port = everyEvent();
  const on = await asking(port, { info: { effort: 'low' }, answers: [says('One.')] });
  await on.ask('One');
  expect(inputsOf(port, 'SessionStart')[0]).not.toHaveProperty('effort');
  expect(inputsOf(port, 'Stop')).toMatchObject([{ effort: { level: 'low' } }]);
  expect(port.calls.findLast(({ event }) => event === 'Stop')?.effort).toBe('low');
  const plain = await asking(port, { answers: [says('One.')] });
  await plain.ask('One');
  expect(inputsOf(port, 'Stop')[1]).not.toHaveProperty('effort');
});

test('PermissionRequest hooks get the rule that "always" would save, and the tool\'s MCP server', async () => {
  const port = everyEvent();
  const on = await asking(port, { answers: [calls(['1', 'mcp__notes__add', {}]), says('Done.')] });
  await on.ask('Go');
  expect(inputsOf(port, 'PermissionRequest')).toMatchObject([
    {
      mcp_server: { name: 'notes', source: 'project' },
      permission_suggestions: [
        {
          ...{ type: 'addRules', behavior: 'allow', destination: 'localSettings' },
          rules: [{ toolName: 'Bash', ruleContent: 'npm run *' }, { toolName: 'mcp__notes' }],
        },
      ],
    },
  ]);
});

test('Stop hooks get the background tasks that are still running', async () => {
  const port = everyEvent();
  const ended = { ...running, id: 'b2', end: { endedAtMs: 1, code: 0 } };
  const helper = { ...running, id: 'a1', kind: 'subagent' as const, command: 'explore: find: the parser' };
  const long = { ...running, id: 'b3', command: 'x'.repeat(1500) };
  const on = await asking(port, { tasks: tasksOf(running, ended, helper, long), answers: [says('Done.')] });
  await on.ask('Go');
  expect(inputsOf(port, 'Stop')).toMatchObject([
    {
      background_tasks: [
        { id: 'b1', type: 'shell', status: 'running', description: 'npm run dev', command: 'npm run dev' },
        {
          id: 'a1',
          type: 'subagent',
          status: 'running',
          description: 'find: the parser',
          agent_type: 'explore',
        },
        { id: 'b3', command: `${'x'.repeat(1000)}… [+500 chars]` },
      ],
    },
  ]);
});

test('a deny rule triggers no PermissionDenied hook, and a non-interactive session no Notification hook', async () => {
  const port = everyEvent();
  const deny: AgentDeps['decide'] = async () => ({ behavior: 'deny', reason: 'a rule' });
  const ruled = await asking(port, { decide: deny, answers: [calls(['1', 'Edit', {}]), says('Fine.')] });
  await ruled.ask('Go');
  expect(inputsOf(port, 'PermissionDenied')).toEqual([]);
  const shown = await asking(port, { answers: [calls(['1', 'Edit', {}]), says('Fine.')] });
  await shown.ask('Go');
  expect(inputsOf(port, 'Notification')).toHaveLength(1);
  const headless = await asking(port, {
    interactive: false,
    answers: [calls(['1', 'Edit', {}]), says('Fine.')],
  });
  await headless.ask('Go');
  expect(inputsOf(port, 'Notification')).toHaveLength(1);
});
