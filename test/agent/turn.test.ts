import { expect, test } from 'vitest';
import { entryLine } from './line.ts';
import { calls, fails, gate, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { readLog, startAgent } from './testAgent.ts';

test('a plain answer is streamed, recorded and ends the turn', async () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 50 };
  const { agent, ask, lines, model, context } = await startAgent({ answers: [says('Hello.', { usage })] });
  await ask('Hi');
  expect(lines()).toEqual([
    'queue [Hi]',
    'turn_started',
    'queue []',
    'entry prompt: Hi',
    'step 1',
    'measured for test-model',
    'text_delta Hello.',
    'entry assistant: Hello.',
    'entry turn_end: done',
    'turn_ended done after 1',
  ]);
  expect(model.requests[0]).toEqual({
    model: 'test-model',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    tools: [],
    stableMessages: 1,
  });
  const log = await readLog(context.filePath() ?? '');
  expect(log.map(entryLine)).toEqual(['session_start', 'prompt: Hi', 'assistant: Hello.', 'turn_end: done']);
  expect(log).toEqual(agent.entries());
  expect(agent.state()).toMatchObject({
    title: 'Hi',
    busy: false,
    queue: [],
    usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 50, requests: 1, costUsd: 0.12 },
  });
});

test('tools run one after the other, each is shown with its result, and the model gets all results', async () => {
  const { ask, lines, model } = await startAgent({
    tools: [
      smallTool('Write'),
      smallTool('Bash', {
        run: (_, { onOutput }) => {
          onOutput('42');
          return ok('exit 0');
        },
      }),
    ],
    answers: [calls(['a', 'Write', { path: 'x' }], ['b', 'Bash', { command: 'ls' }]), says('Both done.')],
  });
  await ask('Go');
  expect(lines().slice(4)).toEqual([
    'step 1',
    'measured for test-model',
    'entry assistant',
    'entry tool_use a Write {"path":"x"}',
    'entry tool_use b Bash {"command":"ls"}',
    'tool_started a Write "Write it"',
    'tool_ended a',
    'entry tool_result a ok: Write ran',
    'tool_started b Bash "Bash it"',
    'tool_output b 42',
    'tool_ended b',
    'entry tool_result b ok: exit 0',
    'step 2',
    'measured for test-model',
    'text_delta Both done.',
    'entry assistant: Both done.',
    'entry turn_end: done',
    'turn_ended done after 2',
  ]);
  expect(model.requests[1]?.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 'Write', arguments: '{"path":"x"}' },
        { id: 'b', name: 'Bash', arguments: '{"command":"ls"}' },
      ],
    },
    { role: 'tool', toolCallId: 'a', name: 'Write', content: 'Write ran', isError: false },
    { role: 'tool', toolCallId: 'b', name: 'Bash', content: 'exit 0', isError: false },
  ]);
  expect(model.requests[1]?.tools.map((tool) => tool.name)).toEqual(['Write', 'Bash']);
});

test('adjacent read-only calls run in parallel; results keep the order of the calls', async () => {
  const second = gate();
  const read = smallTool('Read', {
    readOnly: true,
    // The first can finish only after the second: if they ran in sequence, this test would never end.
    run: async ({ file }) => {
      if (file === 1) await second.opened;
      else second.open();
      return ok(`file ${file}`);
    },
  });
  const { ask, lines } = await startAgent({
    tools: [read, smallTool('Edit')],
    answers: [
      calls(
        ['a', 'Read', { file: 1 }],
        ['b', 'Read', { file: 2 }],
        ['c', 'Edit'],
        ['d', 'Read', { file: 3 }],
      ),
      says('Done.'),
    ],
  });
  await ask('Go');
  expect(lines().filter((line) => line.includes('tool_'))).toEqual([
    'entry tool_use a Read {"file":1}',
    'entry tool_use b Read {"file":2}',
    'entry tool_use c Edit {}',
    'entry tool_use d Read {"file":3}',
    'tool_started a Read "Read it"',
    'tool_started b Read "Read it"',
    'tool_ended b',
    'tool_ended a',
    'entry tool_result a ok: file 1',
    'entry tool_result b ok: file 2',
    'tool_started c Edit "Edit it"',
    'tool_ended c',
    'entry tool_result c ok: Edit ran',
    'tool_started d Read "Read it"',
    'tool_ended d',
    'entry tool_result d ok: file 3',
  ]);
});

test('a call that cannot run becomes an error that the model can act on', async () => {
  const broken = smallTool('Broken', {
    run: () => {
      throw new TypeError('x is undefined');
    },
  });
  const { ask, lines } = await startAgent({
    tools: [smallTool('Read'), broken],
    answers: [
      calls(
        ['a', 'Reed'],
        ['b', 'Read', { bad: 1 }],
        ['c', 'Broken'],
        ['d', 'Read', {}, { rawArguments: '{"file', invalid: 'The arguments are not JSON.' }],
        ['e', 'Read'],
      ),
      says('I see.'),
    ],
  });
  await ask('Go');
  expect(lines().filter((line) => /tool_(result|started|ended)/.test(line))).toEqual([
    'entry tool_result a error: There is no tool named "Reed". Available tools: Read, Broken.',
    'entry tool_result b error: Read: "bad" is not a parameter.',
    'tool_started c Broken "Broken it"',
    'tool_ended c',
    'entry tool_result c error: Broken failed unexpectedly: x is undefined',
    'entry tool_result d error: The arguments are not JSON.',
    'tool_started e Read "Read it"',
    'tool_ended e',
    'entry tool_result e ok: Read ran',
  ]);
});

test('the turn ends at the step limit, with the results of the last step', async () => {
  const { ask, lines } = await startAgent({
    tools: [smallTool('Read')],
    maxSteps: 2,
    answers: [calls(['a', 'Read', { n: 1 }]), calls(['b', 'Read', { n: 2 }])],
  });
  await ask('Go');
  expect(lines().slice(-3)).toEqual([
    'entry tool_result b ok: Read ran',
    'entry turn_end: max_turns',
    'turn_ended max_turns after 2',
  ]);
});

test.each([
  ['length', 'cut', 'The reply was cut at the model’s output limit. Ask it to continue.'],
  ['content_filter', 'cut', 'The endpoint’s content filter stopped the reply.'],
  ['stop', ' ', 'The model returned an empty reply. Try again, or choose another model.'],
] as const)(
  'a notice explains a reply with finish reason %s and text "%s"',
  async (finishReason, text, notice) => {
    const { ask, lines } = await startAgent({ answers: [says(text, { finishReason })] });
    await ask('Go');
    expect(lines()).toContain(`notice warning: ${notice}`);
    expect(lines().at(-1)).toBe('turn_ended done after 1');
  },
);

test('a non-retryable failure ends the turn and keeps the prompt in the log', async () => {
  const { ask, lines, agent } = await startAgent({
    answers: [fails({ kind: 'auth', message: 'The key was refused.', retryable: false }), says('Hello.')],
  });
  await ask('Hi');
  expect(lines().slice(3)).toEqual([
    'entry prompt: Hi',
    'step 1',
    'measured for test-model',
    'entry turn_end: failed',
    'turn_ended failed after 1 (auth)',
  ]);
  await ask('Again');
  expect(agent.entries().map(entryLine).slice(-3)).toEqual([
    'prompt: Again',
    'assistant: Hello.',
    'turn_end: done',
  ]);
});

test('an internal error ends the turn, is reported, and the next prompt works', async () => {
  const { ask, lines, bugs, model } = await startAgent({ answers: [] });
  await ask('Hi');
  expect(lines().slice(-3)).toEqual([
    'notice error: Internal error: The script has no answer for this request. The session is saved; continue, or /resume it.',
    'entry turn_end: failed',
    'turn_ended failed after 0',
  ]);
  expect(bugs.splice(0)).toHaveLength(1);
  expect(model.unexpected.splice(0)).toHaveLength(1);
});

test('a subscriber that throws does not affect the turn or other subscribers', async () => {
  const { agent, ask, lines, bugs, events } = await startAgent({ answers: [says('Hello.')] });
  const stop = agent.subscribe(() => {
    throw new Error('bad subscriber');
  });
  const later: unknown[] = [];
  agent.subscribe((event) => later.push(event));
  await ask('Hi');
  expect(lines().at(-1)).toBe('turn_ended done after 1');
  expect(later).toEqual(events);
  expect(bugs.splice(0)).toHaveLength(events.length);
  stop();
});

test('`onUnderway` is called for each request once it has been sent', async () => {
  const heard: number[] = [];
  const { ask, model } = await startAgent({
    answers: [calls(['a', 'Bash', { command: 'ls' }]), says('Done.')],
    onUnderway: () => void heard.push(model.requests.length),
  });
  await ask('Go');
  expect(heard).toEqual([1, 2]);
});
