import { expect, test } from 'vitest';
import type { ContextManager } from '../../../src/context/index.ts';
import { configuration, createTestHome, failure, say, step, summary, type TestHome } from '../harness.ts';

const filler = 'alpha beta gamma delta '.repeat(200);
const DAYS = ['Monday', 'Tuesday', 'Wednesday'];

/** Long work, then a resume on each of three days, so close together that all are in the tail. */
async function threeDays(home: TestHome): Promise<ContextManager> {
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'look around');
  for (let index = 0; index < 10; index++) await step(context, `c${index}`, filler);
  for (const day of DAYS) {
    const message = { role: 'user', content: `On resuming it was ${day}.` } as const;
    await context.append({ type: 'user', subtype: 'environment', message });
    await context.addMessage('user', `go on, it is ${day}`);
    await context.appendReply(say(`I went on. ${filler.slice(0, 400)}`));
  }
  return context;
}

const createHome = (): Promise<TestHome> =>
  createTestHome({ waits: true, windowTokens: 16_000, settings: { compact: { auto: false } } });

function days(context: ContextManager): readonly (string | undefined)[] {
  const texts = context.getMessages().map(({ content }) => String(content));
  return texts.flatMap((text) => /On resuming it was (\w+)\./.exec(text)?.[1] ?? []);
}

test.each([
  ['a summary', summary('The user wants X.')],
  ['no data available', failure()],
])('with %s, a compaction keeps only the newest environment note', async (_, reply) => {
  const home = await createHome();
  const context = await threeDays(home);
  expect(days(context)).toEqual(DAYS);
  home.summaries.expect(reply);
  await context.compressCurrentContext({ ...home.options() });
  expect(days(context)).toEqual(['Wednesday']);
  const after = JSON.stringify(context.getMessages());
  expect(after).toContain('go on, it is Tuesday');
  const id = context.getCurrentSessionId() ?? '';
  await context.close();
  const again = home.manager();
  await again.loadSession(id);
  expect(JSON.stringify(again.getMessages())).toBe(after);
});

test('a pinned note stays', async () => {
  const home = await createHome();
  const context = await threeDays(home);
  const tuesday = context.entries().find(({ message }) => String(message.content).includes('was Tuesday'));
  await context.editItem({ action: 'pin', uuid: tuesday?.uuid ?? '' }, []);
  home.summaries.expect(summary('The user wants X.'));
  await context.compressCurrentContext({ ...home.options() });
  expect(days(context)).toEqual(['Tuesday', 'Wednesday']);
});

test('undoing the compaction restores all notes', async () => {
  const home = await createHome();
  const context = await threeDays(home);
  const before = JSON.stringify(context.getMessages());
  home.summaries.expect(summary('The user wants X.'));
  await context.compressCurrentContext({ ...home.options() });
  await context.uncompact(home.options());
  expect(JSON.stringify(context.getMessages())).toBe(before);
});

test('if steps become lines, the newest note stays and old ones are removed with them', async () => {
  const home = await createTestHome({
    windowTokens: 16_000,
    settings: { strategy: 'economy', threadSummary: 'off', mask: { protect: 0.01 } },
  });
  // The provider's cache is cold: lines cost nothing.
  Object.assign(home.deps, { clock: () => Date.now() + 2 * 60 * 60 * 1000 });
  const context = await threeDays(home);
  await context.addMessage('user', 'and now?');
  await context.buildRequest(home.options());
  expect(JSON.stringify(context.getMessages())).toContain('Earlier steps');
  expect(days(context)).not.toContain('Monday');
  expect(days(context)).toContain('Wednesday');
});
