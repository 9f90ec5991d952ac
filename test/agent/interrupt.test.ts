import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { Reply } from '../../src/protocol/models/model.ts';
import { entryLine } from './line.ts';
import { aborted, calls, delta, fails, gate, hangsAfter, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { startAgent } from './testAgent.ts';

const stop = { type: 'interrupt' } as const;
const is = (type: AgentEvent['type']) => (event: AgentEvent) => event.type === type;

test('if a stream is interrupted, the partial reply is recorded and sent with the next request', async () => {
  const { agent, ask, when, lines, model } = await startAgent({
    answers: [hangsAfter(delta('The answer '), delta('is ')), says('Going on.')],
  });
  when(
    (event) => event.type === 'text_delta' && event.text === 'is ',
    () => agent.submit(stop),
  );
  await ask('Hi');
  expect(lines().slice(4)).toEqual([
    'step 1',
    'measured for test-model',
    'text_delta The answer ',
    'text_delta is ',
    'entry assistant interrupted: The answer is ',
    'entry turn_end: interrupted',
    'turn_ended interrupted after 1',
  ]);
  await ask('Go on');
  expect(model.requests[1]?.messages.slice(1)).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'The answer is ', toolCalls: [] },
    { role: 'user', content: 'Go on' },
  ]);
});

test('text that the client streams after an interrupt is ignored', async () => {
  const late: Reply = {
    message: { role: 'assistant', content: 'The whole answer', toolCalls: [] },
    finishReason: 'stop',
  };
  const { agent, ask, when, lines } = await startAgent({
    answers: [
      async function* () {
        yield delta('The ');
        yield delta('whole ');
        yield { type: 'done', reply: late };
      },
    ],
  });
  when(is('text_delta'), () => agent.submit(stop));
  await ask('Hi');
  expect(lines()).toContain('entry assistant interrupted: The ');
  expect(lines()).not.toContain('text_delta whole ');
});

test('an interrupt while the model is writing a call neither runs nor records the call', async () => {
  const { agent, ask, when, lines } = await startAgent({
    tools: [smallTool('Edit')],
    answers: [hangsAfter({ type: 'tool_call_delta', index: 0, name: 'Edit', argumentsLength: 12 })],
  });
  when(is('tool_call_delta'), () => agent.submit(stop));
  await ask('Hi');
  expect(lines().slice(6)).toEqual([
    'tool_call_delta 0 Edit 12',
    'entry turn_end: interrupted',
    'turn_ended interrupted after 1',
  ]);
});

test('an interrupt during a permission decision ends the turn without waiting for it', async () => {
  const deciding = gate();
  const { agent, ask, lines } = await startAgent({
    tools: [smallTool('Bash'), smallTool('Edit')],
    decide: async () => {
      agent.submit(stop);
      await deciding.opened;
      return { behavior: 'allow', reason: 'too late' };
    },
    answers: [calls(['a', 'Bash'], ['b', 'Edit'])],
  });
  await ask('Hi');
  const refusal = 'interrupted: The user stopped the turn before this call ran.';
  expect(lines().slice(-4)).toEqual([
    `entry tool_result a ${refusal}`,
    `entry tool_result b ${refusal}`,
    'entry turn_end: interrupted',
    'turn_ended interrupted after 1',
  ]);
  deciding.open();
});

test('an interrupt stops a running tool at once, and later calls do not run', async () => {
  const slow = smallTool('Bash', {
    run: async (_, { signal }) => {
      await aborted(signal);
      return { ...ok('stopped half-way'), status: 'error' };
    },
  });
  const { agent, ask, when, lines } = await startAgent({
    tools: [slow, smallTool('Edit')],
    answers: [calls(['a', 'Bash'], ['b', 'Edit'])],
  });
  when(is('tool_started'), () => setTimeout(() => agent.submit(stop), 20));
  // Without the interrupt, the tool would never end.
  await ask('Go');
  expect(lines().slice(-6)).toEqual([
    'tool_started a Bash "Bash it"',
    'tool_ended a',
    'entry tool_result a error: stopped half-way',
    'entry tool_result b interrupted: The user stopped the turn before this call ran.',
    'entry turn_end: interrupted',
    'turn_ended interrupted after 1',
  ]);
});

test('an interrupt closes a pending approval, and the call does not run', async () => {
  const { agent, ask, when, lines } = await startAgent({
    tools: [smallTool('Edit')],
    decide: async () => ({ behavior: 'ask', reason: 'it writes' }),
    answers: [calls(['a', 'Edit'])],
  });
  when(is('permission_question'), () => setTimeout(() => agent.submit(stop)));
  await ask('Go');
  expect(lines().slice(-5)).toEqual([
    'question q1 for Edit: it writes',
    'answered q1 {"behavior":"deny","interrupt":true}',
    'entry tool_result a interrupted: The user stopped the turn before this call ran.',
    'entry turn_end: interrupted',
    'turn_ended interrupted after 1',
  ]);
  expect(agent.state().questions).toEqual([]);
});

test('an interrupt during a retry countdown ends the turn without another request', async () => {
  const { agent, ask, when, lines, clock } = await startAgent({ answers: [fails({}, [delta('Half')])] });
  clock.held = true;
  when(is('retrying'), () => setTimeout(() => agent.submit(stop)));
  await ask('Hi');
  expect(lines().slice(6)).toEqual([
    'text_delta Half',
    'reply_discarded',
    'retrying 1/10 in 375 (server)',
    'entry turn_end: interrupted',
    'turn_ended interrupted after 1',
  ]);
});

test('an interrupt during automatic compaction changes nothing and keeps the prompt', async () => {
  const long = 'The quick brown fox jumps over the lazy dog. '.repeat(400);
  const { agent, ask, when, lines, events } = await startAgent({
    windowTokens: 8000,
    settings: { strategy: 'summary', threadSummary: 'off' },
    answers: [says(long), hangsAfter(delta('## Primary'))],
  });
  await ask('Hi');
  let stops = 0;
  // The first interrupt stops the summary, so removal is used instead; the second ends the turn.
  when(is('compaction_progress'), () => agent.submit(stop));
  when(is('compaction_ended'), () => {
    if (stops++ === 0) agent.submit(stop);
  });
  await ask(long);
  const ended = events.find(is('compaction_ended'));
  expect(ended).toMatchObject({ report: { trigger: 'auto', outcome: 'cancelled' } });
  expect(lines().slice(-3)).toEqual([
    expect.stringMatching(/^measured|^compaction_ended/),
    'entry turn_end: interrupted',
    'turn_ended interrupted after 1',
  ]);
  expect(agent.entries().map((entry) => entry.subtype ?? entry.type)).toEqual([
    'session_start',
    'prompt',
    'assistant',
    'turn_end',
    'prompt',
    'turn_end',
  ]);
});

test('an interrupt returns queued prompts unsent', async () => {
  const { agent, ask, when, lines } = await startAgent({ answers: [hangsAfter(delta('Hm'))] });
  when(is('text_delta'), () => {
    agent.submit({ type: 'prompt', text: 'and this' });
    agent.submit({ type: 'prompt', text: 'and that' });
    agent.submit(stop);
  });
  await ask('Hi');
  expect(lines().slice(7)).toEqual([
    'queue [and this]',
    'queue [and this, and that]',
    'entry assistant interrupted: Hm',
    'entry turn_end: interrupted',
    'queue []',
    'returned [and this, and that]',
    'turn_ended interrupted after 1',
  ]);
  expect(agent.entries().map(entryLine)).not.toContain('prompt: and this');
});

test('a prompt that is interrupted immediately returns unsent', async () => {
  const { run, lines, agent } = await startAgent();
  await run({ type: 'prompt', text: 'Hi' }, stop);
  expect(lines()).toEqual([
    'queue [Hi]',
    'turn_started',
    'entry turn_end: interrupted',
    'queue []',
    'returned [Hi]',
    'turn_ended interrupted after 0',
  ]);
  expect(agent.state().busy).toBe(false);
});

test('a prompt queued behind an interrupted command returns unsent', async () => {
  const running = gate();
  const bash = smallTool('Bash', {
    run: async (_, { signal }) => {
      running.open();
      await aborted(signal);
      return ok('stopped');
    },
  });
  const { agent, lines } = await startAgent({ tools: [bash] });
  agent.submit({ type: 'shell', command: 'sleep 9' });
  await running.opened;
  agent.submit({ type: 'prompt', text: 'Hi' });
  agent.submit(stop);
  await agent.idle();
  expect(lines().slice(-2)).toEqual(['queue []', 'returned [Hi]']);
});

test('an interrupt while nothing runs does nothing, and the next turn is complete', async () => {
  const { run, ask, lines } = await startAgent({ answers: [says('Hello.')] });
  await run(stop, stop);
  await ask('Hi');
  expect(lines().at(-1)).toBe('turn_ended done after 1');
});

test('an interrupt right after the last reply keeps the reply and returns queued prompts', async () => {
  const { agent, ask, when, lines } = await startAgent({ answers: [says('Hello.')] });
  when(
    (event) => event.type === 'entry' && event.entry.type === 'assistant',
    () => {
      agent.submit({ type: 'prompt', text: 'and this' });
      agent.submit(stop);
    },
  );
  await ask('Hi');
  expect(lines().slice(-6)).toEqual([
    'entry assistant: Hello.',
    'queue [and this]',
    'entry turn_end: done',
    'turn_ended done after 1',
    'queue []',
    'returned [and this]',
  ]);
});

test('no approval opens after an interrupt, even if the permission decision arrives later', async () => {
  const looking = gate();
  const { agent, lines } = await startAgent({
    tools: [smallTool('Edit')],
    decide: async () => {
      agent.submit(stop);
      await looking.opened;
      return { behavior: 'ask', reason: 'it writes' };
    },
    answers: [calls(['a', 'Edit'])],
  });
  agent.submit({ type: 'prompt', text: 'Go' });
  setTimeout(looking.open, 10);
  await agent.idle();
  expect(lines().some((line) => line.startsWith('question'))).toBe(false);
  expect(lines().at(-1)).toBe('turn_ended interrupted after 1');
});
