import { expect, test } from 'vitest';
import { ask, call, configuration, createTestHome, outcome, summary } from '../harness.ts';

const filler = 'alpha beta gamma delta '.repeat(150);

test('after many compactions by a forgetful model, every constraint and changed path is still in the request', async () => {
  const home = await createTestHome({ windowTokens: 60_000, settings: { compact: { auto: false } } });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const needles: string[] = [];
  for (let round = 0; round < 5; round++) {
    for (let index = 0; index < 6; index++) {
      const name = `${round}${index}`;
      const constraint = index % 2 === 0 ? `Never rename field f${name}.` : `不要修改接口 i${name}。`;
      const path = `${home.root}/src/part${name}.ts`;
      needles.push(constraint, `src/part${name}.ts`);
      await context.addMessage('user', `Go on with part ${name}. ${constraint}`);
      await context.appendReply(ask([call(name, 'Edit', { file_path: path })], filler));
      const filesChanged = [{ path, kind: 'modified' as const, hash: 'a'.repeat(64), added: 1, removed: 1 }];
      await context.appendToolResult({
        call: call(name),
        outcome: outcome(filler, { kind: 'edit', filesChanged }),
      });
    }
    home.summaries.expect(
      summary('## Status\nWork was done in src/invented.ts, and all is well now with the code.'),
    );
    const report = await context.compressCurrentContext({ ...home.options() });
    expect(report.outcome).toBe('done');
  }
  const text = context
    .getMessages()
    .map(({ content }) => JSON.stringify(content))
    .join('\n');
  expect(needles.filter((needle) => !text.includes(needle))).toEqual([]);
  expect(text).toContain('src/invented.ts (unverified)');
});
