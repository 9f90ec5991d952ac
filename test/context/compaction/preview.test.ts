import { expect, test } from 'vitest';
import { configuration, house, step, summary } from '../harness.ts';

test('the diff of a compaction lists what that one left out, not what an earlier one did', async () => {
  const home = await house({ windowTokens: 40_000, waits: true });
  home.summaries.expect(summary('## 1. Primary request and intent\none'), summary('## 1. two'));
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  for (const round of ['first', 'second']) {
    for (let index = 0; index < 8; index++) {
      await context.addMessage('user', `${round} ${index}`);
      await step(context, `${round}${index}`, 'alpha beta '.repeat(900));
    }
    expect((await context.compact({ ...home.options(), trigger: 'manual' })).outcome).toBe('done');
  }
  const titles = context.session.lastDiff()?.dropped.map(({ title }) => title) ?? [];
  expect(titles).not.toContain('first 0');
  expect(titles).toContain('second 0');
});
