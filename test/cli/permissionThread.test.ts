/** Deciding about commands in a separate thread. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ThreadedEngine } from '../../src/cli/permissionThread/ThreadedEngine.ts';
import type { PolicyFacts } from '../../src/permissions/policy.ts';
import { home, newWorkspace, root, rule, wasmFolder } from '../permissions/harness.ts';

newWorkspace();
const entry = new URL('../../src/cli/permissionThread/worker.ts', import.meta.url);
const start = (): Worker =>
  new Worker(entry, { workerData: { wasm: wasmFolder(), env: { ...process.env } } });
/** Accepts every request and answers none. */
const hang = (): Worker =>
  new Worker(`require('node:worker_threads').parentPort.on('message', () => { for (;;); })`, { eval: true });

const facts = (rules: readonly string[] = []): PolicyFacts => ({
  mode: 'default',
  rules: rules.map(rule),
  root,
  additionalDirectories: [],
  home,
  platform: process.platform,
  localSettingsFile: join(root, '.clawdcode.local.json'),
});
const call = (command: string) =>
  ({ tool: 'Bash', access: { type: 'command', command, cwd: root } }) as const;

test('the thread decides like the main thread: grammar, disk, rules', {
  tags: 'long',
}, async () => {
  const engine = new ThreadedEngine(start);
  const behavior = async (command: string, rules?: readonly string[]) =>
    (await engine.decide(call(command), facts(rules))).behavior;
  expect(await behavior('wc -l src/*.ts')).toBe('allow');
  expect(await behavior('cat .e*')).toBe('ask');
  expect(await behavior('make', ['allow Bash(make)'])).toBe('allow');
  expect(await behavior('make', ['deny Bash(make)'])).toBe('deny');
  const { parts } = await engine.explain(call('ls && make'), facts());
  expect(parts.map(({ text }) => text)).toEqual(['ls', 'make']);
  expect(await engine.matches(['docker *'], 'docker ps', root)).toBe(true);
  expect(await engine.matches(['docker *'], 'docker ps; rm a', root)).toBe(false);
  const answered = { ...call('make all'), answer: 'allowed' } as const;
  const { rules } = await engine.propose([answered, answered], facts(), 2);
  expect(rules.map((one) => one.times)).toEqual([2]);
});

test("a command that exhausts the grammar's memory keeps neither the memory nor later commands", {
  tags: 'long',
}, async () => {
  const engine = new ThreadedEngine(start);
  const behaviorOf = async (command: string) => (await engine.decide(call(command), facts())).behavior;
  const before = process.memoryUsage.rss();
  // An error at the end, from which the grammar tries to recover.
  expect(await behaviorOf('curl|'.repeat(12_800))).toBe('ask');
  expect(process.memoryUsage.rss() - before).toBeLessThan(400_000_000);
  for (const command of ['ls', 'wc -l src/*.ts', 'ls && cat a.txt'])
    expect(await behaviorOf(command)).toBe('allow');
  await engine.close();
});

test('a thread in which the grammar has failed answers what it was asked, and is replaced', async () => {
  const ended: number[] = [];
  const threads: Worker[] = [];
  const engine = new ThreadedEngine(() => {
    const number = threads.length;
    const thread = new Worker(
      `const { parentPort } = require('node:worker_threads');
       parentPort.on('message', ({ id }) =>
         parentPort.postMessage({ id, type: 'done', result: ${number} === 1, ...(${number} === 0 && { isLast: true }) }));`,
      { eval: true },
    );
    thread.on('exit', () => ended.push(number));
    threads.push(thread);
    return thread;
  });
  const ask = (): Promise<boolean> => engine.matches([':'], ':', '/');
  expect(await Promise.all([ask(), ask()])).toEqual([false, false]);
  expect(await Promise.all([ask(), ask()])).toEqual([true, true]);
  expect(threads).toHaveLength(2);
  await expect.poll(() => ended).toEqual([0]);
  await engine.close();
});

test('a request to a replaced thread that dies is not waited for', async () => {
  const failures: string[] = [];
  const engine = new ThreadedEngine(
    () =>
      new Worker(
        `const { parentPort } = require('node:worker_threads');
         let asked = 0;
         parentPort.on('message', ({ id }) => {
           if (++asked === 1) setTimeout(() => process.exit(), 100);
           else parentPort.postMessage({ id, type: 'done', result: true, isLast: true });
         });`,
        { eval: true },
      ),
    { onFailure: (reason) => failures.push(reason) },
  );
  const ask = (): Promise<boolean> => engine.matches([':'], ':', '/');
  expect(await Promise.all([ask(), ask()])).toEqual([false, true]);
  expect(failures[0]).toContain('has stopped');
  await engine.close();
});

test('if the thread hangs, the screen keeps working and the check times out with a message', async () => {
  const failures: string[] = [];
  const engine = new ThreadedEngine(hang, {
    maxMs: 500,
    onFailure: (reason) => failures.push(reason),
  });
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  const [looks, denied] = await Promise.all([
    engine.decide(call('ls'), facts()),
    engine.decide(call('make'), facts(['deny Bash(make)'])),
  ]);
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(5);
  expect(looks).toMatchObject({ behavior: 'ask', reason: expect.stringContaining('takes too long') });
  expect(denied.behavior).toBe('deny');
  expect(failures[0]).toBe('no decision within 500 ms');
});

test('the thread finds what rules deny reading; without it, the main thread does', {
  tags: 'long',
}, async () => {
  writeFileSync(join(root, 'one.pem'), '');
  const query = { home, workspace: [root], rules: [rule('deny Read(*.pem)')], opened: [] };
  const found = { paths: [join(root, 'one.pem')], whole: [] };
  expect(await new ThreadedEngine(start).findDenied(query)).toEqual(found);
  const missing = new ThreadedEngine(() => new Worker(join(root, 'missing.js')));
  expect(await missing.findDenied(query)).toEqual(found);
});

test('if searching for denied files takes too long, no command runs', async () => {
  const engine = new ThreadedEngine(hang, { maxMs: 200 });
  const query = { home, workspace: [root], rules: [rule('deny Read(*.pem)')], opened: [] };
  expect((await engine.findDenied(query)).refusal).toMatch(/takes too long/);
});

test('if the thread dies or cannot start, the command asks', async () => {
  const failures: string[] = [];
  const onFailure = (reason: string): unknown => failures.push(reason);
  const missing = new ThreadedEngine(() => new Worker(join(root, 'missing.js')), { onFailure });
  expect((await missing.decide(call('ls'), facts())).behavior).toBe('ask');
  const impossible = new ThreadedEngine(
    () => {
      throw new Error('no threads');
    },
    { onFailure },
  );
  expect((await impossible.decide(call('ls'), facts())).behavior).toBe('ask');
  expect(await impossible.matches(['ls'], 'ls', root)).toBe(false);
  expect(failures).toHaveLength(3);
});
