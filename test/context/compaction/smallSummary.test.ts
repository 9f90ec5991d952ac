import { expect, test } from 'vitest';
import { type ContextManager, rebuildRequest, requestsIn } from '../../../src/context/index.ts';
import { configuration, createTestHome, failure, modelOf, say, step, type TestHome } from '../harness.ts';

const small = (windowTokens: number) => ({ ...modelOf(windowTokens), id: 'small' });

async function longSession(home: TestHome, windowTokens: number): Promise<ContextManager> {
  const context = home.manager({ summaryModel: () => small(windowTokens) });
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'first request: never touch the database');
  for (let index = 0; index < 10; index++) await step(context, `call_${index}`, 'alpha beta '.repeat(400));
  return context;
}

const usage = { inputTokens: 9000, outputTokens: 100 };
const written = (text: string, model?: string) => ({
  type: 'done' as const,
  reply: { ...say(text, usage), ...(model && { model }) },
});
const manual = (home: TestHome) => ({ ...home.options(), trigger: 'manual' as const });
const models = ({ summaries }: TestHome) => summaries.requests.map(({ model }) => model);
const paid = (context: ContextManager) =>
  context.entries().flatMap(({ subtype, message }) => (subtype === 'usage' ? [message.model] : []));

test('the small model writes the summary of a conversation that it can read', async () => {
  const home = await createTestHome({ windowTokens: 16_000, waits: true });
  const context = await longSession(home, 30_000);
  home.summaries.expect(written('## Status\nAll is read.'));
  expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
  expect(models(home)).toEqual(['small']);
  expect(paid(context)).toEqual(['small']);
});

test('the session’s model writes it if the small one cannot read all of it', async () => {
  const home = await createTestHome({ windowTokens: 16_000, waits: true });
  const context = await longSession(home, 8000);
  home.summaries.expect(written('## Status\nAll is read.'));
  expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
  expect(models(home)).toEqual(['test-model']);
});

test.each([
  ['fails', failure(), ['test-model']],
  ['writes nothing', written('', 'small-1'), ['small-1', 'test-model']],
])('the session’s model writes it if the small one %s, and both are paid for', async (_, reply, costs) => {
  const home = await createTestHome({ windowTokens: 16_000, waits: true });
  const context = await longSession(home, 30_000);
  home.summaries.expect(reply, written('## Status\nAll is read.'));
  expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
  expect(models(home)).toEqual(['small', 'test-model']);
  expect(paid(context)).toEqual(costs);
});

test('a request to the small model is recorded as built', async () => {
  const home = await createTestHome({ windowTokens: 16_000, waits: true });
  const sent = { hash: 'h', wire: 'chat' };
  const context = home.manager({
    summaryModel: () => ({ ...small(30_000), returnsReasoning: true }),
    summarize: async (request, { onSent, onProgress }) => {
      onSent?.(sent);
      return home.summaries.summarize(request, { signal: new AbortController().signal, onProgress });
    },
  });
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'first request: never touch the database');
  for (let index = 0; index < 10; index++) await step(context, `call_${index}`, 'alpha beta '.repeat(400));
  home.summaries.expect(written('## Status\nAll is read.'));
  await context.compressCurrentContext(manual(home));
  const [entry] = requestsIn(context.entries());
  expect(entry?.data).toMatchObject({ purpose: 'summary', request: { model: 'small', reasoning: true } });
  const source = { entries: context.entries(), readBlob: async () => undefined };
  const rebuilt = await rebuildRequest(source, entry?.seq ?? -1);
  expect(rebuilt?.request).toEqual(home.summaries.requests[0]);
});
