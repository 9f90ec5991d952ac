import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Context, ContextMessage, ContextOptions, SummaryRequest } from '../../src/sdk/api/context.ts';
import { openEngine } from '../../src/sdk/contextEngine.ts';
import { openStore } from '../../src/sdk/contextOptions.ts';

const host = {
  version: '1.0.0',
  createEncoder: () => {
    throw new Error('no thread is started without a tokenizer');
  },
};
const model = { id: 'm', contextWindow: 8000 };
const summary = '1. Primary request and intent\nSUMMARY\n5. Current work status\nAll is well.';
const user = (content: string): ContextMessage => ({ role: 'user', content });
const assistant = (content: string): ContextMessage => ({ role: 'assistant', content });
const long = (name: string): string => `${name}: ${'the fox jumps over the dog '.repeat(60)}`;

async function open(options: Partial<ContextOptions> = {}, id?: string): Promise<Context> {
  const context = await openEngine(id, { model, ...options }, host);
  onTestFinished(() => context.close());
  return context;
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'clawdcode-engine-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Fills it until a request has compacted. */
async function fill(context: Context): Promise<Awaited<ReturnType<Context['request']>>> {
  for (let number = 0; number < 60; number++) {
    await context.append(user(long(`Note ${number}`)));
    const request = await context.request();
    if (request.compactions.length > 0) return request;
    await context.append(assistant(`Noted ${number}.`));
  }
  throw new Error('60 long messages fit');
}

test.each([
  [{}, 'options.model: expected object, received undefined.'],
  [
    { model: { id: 'm', contextWindow: 100 } },
    'options.model.contextWindow: Too small: expected number to be >=2000.',
  ],
  [{ model, store: {} }, 'options.store: expected what fileStore or memoryStore returns.'],
  [{ model, summarize: 'x' }, 'options.summarize: expected a function.'],
  [{ model, settings: { strategy: 'none' } }, /^options\.settings\.strategy: Invalid option/],
  [{ model, id: '../x' }, 'options.id: an id has letters, digits, ".", "_" and "-", not "../x".'],
])('a mistake in the options is a clear error: %j', async (options, message) => {
  await expect(openEngine(undefined, options as ContextOptions, host)).rejects.toMatchObject({
    name: 'ContextError',
    code: 'options',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
});

test('appended messages are what the model sees, and calls keep their results', async () => {
  const context = await open({ systemPrompt: 'Be brief.' });
  const call = { id: 'c1', name: 'look', arguments: '{"at":1}' };
  await context.append(user('Look.'), { role: 'assistant', content: '', toolCalls: [call] });
  await context.append({ role: 'tool', toolCallId: 'c1', content: 'A fox.' }, assistant('A fox.'));
  const expected = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: '', toolCalls: [call] },
    { role: 'tool', toolCallId: 'c1', name: 'look', content: 'A fox.', isError: false },
    { role: 'assistant', content: 'A fox.', toolCalls: [] },
  ];
  expect(context.messages()).toEqual(expected);
  const { messages, compactions, measure } = await context.request();
  expect(messages).toEqual(expected);
  expect(compactions).toEqual([]);
  expect(measure.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(measure.usedTokens);
});

test('a message out of place is rejected, and none of it is stored', async () => {
  const context = await open();
  const calls = { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }] };
  const refused: [unknown, string][] = [
    [{ role: 'system', content: 'x' }, 'message.role: '],
    [{ role: 'user', content: 7 }, 'message.content: expected string, received number.'],
    [{ role: 'tool', toolCallId: 'c', content: '' }, 'No tool call c waits for a result.'],
    [
      { ...calls, toolCalls: [{ id: 'c', name: 'look', arguments: '[1]' }] },
      'The arguments of the tool call c are not the JSON text of an object.',
    ],
    [{ ...calls, toolCalls: [...calls.toolCalls, ...calls.toolCalls] }, 'Two tool calls have the id c.'],
  ];
  for (const [message, text] of refused)
    await expect(context.append(message as ContextMessage)).rejects.toThrow(text);
  expect(context.messages()).toEqual([]);
  await context.append(user('Look.'), calls as ContextMessage);
  await expect(context.append(user('And?'))).rejects.toThrow('The tool call c (look) has no result yet.');
});

test('above the trigger a request waits for the host’s summary; the store keeps everything', async () => {
  const asked: SummaryRequest[] = [];
  const context = await open({
    summarize: async (request) => {
      asked.push(request);
      return summary;
    },
  });
  const { messages, compactions, measure } = await fill(context);
  expect(compactions).toMatchObject([{ outcome: 'done', trigger: 'auto' }]);
  expect(measure.usedTokens).toBeLessThan(measure.triggerTokens);
  expect(JSON.stringify(messages)).toContain('SUMMARY');
  expect(asked).toHaveLength(1);
  expect(asked[0]?.messages.at(-1)?.content).toContain('create a summary of the conversation');
  expect(await context.recall({ query: 'Noted 1.' })).toContain('Noted 1.');
  expect(await context.uncompact()).toMatchObject({ outcome: 'done' });
  expect(JSON.stringify(context.messages())).not.toContain('SUMMARY');
});

test('without a summarizer, or if it throws, the summary is assembled without a model', async () => {
  const without = await fill(await open());
  expect(without.compactions).toEqual([expect.not.objectContaining({ message: expect.anything() })]);
  expect(without.compactions[0]?.postTokens).toBeLessThan(without.compactions[0]?.preTokens ?? 0);
  const failing = await open({
    summarize: async () => {
      throw new Error('The model is away.');
    },
  });
  const { compactions } = await fill(failing);
  expect(compactions[0]).toMatchObject({ outcome: 'fallback' });
  expect(compactions[0]?.message).toContain('The model is away.');
});

test('an abort ends a compaction with its reason, and the context remains usable', async () => {
  const stop = new AbortController();
  let fails = true;
  const context = await open({
    summarize: ({ signal }) => {
      if (!fails) return Promise.resolve(summary);
      stop.abort(new Error('enough'));
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  for (let number = 0; number < 6; number++)
    await context.append(user(long(`Note ${number}`)), assistant(`Noted ${number}.`));
  await expect(context.compact({ signal: stop.signal })).rejects.toThrow('enough');
  await expect(context.request({ signal: stop.signal })).rejects.toThrow('enough');
  fails = false;
  expect(await context.compact({ focus: 'foxes' })).toMatchObject({ outcome: 'done', trigger: 'manual' });
});

test('a request that cannot fit is an error; a larger model resolves it', async () => {
  const context = await open({ settings: { compact: { auto: false }, strategy: 'off' } });
  for (let number = 0; number < 30; number++)
    await context.append(user(long(`Note ${number}`)), assistant(`Noted ${number}.`));
  await expect(context.request()).rejects.toMatchObject({ name: 'ContextError', code: 'too_large' });
  context.setModel({ ...model, contextWindow: 200_000 });
  expect((await context.request()).messages).toHaveLength(60);
  expect(() => context.setModel({ id: '', contextWindow: 8000 })).toThrow('model.id: Too small');
});

test('after an overflow the next request is smaller', async () => {
  const context = await open({ summarize: async () => summary });
  for (let number = 0; number < 10; number++)
    await context.append(user(long(`Note ${number}`)), assistant(`Noted ${number}.`));
  await context.append(user('What now?'));
  const before = await context.request();
  expect(await context.shrink({ contextWindow: 6000 })).toBe(true);
  const after = await context.request();
  expect(after.measure.usedTokens).toBeLessThan(before.measure.usedTokens);
  expect(after.measure.windowTokens).toBe(6000);
  expect(after.messages.at(-1)).toEqual({ role: 'user', content: 'What now?' });
});

test('a context continues from its file, is found by a prefix of its id, and can be forked', async () => {
  const store = openStore(await folder(), '1.0.0');
  const first = await open({ store, id: 'notes', systemPrompt: 'Be brief.' });
  await first.append(user('Hello.'), assistant('Hello.'));
  await expect(open({ store }, 'notes')).rejects.toMatchObject({ code: 'locked' });
  const copy = await first.fork();
  await first.close();
  await expect(open({ store, id: 'notes' })).rejects.toMatchObject({ code: 'exists' });
  await expect(open({ store }, 'other')).rejects.toMatchObject({ code: 'not_found' });
  const again = await open({ store }, 'note');
  await again.append(user('Again.'));
  const texts = (context: Context) => context.messages().map(({ content }) => content);
  expect(texts(again)).toEqual(['Be brief.', 'Hello.', 'Hello.', 'Again.']);
  expect(texts(await open({ store }, copy))).toEqual(['Be brief.', 'Hello.', 'Hello.']);
  const listed = (await store.list()).map(({ id, title }) => [id, title]);
  expect(listed.sort()).toEqual(
    [
      [copy, 'Hello.'],
      ['notes', 'Hello.'],
    ].sort(),
  );
});

test('a call that had no result when the context was closed has one when it is reopened', async () => {
  const store = openStore(undefined, '1.0.0');
  const first = await open({ store, id: 'notes' });
  const toolCalls = [{ id: 'c', name: 'look', arguments: '{}' }];
  await first.append(user('Look.'), { role: 'assistant', content: '', toolCalls });
  await first.close();
  const again = await open({ store }, 'notes');
  expect(again.messages().at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c', isError: true });
  await again.append(user('Go on.'));
});
