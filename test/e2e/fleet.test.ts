/** `clawdcode fleet run`: many headless runs, their results in one folder. */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linesOf } from './support/jsonLines.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

async function setUpFleet() {
  const setup = await setUpProgram();
  const base = join(setup.work.repository, '..', 'fleet');
  const folder = (name: string): string => {
    mkdirSync(join(base, name), { recursive: true });
    return join(base, name);
  };
  folder('.');
  const fleet = (...args: string[]) => setup.startPrint(['fleet', ...args], { cwd: base });
  const results = (out = 'out'): Record<string, unknown>[] =>
    linesOf(readFileSync(join(base, out, 'results.jsonl'), 'utf8'));
  return { ...setup, base, folder, fleet, results };
}

test('one prompt runs in many folders, with results, sessions and a summary', { tags: 'long' }, async () => {
  const { server, folder, fleet, results, base } = await setUpFleet();
  for (const name of ['a', 'b', 'c']) folder(`repos/${name}`);
  server.otherwise(() => ({ text: 'Done here.', usage: { prompt_tokens: 10, completion_tokens: 2 } }));
  const { code, stdout, stderr } = await fleet(
    ...['run', '--prompt', 'Look around', '--out', 'out', '-j', '2', 'repos/a', 'repos/b', 'repos/c'],
  ).ended;
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('3 done · 0 failed · 0 timed out');
  expect(linesOf(stdout)).toEqual(results());
  expect(results()).toHaveLength(3);
  for (const result of results()) {
    expect(result).toMatchObject({
      status: 'done',
      exit_code: 0,
      tries: 1,
      result: { result: 'Done here.' },
    });
    const session = linesOf(readFileSync(join(base, 'out', String(result.session)), 'utf8'));
    expect(session[0]).toMatchObject({ sessionId: result.session_id, cwd: result.cwd });
  }
  expect(server.requests().map(({ messages }) => textOf(messages.at(-1)))).toEqual(
    Array(3).fill('Look around'),
  );

  // A second run has nothing to do.
  const again = await fleet('run', '--prompt', 'Look around', '--out', 'out', 'repos/a', 'repos/b', 'repos/c')
    .ended;
  expect(again).toMatchObject({ code: 0, stdout: '' });
  expect(again.stderr).toContain('3 of 3 tasks already have a result');
  expect(server.requests()).toHaveLength(3);
});

test('a terminal shows each reply on one line, and no JSON', async () => {
  const { server, base, folder, open } = await setUpFleet();
  folder('repos/a');
  server.otherwise(() => ({ text: `First line.\n\n${'word '.repeat(100)}` }));
  const terminal = open(['fleet', 'run', '--prompt', 'Look', '--out', 'out', 'repos/a'], { cwd: base });
  await terminal.waitForPrinted('1 task, 1 at a time');
  await terminal.waitForPrinted(/\[1\/1\] a-\w+: done[^\n]*\n {2}First line\. word [^\n]*…\s*\n1 done/);
  await terminal.waitForPrinted('Results, sessions and logs: out');
  expect(await terminal.exited).toBe(0);
  expect(terminal.everything()).not.toContain('session_id');
});

test('the line of a failed task says why it failed', { tags: 'long' }, async () => {
  const { folder, fleet } = await setUpFleet();
  folder('a');
  const run = ['run', '--prompt', 'Look', '--out', 'out', '-j', '1', 'a', 'gone'];
  const { code, stderr } = await fleet(...run, '--', '--max-turns', 'many').ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/\] a-\w+: failed · \d+ s: [^\n]*--max-turns/);
  expect(stderr).toMatch(/\] gone-\w+: failed · 0 s: there is no folder [^\n]*gone\n/);
});

test('the line of a task whose request was rejected also says why', { tags: 'long' }, async () => {
  const { server, folder, fleet } = await setUpFleet();
  folder('a');
  server.otherwise(() => ({ error: { status: 400, message: 'no such field' } }));
  const { stderr } = await fleet('run', '--prompt', 'Look', '--out', 'out', 'a').ended;
  expect(stderr).toMatch(/\] a-\w+: failed · \d+ s: [^\n]*It said: "no such field"/);
});

test('tasks from a file have their own limits; flags after -- apply to each run', {
  tags: 'long',
}, async () => {
  const { server, base, folder, fleet, results } = await setUpFleet();
  folder('a');
  const tasks = [
    { id: 'one', prompt: 'first', cwd: 'a', model: 'other-model' },
    { id: 'two', prompt: 'second', cwd: 'a', maxTurns: 1 },
    { id: 'three', prompt: 'third', cwd: 'missing' },
  ];
  writeFileSync(join(base, 'tasks.jsonl'), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  server.otherwise(({ messages, model }) => {
    const prompt = messages.map(textOf).join(' ');
    if (prompt.includes('second')) return { calls: [{ name: 'Glob', input: { pattern: '*' } }] };
    return { text: `By ${model}.` };
  });
  const { code, stderr } = await fleet(
    ...[
      'run',
      '--tasks',
      'tasks.jsonl',
      '--out',
      'out',
      '--retries',
      '2',
      '--',
      '--append-system-prompt',
      'BE BRIEF',
    ],
  ).ended;
  expect(code, stderr).toBe(1);
  const byId = new Map(results().map((result) => [result.id, result]));
  expect(byId.get('one')).toMatchObject({ status: 'done', result: { result: 'By other-model.' } });
  expect(byId.get('two')).toMatchObject({ status: 'failed', exit_code: 53, tries: 1 });
  expect(byId.get('three')).toMatchObject({ status: 'failed', session: null });
  expect(readFileSync(join(base, 'out/logs/three.txt'), 'utf8')).toContain('there is no folder');
  for (const { messages } of server.requests()) expect(textOf(messages[0])).toContain('BE BRIEF');
});

test('a task that takes too long is stopped, and runs again with --retry-failed', {
  tags: 'long',
}, async () => {
  const { server, work, access, startPrint, base, folder, fleet, results } = await setUpFleet();
  folder('a');
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
  const args = ['run', '--prompt', 'go', '--out', 'out', 'a'];
  const env = work.env({ ...access, OPENAI_BASE_URL: url });
  const first = startPrint(['fleet', ...args, '--timeout', '4'], { cwd: base, env });
  expect(await first.ended).toMatchObject({ code: 1 });
  expect(results()).toMatchObject([{ status: 'timed_out', tries: 1 }]);
  server.otherwise(() => ({ text: 'Now.' }));
  expect(await fleet(...args).ended).toMatchObject({ code: 1, stdout: '' });
  expect(await fleet(...args, '--retry-failed').ended).toMatchObject({ code: 0 });
  expect(results().map(({ status }) => status)).toEqual(['timed_out', 'done']);
});

/** A reply that never starts. */
const never = { text: 'Too late.', latency: 10_000_000 };

test('Ctrl+C stops the children; their tasks run next time', { tags: 'long' }, async () => {
  const { server, folder, fleet, base } = await setUpFleet();
  for (const name of ['a', 'b', 'c']) folder(name);
  server.script(never, never);
  const args = ['run', '--prompt', 'go', '--out', 'out', '-j', '2', 'a', 'b', 'c'];
  const running = fleet(...args);
  await expect.poll(() => server.requests().length).toBe(2);
  running.kill('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  expect(stderr).toContain('3 not run');
  expect(readFileSync(join(base, 'out/results.jsonl'), 'utf8')).toBe('');
  // Their connections are closed, so the children have exited.
  server.otherwise(() => ({ text: 'Yes.' }));
  expect(await fleet(...args).ended).toMatchObject({ code: 0 });
});

test('mistakes are reported before any task runs', { tags: 'long' }, async () => {
  const { base, folder, fleet, server } = await setUpFleet();
  writeFileSync(join(base, 'bad.jsonl'), '{"prompt":"x","yolo":true}\n');
  symlinkSync(folder('a'), join(base, 'link'));
  for (const [args, message] of [
    [['run', '--out', 'out'], 'give --tasks'],
    [['run', '--out', 'out', '--tasks', 'bad.jsonl'], 'bad.jsonl: line 1: Unrecognized key'],
    [['run', '--out', 'out', '--tasks', 'none.jsonl'], 'none.jsonl'],
    [['run', '--out', 'out', '--prompt', 'x', 'a', '--', '--resume'], '--resume cannot be given'],
    [['run', '--out', 'out', '--prompt', 'x', '--shard', '4/4', 'a'], 'It must be like 0/4'],
    [['run', '--prompt', 'x', 'a'], '--out'],
    [['run', '--out', 'a/sub/out', '--prompt', 'x', 'a'], 'Choose a folder outside.'],
    [['run', '--out', 'link/out', '--prompt', 'x', 'a'], 'Choose a folder outside.'],
  ] as const) {
    const { code, stderr } = await fleet(...args).ended;
    expect(code).toBe(42);
    expect(stderr).toContain(message);
  }
  expect((await fleet('--help').ended).stdout).toContain('clawdcode fleet run');
  expect(server.requests()).toEqual([]);
  expect(readdirSync(base).sort()).toEqual(['a', 'bad.jsonl', 'link']);
  expect(readdirSync(join(base, 'a'))).toEqual([]);
});
