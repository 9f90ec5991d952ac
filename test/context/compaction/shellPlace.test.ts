import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContextManager } from '../../../src/context/index.ts';
import { configuration, createTestHome, failure, step, summary, type TestHome } from '../harness.ts';

const filler = 'alpha beta gamma delta '.repeat(200);

/** A session that started in `from` and has ten steps, with the shell in `to` since the second. */
async function session(home: TestHome, to: string, from = '.'): Promise<ContextManager> {
  const context = home.manager();
  const environment = { directory: join(home.root, from) };
  await context.createSession(undefined, {}, { ...configuration, environment });
  context.setCwd(join(home.root, from));
  await context.addMessage('user', 'look around');
  await step(context, 'c0', filler);
  context.setCwd(join(home.root, to));
  for (let index = 1; index < 10; index++) await step(context, `c${index}`, filler);
  return context;
}

/** The lines of the summary message about the shell. */
async function told(home: TestHome, context: ContextManager): Promise<readonly string[]> {
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(report.outcome).toMatch(/^(done|fallback)$/);
  const text = context
    .getMessages()
    .map(({ content }) => String(content))
    .find((content) => content.startsWith('[Previous conversation summary]'));
  return text?.split('\n').filter((line) => line.includes('The shell is in')) ?? ['no summary'];
}

const createHome = (): Promise<TestHome> =>
  createTestHome({ waits: true, windowTokens: 16_000, settings: { compact: { auto: false } } });

test.each([
  ['the model wrote', summary('The user wants X.')],
  ['was written without a model', failure()],
])(
  'a summary that %s states the shell’s directory and what its own paths are relative to',
  async (_, reply) => {
    const home = await createHome();
    home.summaries.expect(reply);
    expect(await told(home, await session(home, 'test'))).toEqual([
      `The shell is in ${join(home.root, 'test')}: tools resolve relative paths there. Paths in this summary are relative to ${home.root}.`,
    ]);
  },
);

test("it does not mention a shell in the project's root", async () => {
  const home = await createHome();
  home.summaries.expect(summary('The user wants X.'));
  expect(await told(home, await session(home, '.'))).toEqual([]);
});

test.each([
  ['is where the session started, inside the root', 'sub', 'sub'],
  ['is back in the root, and the environment named another folder', '.', 'sub'],
])('it also says so when the shell %s', async (_, to, from) => {
  const home = await createHome();
  home.summaries.expect(summary('The user wants X.'));
  const [line] = await told(home, await session(home, to, from));
  expect(line).toContain(`The shell is in ${join(home.root, to)}: `);
});

test('after a note about another shell directory, the next summary reports the return', {
  tags: 'long',
}, async () => {
  const home = await createHome();
  const context = await session(home, 'test');
  const note = { role: 'user', content: 'The shell was in test/.' } as const;
  await context.append({ type: 'user', subtype: 'environment', message: note, data: { block: '' } });
  context.setCwd(home.root);
  await step(context, 'c10', filler);
  home.summaries.expect(summary('The user wants X.'));
  const [line] = await told(home, context);
  expect(line).toContain(`The shell is in ${home.root}: `);
});

test('a summary after one that named another shell directory also reports the return', async () => {
  const home = await createHome();
  const context = await session(home, 'test');
  home.summaries.expect(summary('The user wants X.'), summary('The user wants X; the shell is in test/.'));
  await told(home, context);
  context.setCwd(home.root);
  for (let index = 10; index < 20; index++) await step(context, `c${index}`, filler);
  const [line] = await told(home, context);
  expect(line).toContain(`The shell is in ${home.root}: `);
});
