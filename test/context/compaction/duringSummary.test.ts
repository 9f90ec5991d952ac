import { expect, test } from 'vitest';
import type { ContextManager } from '../../../src/context/index.ts';
import type { SummaryReply } from '../../../src/context/types.ts';
import { rewindTo } from '../anyCorrection.ts';
import { configuration, createTestHome, say, step, summary, type TestHome } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

/** A session with a compaction in progress: the summary that it waits for, and its report. */
async function compacting(home: TestHome) {
  let answer = (_: SummaryReply): void => {};
  const asked = new Promise<void>((resolve) => {
    home.summaries.expect(() => {
      resolve();
      return new Promise((end) => {
        answer = end;
      });
    });
  });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const first = await context.addMessage('user', 'the first words');
  await context.appendReply(say('fine'));
  for (let index = 0; index < 6; index++) {
    await context.addMessage('user', `request ${index}`);
    await step(context, `s${index}`, 'alpha beta gamma delta '.repeat(200));
  }
  const report = context.compressCurrentContext({ ...home.options() });
  await asked;
  return {
    context,
    first: first?.uuid ?? '',
    finish: () => {
      answer(summary('## 1. Primary request and intent\nwork that was done'));
      return report;
    },
  };
}

const contents = (context: ContextManager): readonly unknown[] =>
  context.getMessages().map(({ content }) => content);

test('entries pinned while a summary is written stay', async () => {
  const { context, first, finish } = await compacting(
    await createTestHome({ windowTokens: 20_000, waits: true }),
  );
  await context.editItem({ action: 'pin', uuid: first }, []);
  expect((await finish()).outcome).toBe('done');
  expect(contents(context)).toContain('the first words');
});

test('a summary of entries that were rewound, dropped or restored in the meantime is not used; its cost is recorded', async () => {
  const home = await createTestHome({ windowTokens: 20_000, waits: true });
  const { context, first, finish } = await compacting(home);
  expect(await rewindTo(sessionOf(context), first)).toBe(true);
  const before = contents(context);
  const report = await finish();
  expect(report.outcome).toBe('refused');
  expect(report.message).toMatch(/was changed while/);
  expect(contents(context)).toEqual(before);
});

test('a request that the server finds too long is not a failure of the summarizer', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const error = { kind: 'overflow' as const, message: 'too long', retryable: false };
  for (let round = 0; round < 4; round++) {
    for (let index = 0; index < 4; index++)
      await context.addMessage('user', `request ${index} ${'words of the user '.repeat(200)}`);
    await context.shrinkAfterOverflow(error, home.options());
  }
  // A summary cannot be removed: if it is too long itself, one written without a model replaces it.
  for (let index = 0; index < 20; index++)
    await context.addMessage('user', `request ${index} ${'words of the user '.repeat(200)}`);
  home.summaries.expect(summary('alpha beta gamma delta '.repeat(1000)));
  await context.compressCurrentContext({ ...home.options() });
  for (let round = 0; round < 4; round++) {
    await context.addMessage('user', 'go on');
    await context.shrinkAfterOverflow({ ...error, windowTokens: 6000 - 1000 * round }, home.options());
  }
  const { reductions, breakerIsOpen } = context.report([]);
  expect(reductions.map(({ kind }) => kind)).toContain('fallback');
  expect(breakerIsOpen).toBe(false);
});
