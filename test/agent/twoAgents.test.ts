/** Two agents in one process, like a session and its subagent: one listener gets the events of both. */
import { expect, test } from 'vitest';
import { readOnlyAgent } from '../../src/agent/readOnlyAgent.ts';
import type { IdentifiedEvent } from '../../src/protocol/events.ts';
import { emptyView, reduce, type View } from '../../src/ui/controller/view.ts';
import { line } from './line.ts';
import { calls, delta, gate, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { type Given, startAgent, type TestAgent } from './testAgent.ts';

/** One list of events for both, in order of arrival. */
async function twoAgents(given: (id: string) => Given) {
  const [left, right] = await Promise.all(['left', 'right'].map((id) => startAgent({ id, ...given(id) })));
  if (left === undefined || right === undefined) throw new Error('two were started');
  const heard: IdentifiedEvent[] = [];
  for (const { agent } of [left, right]) agent.subscribe((event) => heard.push(event));
  return { left, right, heard };
}

const of = (agentId: string, heard: readonly IdentifiedEvent[]): string[] =>
  heard.filter((event) => event.agentId === agentId).map(line);

test('events of two concurrent agents are distinguished by agent, even if calls have the same ids', async () => {
  const doors = { left: gate(), right: gate() };
  const { left, right, heard } = await twoAgents((id) => ({
    tools: [
      smallTool('Look', {
        readOnly: true,
        run: async (_, { onOutput }) => {
          onOutput(`${id} looks`);
          doors[id === 'left' ? 'left' : 'right'].open();
          await doors[id === 'left' ? 'right' : 'left'].opened;
          return ok(`${id} saw it`);
        },
      }),
    ],
    answers: [calls(['call_1', 'Look']), says(`I am ${id}`)],
  }));
  await Promise.all([left.ask('Go'), right.ask('Go')]);
  for (const [id, one] of Object.entries({ left, right })) {
    expect(of(id, heard)).toEqual(one.lines());
    expect(of(id, heard)).toContain(`tool_output call_1 ${id} looks`);
    expect(of(id, heard)).toContain(`text_delta I am ${id}`);
  }
  // Both worked at the same time: their events are interleaved.
  const firstOfRight = heard.findIndex(({ agentId }) => agentId === 'right');
  const lastOfLeft = heard.findLastIndex(({ agentId }) => agentId === 'left');
  expect(firstOfRight).toBeLessThan(lastOfLeft);
});

test('one screen shows both agents, each with its own streaming text, tools and approvals', async () => {
  const doors = [gate(), gate()];
  const { left, right, heard } = await twoAgents((id) => ({
    answers: [
      async function* () {
        yield delta(`${id} writes`);
        doors[id === 'left' ? 0 : 1]?.open();
        await doors[id === 'left' ? 1 : 0]?.opened;
        yield* says(' and ends').slice(1);
      },
    ],
  }));
  let both: ReadonlyMap<string, View> = new Map();
  const seen: string[][] = [];
  const show = (event: IdentifiedEvent): void => {
    const view = reduce(both.get(event.agentId) ?? emptyView, event, 0).view;
    both = new Map([...both, [event.agentId, view]]);
    seen.push([...both].map(([id, { tail }]) => `${id}: ${tail}`));
  };
  for (const { agent } of [left, right]) agent.subscribe(show);
  await Promise.all([left.ask('Go'), right.ask('Go')]);
  expect(seen.map((lines) => lines.toSorted())).toContainEqual(['left: left writes', 'right: right writes']);
  expect([...both.values()].map(({ busy }) => busy)).toEqual([false, false]);
  expect(heard.length).toBeGreaterThan(0);
});

test('an approval names its agent, and the answer reaches only that agent', async () => {
  const { left, right, heard } = await twoAgents((id) => ({
    // Question ids may repeat between agents, as here.
    newId: () => 'question',
    tools: [smallTool('Write', { run: () => ok(`${id} wrote`) })],
    decide: async () => ({ behavior: 'ask', reason: 'writing needs approval' }),
    answers: [calls(['call_1', 'Write']), says('Done.')],
  }));
  const agents: Record<string, TestAgent> = { left, right };
  const working = [left.ask('Go'), right.ask('Go')];
  const asked = await Promise.all(
    [left, right].map(({ until }) => until(({ type }) => type === 'permission_question')),
  );
  for (const event of asked) {
    if (event.type !== 'permission_question') throw new Error('a question was waited for');
    const { id, agentId } = event.question;
    const behavior = agentId === 'left' ? 'allow' : 'deny';
    agents[agentId]?.agent.submit({ type: 'answer', id, answer: { behavior } });
  }
  await Promise.all(working);
  expect(of('left', heard)).toContain('entry tool_result call_1 ok: left wrote');
  expect(of('right', heard)).toContain(
    'entry tool_result call_1 denied: The user declined this call. It did not run.',
  );
  expect(left.agent.state().questions).toEqual([]);
});

test('an agent that only shows a session uses that session’s id', async () => {
  const { agent } = await startAgent({ id: 'shown' });
  const reading = readOnlyAgent(agent, () => undefined);
  const heard: IdentifiedEvent[] = [];
  reading.subscribe((event) => heard.push(event));
  reading.submit({ type: 'prompt', text: 'Hello' });
  expect(reading.id).toBe('shown');
  expect(heard.map(({ agentId, type }) => [agentId, type])).toEqual([
    ['shown', 'notice'],
    ['shown', 'queue_returned'],
  ]);
});
