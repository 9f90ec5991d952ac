import { expect, test } from 'vitest';
import { configuration, createTestHome, say, step, summary } from '../harness.ts';

test('a compaction’s diff lists only what it removed', { tags: 'long' }, async () => {
  const home = await createTestHome({ windowTokens: 40_000, waits: true });
  home.summaries.expect(summary('## 1. Primary request and intent\none'), summary('## 1. two'));
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  for (const round of ['first', 'second']) {
    for (let index = 0; index < 8; index++) {
      await context.addMessage('user', `${round} ${index}`);
      await step(context, `${round}${index}`, 'alpha beta '.repeat(900));
    }
    expect((await context.compressCurrentContext({ ...home.options() })).outcome).toBe('done');
  }
  const titles = context.lastDiff()?.dropped.map(({ title }) => title) ?? [];
  expect(titles).not.toContain('step first0 · Read a.ts');
  expect(titles).toContain('step second0 · Read a.ts');
  // The user's text is in the summary message.
  expect(titles).not.toContain('second 0');
  const quoted = context.items().find(({ title }) => title === 'second 0');
  expect(quoted?.state).toBe('summarized');
});

test('a preview lists messages that did not fit and changed files that are not mentioned', async () => {
  const home = await createTestHome({
    windowTokens: 8000,
    waits: true,
    settings: { compact: { auto: false } },
  });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'the goal');
  const long = `a long message ${'of many words '.repeat(400)}`;
  await context.addMessage('user', long);
  await context.addMessage('user', 'a short one');
  for (let index = 0; index < 200; index++)
    await step(context, `s${index}`, 'done', {
      filesChanged: [
        { path: `${home.root}/src/part${index}.ts`, kind: 'modified', hash: 'x', added: 1, removed: 0 },
      ],
    });
  await context.addMessage('user', 'and now?');
  home.summaries.expect(summary('1. Primary request and intent\nAll parts but one.'));
  const before = JSON.stringify(context.getMessages());
  const preview = await context.preview({ ...home.options() });
  expect(preview.outcome).toBe('ready');
  expect(preview.kept.map(({ title }) => title)).toEqual(
    expect.arrayContaining(['the goal', 'a short one', 'and now?']),
  );
  const messages = preview.losses.filter(({ kind }) => kind === 'message');
  expect(messages.map(({ text }) => text.slice(0, 14))).toEqual(['a long message']);
  const paths = preview.losses.filter(({ kind }) => kind === 'path').map(({ text }) => text);
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(preview.summary).not.toContain(path.slice(home.root.length + 1));
  expect(preview.losses.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(context.getMessages())).toBe(before);
});

test('the next /compact applies exactly the previewed summary unless it has another focus', async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'mend it');
  for (let index = 0; index < 10; index++) await step(context, `s${index}`, 'alpha beta '.repeat(900));
  const foxes = say('1. Primary request and intent\nfoxes', { inputTokens: 500, outputTokens: 9 });
  home.summaries.expect({ type: 'done', reply: foxes });
  const preview = await context.preview({ ...home.options() });
  expect(preview.outcome).toBe('ready');
  const paid = () =>
    context.entries().flatMap(({ subtype, message }) => (subtype === 'usage' ? [message.usage] : []));
  // A preview leaves only its cost in the log.
  expect(paid()).toEqual([{ input_tokens: 500, output_tokens: 9 }]);
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(paid()).toHaveLength(1);
  expect(report).toMatchObject({ outcome: 'done', postTokens: preview.postTokens });
  expect(home.summaries.requests).toHaveLength(1);
  expect(String(context.getMessages()[1]?.content)).toContain(preview.summary);
  expect(preview.summary).toContain('foxes');

  // With another focus the draft is not what the user wants.
  for (let index = 10; index < 20; index++) await step(context, `s${index}`, 'alpha beta '.repeat(900));
  home.summaries.expect(summary('1. Primary request and intent\ndogs'), summary('1. Primary\ncats'));
  await context.preview({ ...home.options() });
  await context.compressCurrentContext({ ...home.options(), focus: 'cats' });
  expect(home.summaries.requests).toHaveLength(3);
  expect(String(context.getMessages()[1]?.content)).toContain('cats');
});
