import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { ImagePart } from '../../src/protocol/files/images.ts';
import { entryLine } from './line.ts';
import { calls, delta, gate, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { startAgent } from './testAgent.ts';

const is = (type: AgentEvent['type']) => (event: AgentEvent) => event.type === type;

test('a prompt typed while tools run is delivered before the next request of the same turn', async () => {
  const { agent, ask, when, lines, model } = await startAgent({
    tools: [smallTool('Read')],
    answers: [calls(['a', 'Read']), says('Both answered.')],
  });
  when(is('tool_started'), () => agent.submit({ type: 'prompt', text: 'and this' }));
  await ask('Go');
  expect(lines().slice(-9)).toEqual([
    'entry tool_result a ok: Read ran',
    'queue []',
    'entry prompt: and this',
    'step 2',
    'measured for test-model',
    'text_delta Both answered.',
    'entry assistant: Both answered.',
    'entry turn_end: done',
    'turn_ended done after 2',
  ]);
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'and this' });
});

test('a prompt typed during the last reply continues the same turn', async () => {
  const { agent, ask, when, lines } = await startAgent({ answers: [says('One.'), says('Two.')] });
  when(is('text_delta'), () => agent.submit({ type: 'prompt', text: 'and this' }));
  await ask('Go');
  expect(lines().filter((line) => /^(step|turn)|entry (prompt|assistant)/.test(line))).toEqual([
    'turn_started',
    'entry prompt: Go',
    'step 1',
    'entry assistant: One.',
    'entry prompt: and this',
    'step 2',
    'entry assistant: Two.',
    'turn_ended done after 2',
  ]);
});

test('a queued prompt starts its own turn after a reply that was cut at the output limit', async () => {
  const { agent, ask, when, lines } = await startAgent({
    answers: [says('One', { finishReason: 'length' }), says('Two.')],
  });
  when(is('text_delta'), () => agent.submit({ type: 'prompt', text: 'go on' }));
  await ask('Go');
  expect(lines().filter((line) => line.startsWith('turn'))).toEqual([
    'turn_started',
    'turn_ended done after 1',
    'turn_started',
    'turn_ended done after 1',
  ]);
});

test('queued prompts can be withdrawn, newest first, until none is left', async () => {
  const { agent, ask, when, lines } = await startAgent({ answers: [says('One.'), says('Two.')] });
  const taken: unknown[] = [];
  when(is('text_delta'), () => {
    agent.submit({ type: 'prompt', text: 'first' });
    agent.submit({ type: 'prompt', text: 'second' });
    taken.push(agent.popQueued());
  });
  await ask('Go');
  taken.push(agent.popQueued());
  expect(taken).toEqual([{ type: 'prompt', text: 'second' }, undefined]);
  expect(lines().filter((line) => line.startsWith('queue'))).toEqual([
    'queue [Go]',
    'queue []',
    'queue [first]',
    'queue [first, second]',
    'queue [first]',
    'queue []',
  ]);
  expect(agent.entries().map(entryLine)).not.toContain('prompt: second');
});

test('a prompt that is withdrawn immediately starts nothing', async () => {
  const { agent, lines } = await startAgent();
  agent.submit({ type: 'prompt', text: 'Hi' });
  agent.popQueued();
  await agent.idle();
  expect(lines()).toEqual(['queue [Hi]', 'queue []']);
});

test('several queued prompts become one turn', async () => {
  const { run, model } = await startAgent({ answers: [says('Both.')] });
  await run({ type: 'prompt', text: 'One' }, { type: 'prompt', text: 'Two' });
  expect(model.requests[0]?.messages.slice(1).map((message) => message.content)).toEqual(['One', 'Two']);
});

test('the model gets a prompt in full with its images; the screen shows its short form', async () => {
  const { run, agent, model } = await startAgent({ answers: [says('A cat.')] });
  const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
  await run({ type: 'prompt', text: 'all of the paste', display: '[paste]', images: [image] });
  expect(model.requests[0]?.messages[1]?.content).toEqual([
    { type: 'text', text: 'all of the paste' },
    image,
  ]);
  expect(agent.entries()[1]?.data).toEqual({ display: '[paste]' });
});

const bash = smallTool('Bash', {
  run: (_, { onOutput }) => {
    onOutput('a.ts\n');
    return ok('a.ts');
  },
});

test('"!command" runs in the shell without approval; the model gets it with the next prompt', async () => {
  const { run, lines, model, agent } = await startAgent({
    tools: [bash],
    decide: () => Promise.reject(new Error('must not be asked')),
    answers: [says('One file.')],
  });
  await run({ type: 'shell', command: 'ls' });
  expect(agent.state().busy).toBe(false);
  expect(lines()).toEqual([
    'entry shell_start',
    'tool_started q1 Bash "Bash it"',
    'tool_output q1 a.ts\n',
    'tool_ended q1',
    'entry shell: The user ran a command in the shell:\n$ ls\n\na.ts',
  ]);
  await run({ type: 'prompt', text: 'How many?' });
  expect(model.requests[0]?.messages.slice(1)).toEqual([
    { role: 'user', content: 'The user ran a command in the shell:\n$ ls\n\na.ts' },
    { role: 'user', content: 'How many?' },
  ]);
});

test('"!command" waits for the running turn, and a prompt waits for "!command"', async () => {
  const { agent, ask, when, lines } = await startAgent({
    tools: [bash],
    answers: [says('One.'), says('Two.')],
  });
  when(is('turn_ended'), () => agent.submit({ type: 'prompt', text: 'after' }));
  when(is('text_delta'), () => agent.submit({ type: 'shell', command: 'pwd' }));
  await ask('Go');
  expect(lines().filter((line) => /^turn|entry (shell|prompt|assistant)/.test(line))).toEqual([
    'turn_started',
    'entry prompt: Go',
    'entry assistant: One.',
    'turn_ended done after 1',
    'entry shell_start',
    'entry shell: The user ran a command in the shell:\n$ pwd\n\na.ts',
    'turn_started',
    'entry prompt: after',
    'entry assistant: Two.',
    'turn_ended done after 1',
  ]);
});

test('an internal error in "!command" is reported, and the next prompt works', async () => {
  const broken = smallTool('Bash', { run: () => Promise.reject(new Error('no shell')) });
  const { run, ask, lines, bugs } = await startAgent({ tools: [broken], answers: [says('Hello.')] });
  await run({ type: 'shell', command: 'ls' });
  expect(lines()).toEqual([
    'entry shell_start',
    'tool_started q1 Bash "Bash it"',
    'tool_ended q1',
    'notice error: Internal error: no shell. The session is saved; continue, or /resume it.',
  ]);
  expect(bugs.splice(0)).toHaveLength(1);
  await ask('Hi');
  expect(lines().at(-1)).toBe('turn_ended done after 1');
});

test('without a Bash tool, "!command" reports that it cannot run', async () => {
  const { run, lines } = await startAgent();
  await run({ type: 'shell', command: 'ls' });
  expect(lines()).toEqual(['notice error: This session has no Bash tool to run the command.']);
});

const long = 'The answer is 42. '.repeat(500);

test('/compact waits for the running turn and reports its result', async () => {
  const { agent, ask, when, lines, model } = await startAgent({
    windowTokens: 8000,
    answers: [says(long), says('## Primary Request and Intent\n- the answer')],
  });
  when(is('text_delta'), () => agent.submit({ type: 'compact', focus: 'the number' }));
  await ask('Go');
  expect(
    lines().filter((line) => /^(turn|queue|compaction_(started|ended))|entry summary/.test(line)),
  ).toEqual([
    'queue [Go]',
    'turn_started',
    'queue []',
    'queue [/compact the number]',
    'turn_ended done after 1',
    'queue []',
    'compaction_started manual',
    'entry summary',
    'compaction_ended manual done',
  ]);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('the number');
  // The status line shows what the compaction left.
  expect(lines().at(-1)).toMatch(/^measured/);
  expect(agent.state().measure?.usedTokens).toBe((await agent.measure()).usedTokens);
});

test('commands entered while a turn runs wait in the queue, and an interrupt returns them unsent', async () => {
  const bash = smallTool('Bash');
  const { agent, ask, when, lines } = await startAgent({ tools: [bash], answers: [says('One.')] });
  when(is('text_delta'), () => {
    agent.submit({ type: 'shell', command: 'touch x' });
    agent.submit({ type: 'compact' });
    agent.submit({ type: 'prompt', text: 'and this' });
    expect(agent.state().queue.map(({ text }) => text)).toEqual(['!touch x', '/compact', 'and this']);
    agent.submit({ type: 'interrupt' });
  });
  await ask('Go');
  expect(lines()).toContain('returned [!touch x, /compact, and this]');
  expect(lines().filter((line) => /shell|tool_|compaction/.test(line))).toEqual([]);
});

test('an interrupted /compact changes nothing', async () => {
  const writing = gate();
  const { agent, ask, lines } = await startAgent({
    windowTokens: 8000,
    answers: [
      says(long),
      async function* (_request, signal) {
        yield delta('## Prim');
        writing.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    ],
  });
  await ask('Go');
  const before = agent.entries().length;
  agent.submit({ type: 'compact' });
  await writing.opened;
  agent.submit({ type: 'interrupt' });
  await agent.idle();
  expect(lines().at(-1)).toBe('compaction_ended manual cancelled');
  expect(agent.entries()).toHaveLength(before);
});

test('a prompt whose images are too large in total is returned and not sent', async () => {
  const { agent, run, model, lines, events } = await startAgent();
  const image: ImagePart = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(7 * 2 ** 20) };
  await run({ type: 'prompt', text: 'look', images: Array.from({ length: 10 }, () => image) });
  expect(model.requests).toEqual([]);
  expect(lines()).toContain('returned [look]');
  expect(agent.entries().some(({ subtype }) => subtype === 'prompt')).toBe(false);
  expect(events.at(-1)).toMatchObject({
    outcome: 'failed',
    error: { message: expect.stringContaining('at most 48 MB') },
  });
});
