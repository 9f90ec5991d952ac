import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createDemoClient, DEMO_MODEL } from '../../src/model/demo.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { PermissionAnswer } from '../../src/protocol/permissions.ts';
import { builtinTools } from '../../src/tools/builtinTools.ts';
import { entryLine } from '../agent/line.ts';
import { startAgent, type TestAgent } from '../agent/testAgent.ts';

const sample = resolve(import.meta.dirname, '../../examples/sample-project');

/** The sample project in a scratch folder, the real tools, and the demo model without its pauses. */
async function demo(
  answer: (title: string) => PermissionAnswer = () => ({ behavior: 'allow' }),
): Promise<TestAgent> {
  const { tools, dispose } = builtinTools({ env: process.env, home: homedir(), shell: '/bin/bash' });
  const made = await startAgent({
    client: createDemoClient(async () => undefined),
    tools,
    disposeTools: dispose,
    windowTokens: 32_000,
    decide: async (_tool, access) =>
      access.type === 'write' || access.type === 'command'
        ? { behavior: 'ask', reason: 'it changes something' }
        : { behavior: 'allow', reason: 'it only looks' },
  });
  await cp(sample, made.root, { recursive: true });
  made.agent.subscribe((event) => {
    if (event.type !== 'permission_question') return;
    const { id, title } = event.question;
    made.agent.submit({ type: 'answer', id, answer: answer(title) });
  });
  return made;
}

/** The model's texts and calls; results contain durations, so they are checked separately. */
const script = (entries: readonly JSONLEntry[]): string[] =>
  entries.filter((entry) => entry.type !== 'tool_result').map(entryLine);
const results = (entries: readonly JSONLEntry[]): (string | undefined)[] =>
  entries.flatMap((entry) =>
    entry.toolResult === undefined ? [] : `${entry.toolResult.name} ${entry.toolResult.status}`,
  );
const lastWords = ({ agent }: TestAgent): string =>
  String(agent.entries().findLast((entry) => entry.type === 'assistant')?.message.content);
const testsPass = (root: string): boolean =>
  spawnSync(process.execPath, ['--test'], { cwd: root, stdio: 'ignore' }).status === 0;

test('"fix the failing test" fixes the sample project with the real tools, the same way twice', {
  tags: 'long',
}, async () => {
  const [one, two] = await Promise.all([demo(), demo()]);
  expect(testsPass(one.root)).toBe(false);
  await Promise.all([one.ask('fix the failing test'), two.ask('fix the failing test')]);
  for (const { agent, root, lines } of [one, two]) {
    expect(lines().at(-1)).toMatch(/^turn_ended done/);
    expect(results(agent.entries())).toEqual([
      'TodoWrite ok',
      'Bash error',
      'Read ok',
      'Edit ok',
      'TodoWrite ok',
      'Bash ok',
      'TodoWrite ok',
    ]);
    expect(agent.state().todos.map((todo) => todo.status)).toEqual(['completed', 'completed', 'completed']);
    expect(testsPass(root)).toBe(true);
  }
  expect(script(two.agent.entries())).toEqual(script(one.agent.entries()));
  expect(await readFile(join(one.root, 'src/basket.js'), 'utf8')).toBe(
    (await readFile(join(sample, 'src/basket.js'), 'utf8')).replace(
      'sum += item.price;',
      'sum += item.price * item.quantity;',
    ),
  );
});

test('"explain this repository" names the project, its commands and its files, the same way twice', {
  tags: 'long',
}, async () => {
  const [one, two] = await Promise.all([demo(), demo()]);
  await Promise.all([one.ask('explain this repository'), two.ask('Explain this repository')]);
  const words = lastWords(one);
  expect(words).toContain('## market-basket');
  expect(words).toContain('Adds up what is in a shopping basket and prints a receipt');
  expect(words).toContain('- `npm run test`: `node --test`');
  for (const file of ['README.md', 'package.json', 'src/basket.js', 'src/main.js', 'test/basket.test.js'])
    expect(words).toContain(file);
  expect(words).toContain('I found 6 files');
  expect(results(one.agent.entries())).toEqual(['Glob ok', 'Grep ok', 'Read ok', 'Read ok']);
  expect(lastWords(two)).toBe(words);
});

test('"find TODOs" lists each with its location, the same way twice', async () => {
  const [one, two] = await Promise.all([demo(), demo()]);
  await Promise.all([one.ask('find TODOs'), two.ask('find TODOs')]);
  expect(lastWords(one)).toContain('I found **2**');
  expect(lastWords(one)).toMatch(/basket\.js.*a discount for ten or more/);
  expect(lastWords(one)).toMatch(/receipt\.js.*other currencies/);
  expect(script(two.agent.entries())).toEqual(script(one.agent.entries()));
});

test('anything else gets a list of what the demo can do, and says that it is a demo', async () => {
  const made = await demo();
  await made.ask('Write me a poem');
  expect(lastWords(made)).toMatch(/I am the \*\*demo model\*\*.*not a language model/);
  for (const request of ['explain this repository', 'find TODOs', 'fix the failing test'])
    expect(lastWords(made)).toContain(request);
});

test.each(['npm test', 'basket.js'])(
  'denying %s ends the script with the reason',
  { tags: 'long' },
  async (refused) => {
    const made = await demo((title) =>
      title.includes(refused) ? { behavior: 'deny', comment: 'not now' } : { behavior: 'allow' },
    );
    await made.ask('fix the failing test');
    expect(lastWords(made)).toMatch(/^I’ll stop here: .*not now/);
    expect(made.lines().at(-1)).toMatch(/^turn_ended done/);
    expect(await readFile(join(made.root, 'src/basket.js'), 'utf8')).toBe(
      await readFile(join(sample, 'src/basket.js'), 'utf8'),
    );
  },
);

test('if the tests pass already, it changes nothing', { tags: 'long' }, async () => {
  const made = await demo();
  await made.ask('fix the failing test');
  await made.ask('fix the failing test');
  expect(lastWords(made)).toBe('The tests pass here: there is nothing to fix.');
});

test('outside the sample project it says that it knows no other bug', { tags: 'long' }, async () => {
  const made = await demo();
  await writeFile(join(made.root, 'package.json'), '{ "scripts": { "test": "exit 3" } }');
  await writeFile(join(made.root, 'src/basket.js'), 'export const basket = [];');
  await made.ask('fix the failing test');
  expect(script(made.agent.entries()).at(-4)).toMatch(/^assistant: The tests fail\. I’ll read the one file/);
  expect(lastWords(made)).toMatch(/^I only know the bug of the sample project/);
});

test('its conversations can be compacted, and the next request works', { tags: 'long' }, async () => {
  const made = await demo();
  await made.ask('explain this repository');
  for (let round = 0; round < 6; round++) await made.ask('find TODOs');
  await made.run({ type: 'compact' });
  const report = made.events.findLast((event) => event.type === 'compaction_ended');
  expect(report).toMatchObject({ report: { outcome: 'done', trigger: 'manual' } });
  await made.ask('find TODOs');
  expect(lastWords(made)).toContain('I found **2**');
});

test('a stream stops at the word where it is aborted', async () => {
  const controller = new AbortController();
  const client = createDemoClient(async () => undefined);
  const request = { model: DEMO_MODEL, messages: [{ role: 'user', content: 'hello' }], tools: [] } as const;
  const heard: string[] = [];
  for await (const event of client.stream(request, controller.signal)) {
    heard.push(event.type);
    if (heard.length === 3) controller.abort();
  }
  expect(heard).toEqual(['text_delta', 'text_delta', 'text_delta']);
});
