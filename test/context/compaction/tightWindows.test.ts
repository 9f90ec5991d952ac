import { expect, test } from 'vitest';
import { cpuClock } from '../../cpuTime.ts';
import { ask, call, configuration, createTestHome, outcome, say, step, summary } from '../harness.ts';

const filler = (characters: number): string => 'some words of a text. '.repeat(Math.ceil(characters / 22));

test('after a prompt larger than the window, the next one gets a real summary of the earlier part', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 8000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'never touch the database');
  await context.appendReply(say('Understood.'));
  await context.addMessage('user', filler(100_000));
  // A summary could not replace anything useful, so none is requested.
  expect((await context.buildRequest(home.options())).type).toBe('too_large');
  await context.addMessage('user', 'now in short');
  home.summaries.expect(summary('## Constraints\nThe database is never touched.'));
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  expect(home.summaries.unused).toBe(0);
  expect(JSON.stringify(context.getMessages())).toContain('The database is never touched.');
});

test('a model whose newest results exceed the window is told so and does not repeat the request', {
  tags: 'long',
}, async () => {
  const home = await createTestHome({ waits: true, windowTokens: 8000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'read everything');
  const calls = Array.from({ length: 400 }, (_, index) => call(`call_${index}`));
  await context.appendReply(ask(calls));
  for (const one of calls) await context.appendToolResult({ call: one, outcome: outcome(filler(9000)) });
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  const sent = JSON.stringify(context.getMessages());
  expect(sent).toContain('The results of the latest 400 tool calls were too large');
  expect(sent).toContain('read everything');
});

test('if tools and instructions exceed the trigger, results are shortened to fit the window', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 16_000 });
  const context = home.manager();
  home.tools = [{ name: 'Read', description: filler(46_000), parameters: { type: 'object' } }];
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'read it');
  home.summaries.expect(...Array.from({ length: 10 }, (_, index) => summary(`summary ${index}`)));
  expect(context.measure(home.tools).usedTokens).toBeGreaterThan(context.measure([]).triggerTokens);
  for (let index = 0; index < 4; index++) {
    const id = `call_${index}`;
    await context.appendReply(ask([call(id)]));
    await context.appendToolResult({ call: call(id), outcome: outcome(filler(20_000)) });
    expect((await context.buildRequest(home.options())).type).toBe('ready');
    expect(context.getMessages().at(-1)).toMatchObject({ role: 'tool', toolCallId: id });
  }
});

test('a request too large to send can be compacted manually even if the trigger is out of reach', async () => {
  const home = await createTestHome({
    waits: true,
    windowTokens: 16_000,
    settings: { compact: { auto: false } },
  });
  const context = home.manager();
  home.tools = [{ name: 'Read', description: filler(54_000), parameters: { type: 'object' } }];
  await context.createSession(undefined, {}, configuration);
  for (let index = 0; index < 6; index++) {
    await context.addMessage('user', `question ${index}`);
    await context.appendReply(say(filler(3000)));
  }
  await context.addMessage('user', 'and now?');
  const refused = await context.buildRequest(home.options());
  expect(refused).toMatchObject({ type: 'too_large', message: expect.stringContaining('/compact') });
  home.summaries.expect(summary('## Status\nSix questions were answered.'));
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(report.outcome).not.toBe('refused');
  expect((await context.buildRequest(home.options())).type).toBe('ready');
});

test('a summary never asks for a longer reply than the model can write', async () => {
  const home = await createTestHome({
    waits: true,
    windowTokens: 64_000,
    settings: { compact: { auto: false } },
  });
  home.model = { ...home.model, maxOutputTokens: 3000 };
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  for (let index = 0; index < 30; index++) {
    await context.addMessage('user', `question ${index}`);
    await context.appendReply(say(filler(3000)));
  }
  home.summaries.expect(summary('All answered.'));
  await context.compressCurrentContext({ ...home.options() });
  expect(home.summaries.requests[0]?.maxOutputTokens).toBe(3000);
});

test('a result that arrives while another session is open belongs to the one that requested it', async () => {
  const home = await createTestHome({ waits: true });
  const context = home.manager();
  const first = await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'go');
  await context.appendReply(ask([call('call_0')]));
  const late = context.appendToolResult({ call: call('call_0'), outcome: outcome('x'.repeat(200_000)) });
  const opening = context.createSession(undefined, {}, configuration);
  await Promise.allSettled([late, opening]);
  expect(context.getCurrentSessionId()).not.toBe(first);
  expect(context.entries().some((entry) => entry.type === 'tool_result')).toBe(false);
});

test('a session of many thousand steps is compacted without delay', {
  tags: 'long',
}, async () => {
  const home = await createTestHome({ waits: true, windowTokens: 1_000_000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'go');
  const steps = Array.from({ length: 8000 }, (_, index) => ({
    type: 'assistant' as const,
    message: { role: 'assistant' as const, content: `step ${index}: ${filler(100)}` },
  }));
  await context.append(...steps);
  home.model = { ...home.model, id: 'small', windowTokens: 64_000 };
  home.summaries.expect(summary('Many steps.'));
  const spentMs = cpuClock();
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  expect(spentMs()).toBeLessThan(15_000);
  expect(home.summaries.requests[0]?.messages.length).toBeGreaterThan(500);
});

test.each([8000, 40_000])(
  'no drafts are requested that long instructions would make unusable (%i)',
  { tags: 'long' },
  async (windowTokens) => {
    const home = await createTestHome({ windowTokens });
    const context = home.manager();
    const systemPrompt = 'word and more '.repeat(Math.floor((0.77 * windowTokens) / 3));
    await context.createSession(undefined, {}, { systemPrompt });
    await context.addMessage('user', 'a task');
    for (let index = 0; index < 20; index++) {
      await step(context, `s${index}`, 'alpha beta gamma '.repeat(windowTokens / 100));
      await context.maintain(home.options());
      expect((await context.buildRequest(home.options())).type).toBe('ready');
    }
    expect(home.summaries.requests).toEqual([]);
  },
);

test('in a small window, the model sees requested results before space for new work is cleared', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 8000 });
  const context = home.manager();
  home.tools = [{ name: 'Read', description: filler(9_000), parameters: { type: 'object' } }];
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'read them all');
  home.summaries.expect(...Array.from({ length: 20 }, (_, index) => summary(`summary ${index}`)));
  for (let index = 0; index < 16; index++) {
    const text = `${filler(3000)}${index}`;
    await context.appendReply(ask([call(`call_${index}`)]));
    await context.appendToolResult({ call: call(`call_${index}`), outcome: outcome(text) });
    expect((await context.buildRequest(home.options())).type).toBe('ready');
    expect(context.getMessages().at(-1)?.content).toBe(text);
  }
  expect(home.summaries.requests.length).toBeGreaterThan(2);
});
