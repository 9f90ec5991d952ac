import { expect, test } from 'vitest';
import { createEventLoopBreak, createSummarizer } from '../../src/agent/reply.ts';
import { MAX_ATTEMPTS } from '../../src/model/retry.ts';
import type { ModelRequest } from '../../src/protocol/models/model.ts';
import type { ReasoningOptions } from '../../src/protocol/models/wires.ts';
import { type Answer, delta, fails, hangsAfter, ScriptedModel, says } from './scriptedModel.ts';
import { startAgent, VirtualClock } from './testAgent.ts';

const MAX_ELAPSED_MS = 5 * 60_000;

test('an incomplete reply is discarded and retried after a countdown', async () => {
  const { ask, lines, clock, model, agent } = await startAgent({
    answers: [fails({}, [delta('Half an ans')]), fails({ retryAfterMs: 7000 }), says('A whole answer.')],
  });
  await ask('Hi');
  expect(lines().slice(4)).toEqual([
    'step 1',
    'measured for test-model',
    'text_delta Half an ans',
    'reply_discarded',
    'retrying 1/10 in 375 (server)',
    'retrying 2/10 in 7000 (server)',
    'text_delta A whole answer.',
    'entry assistant: A whole answer.',
    // After seven seconds another measurement is due.
    'measured for test-model',
    'entry turn_end: done',
    'turn_ended done after 1',
  ]);
  expect(clock.sleeps).toEqual([375, 7000]);
  expect(model.requests[1]).toEqual(model.requests[0]);
  expect(agent.entries().find((entry) => entry.type === 'assistant')?.message.durationMs).toBe(7375);
});

test.each([
  ['in the middle of its text', [delta('Half')], ['reply_discarded']],
  ['before any output', [], []],
  [
    'in the middle of a call',
    [{ type: 'tool_call_delta', index: 0, name: 'Read', argumentsLength: 4 }],
    ['reply_discarded'],
  ],
] as const)('a stream that ends %s counts as cut off', async (_, cut, discarded) => {
  const { ask, lines } = await startAgent({ answers: [cut, says('Whole.')] });
  await ask('Hi');
  expect(lines().slice(6 + cut.length)).toEqual([
    ...discarded,
    'retrying 1/10 in 375 (cut)',
    'text_delta Whole.',
    'entry assistant: Whole.',
    'entry turn_end: done',
    'turn_ended done after 1',
  ]);
});

test('after ten attempts the turn fails; the last error and the prompt are kept', async () => {
  const answers = Array.from({ length: MAX_ATTEMPTS }, (_, index) => fails({}, [delta(`Try ${index + 1}`)]));
  const { ask, lines, clock } = await startAgent({ answers });
  await ask('Hi');
  expect(clock.sleeps).toHaveLength(MAX_ATTEMPTS - 1);
  expect(clock.sleeps.reduce((sum, ms) => sum + ms)).toBeLessThan(MAX_ELAPSED_MS);
  expect(lines()).toContain('entry prompt: Hi');
  expect(lines().slice(-4)).toEqual([
    'text_delta Try 10',
    'entry assistant failed: Try 10',
    'entry turn_end: failed',
    'turn_ended failed after 1 (server)',
  ]);
  expect(lines().filter((line) => line === 'reply_discarded')).toHaveLength(MAX_ATTEMPTS - 1);
});

test('after five minutes the turn fails, regardless of the number of attempts', async () => {
  const slow = { kind: 'rate_limit', retryAfterMs: 140_000 } as const;
  const { ask, lines, clock } = await startAgent({ answers: [fails(slow), fails(slow), fails(slow)] });
  await ask('Hi');
  expect(clock.sleeps).toEqual([140_000, 140_000]);
  expect(lines().at(-1)).toBe('turn_ended failed after 1 (rate_limit)');
});

test('queued prompts are returned when the turn fails', async () => {
  const { agent, ask, when, lines } = await startAgent({
    answers: [fails({ kind: 'quota', retryable: false })],
  });
  when(
    (event) => event.type === 'step_started',
    () => agent.submit({ type: 'prompt', text: 'and this' }),
  );
  await ask('Hi');
  expect(lines().slice(-3)).toEqual(['queue []', 'returned [and this]', 'turn_ended failed after 1 (quota)']);
});

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(300);
const overflow = fails({ kind: 'overflow', message: 'Too long.', retryable: false, windowTokens: 6000 });

test('a request that is too long for the server is reduced and sent again', async () => {
  const { ask, lines, model, agent } = await startAgent({
    answers: [says(long), says(long), overflow, says('Done.')],
  });
  await ask('One');
  await ask('Two');
  await ask('Three');
  expect(lines().slice(-7)).toEqual([
    'entry reduction',
    'entry reduction',
    'measured for test-model',
    'text_delta Done.',
    'entry assistant: Done.',
    'entry turn_end: done',
    'turn_ended done after 1',
  ]);
  const [tooLong, again] = model.requests.slice(2);
  expect(JSON.stringify(again).length).toBeLessThan(JSON.stringify(tooLong).length * 0.9);
  expect(again?.messages.at(-1)).toEqual({ role: 'user', content: 'Three' });
  // The true window was learned, and the two earlier answers became lines with pointers.
  const kinds = agent.entries().flatMap(({ subtype, data }) => (subtype === 'reduction' ? [data?.kind] : []));
  expect(kinds).toEqual(['window', 'mask']);
  expect(JSON.stringify(again?.messages)).toMatch(
    /Earlier steps, a line each; Recall.*#\d+ \\"The quick brown fox/,
  );
});

test('text streamed before the server rejected the request is discarded', async () => {
  const late = fails({ kind: 'overflow', retryable: false, windowTokens: 6000 }, [delta('Half')]);
  const { ask, lines } = await startAgent({
    answers: [says(long), says(long), late, says('Done.')],
  });
  await ask('One');
  await ask('Two');
  await ask('Three');
  const at = lines().indexOf('text_delta Half');
  expect(
    lines()
      .slice(at)
      .filter((line) => /^(text_delta|reply_discarded|entry assistant)/.test(line)),
  ).toEqual(['text_delta Half', 'reply_discarded', 'text_delta Done.', 'entry assistant: Done.']);
});

test("a request that cannot be reduced fails with the server's message", async () => {
  const { ask, lines, events } = await startAgent({ answers: [overflow] });
  await ask('Hi');
  expect(lines().at(-1)).toBe('turn_ended failed after 1 (overflow)');
  expect(events.at(-1)).toMatchObject({ error: { message: 'Too long.' } });
});

test('a prompt too large for any request is sent as its head and tail with a pointer, and a notice is shown', async () => {
  const { ask, lines, model, agent } = await startAgent({ windowTokens: 3000, answers: [says('Read.')] });
  const huge = `BEGIN ${long} END`;
  await ask(huge);
  const told = lines().findIndex((line) =>
    line.startsWith('notice warning: Your message is larger than any'),
  );
  expect(told).toBeGreaterThan(-1);
  expect(told).toBeLessThan(lines().findIndex((line) => line.startsWith('measured')));
  const sent = String(model.requests[0]?.messages.at(-1)?.content);
  expect(sent).toMatch(/^\[Output truncated[^\]]+Recall/);
  expect(sent).toContain('BEGIN The quick');
  expect(sent).toMatch(/ END$/);
  const entry = agent.entries().find((one) => one.subtype === 'prompt');
  expect(entry?.data?.original).toMatchObject({ bytes: Buffer.byteLength(huge) });
});

test('a prompt that still does not fit fails with the numbers and sends nothing', async () => {
  const systemPrompt = long.repeat(2);
  const { ask, events, model } = await startAgent({ windowTokens: 3000, systemPrompt });
  await ask('Hi');
  expect(events.at(-1)).toMatchObject({
    type: 'turn_ended',
    outcome: 'failed',
    error: {
      kind: 'overflow',
      message: expect.stringMatching(/tokens, but the context window of test-model is 3,000/),
    },
  });
  expect(model.requests).toEqual([]);
});

test('a long loop over data in memory lets timers run', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const pause = createEventLoopBreak(2);
  for (const end = performance.now() + 10_000; ticks < 3 && performance.now() < end; await Promise.resolve())
    if (pause.isDue()) await pause.take();
  clearInterval(timer);
  expect(ticks).toBeGreaterThanOrEqual(3);
});

test('a long loop does not yield again right after yielding', async () => {
  const pause = createEventLoopBreak(10_000);
  expect(pause.isDue()).toBe(false);
  await pause.take();
  expect(pause.isDue()).toBe(false);
});

const request: ModelRequest = {
  model: 'test-model',
  messages: [{ role: 'user', content: 'Summarize.' }],
  tools: [],
  toolChoice: 'none',
};

async function summarize(answers: readonly Answer[], stopAt?: number) {
  const model = new ScriptedModel(answers);
  const clock = new VirtualClock();
  const controller = new AbortController();
  const progress: number[] = [];
  const reply = await createSummarizer(model, clock)(request, {
    signal: controller.signal,
    onProgress: (characters) => {
      progress.push(characters);
      if (progress.length === stopAt) controller.abort();
    },
  });
  expect(model.unused).toBe(0);
  return { reply, progress, sleeps: clock.sleeps, requests: model.requests };
}

test('a summary is one reply; progress counts its characters', async () => {
  const { reply, progress, requests } = await summarize([[delta('Some'), ...says(' words')]]);
  expect(reply).toMatchObject({ type: 'done', reply: { message: { content: ' words' } } });
  expect(progress).toEqual([4, 10]);
  expect(requests).toEqual([request]);
});

test('a summary request uses the current reasoning options of its conversation', async () => {
  const model = new ScriptedModel([says('A'), says('B')]);
  let reasoning: ReasoningOptions & { readonly id: string } = { id: 'm', effort: 'high', thinkingBudget: 0 };
  const summarize = createSummarizer(model, new VirtualClock(), () => reasoning);
  const options = { signal: new AbortController().signal, onProgress: () => {} };
  await summarize(request, options);
  reasoning = { id: 'm', thinkingDisplay: 'omitted' };
  await summarize(request, options);
  expect(model.requests).toEqual([
    { ...request, effort: 'high', thinkingBudget: 0 },
    { ...request, thinkingDisplay: 'omitted' },
  ]);
});

test('a summary request to another model does not use the reasoning options of the conversation', async () => {
  const model = new ScriptedModel([says('A')]);
  const summarize = createSummarizer(model, new VirtualClock(), (id) =>
    id === 'another' ? {} : { effort: 'high' },
  );
  const asked = { ...request, model: 'another' };
  await summarize(asked, { signal: new AbortController().signal, onProgress: () => {} });
  expect(model.requests).toEqual([asked]);
});

test('an incomplete summary starts over', async () => {
  const { reply, progress, sleeps } = await summarize([fails({}, [delta('Half')]), says('Whole.')]);
  expect(reply.type).toBe('done');
  expect(progress).toEqual([4, 0, 6]);
  expect(sleeps).toEqual([375]);
});

test('a summary fails after three attempts, since a fallback is available', async () => {
  const { reply, sleeps } = await summarize([fails(), fails(), fails({ message: 'Still down.' })]);
  expect(reply).toMatchObject({ type: 'failed', error: { message: 'Still down.' } });
  expect(sleeps).toHaveLength(2);
});

test('a summary that the user interrupts is aborted rather than failed', async () => {
  const { reply } = await summarize([hangsAfter(delta('Half'), delta(' more'))], 2);
  expect(reply).toEqual({ type: 'aborted' });
});

test('advice that the retries follow is given only with the last error', async () => {
  const advice = 'Try again in a moment.';
  const answers = Array.from({ length: MAX_ATTEMPTS }, () =>
    fails({ message: `It failed. ${advice}`, advice }),
  );
  const { ask, events } = await startAgent({ answers });
  await ask('Hi');
  const said = events.flatMap((event) => (event.type === 'retrying' ? [event.error.message] : []));
  expect(new Set(said)).toEqual(new Set(['It failed.']));
  const end = events.find(({ type }) => type === 'turn_ended');
  expect(end).toMatchObject({ error: { message: `It failed. ${advice}` } });
});
