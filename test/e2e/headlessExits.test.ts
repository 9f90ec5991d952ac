/** `-p`: every exit code, and the files and processes that remain. */
import { mkdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { linesOf } from './support/jsonLines.ts';
import { firstIsQuick } from './support/long.ts';
import { processesWith } from './support/processes.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { expectPairedCalls, textOf } from './support/wire.ts';

const story = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
const slow = { latency: 60, chunkSize: 6 } as const;

test('1: the turn failed; standard output is empty, the reason is on standard error', async () => {
  const { server, print } = await setUpProgram();
  server.script({ error: { status: 400, message: 'I do not like it' } });
  const printed = await print(['-p', 'hello']);
  expect(printed).toMatchObject({ code: 1, stdout: '' });
  expect(printed.stderr).toContain('I do not like it');
});

test('42: a folder in place of a session is reported in one line', { tags: 'long' }, async () => {
  const { server, work, print } = await setUpProgram();
  server.script({ text: 'Hello.' });
  expect(await print(['-p', 'hello'])).toMatchObject({ code: 0 });
  const [{ file: log } = { file: '' }] = await work.sessions();
  await rm(log);
  await mkdir(log);
  const printed = await print(['-p', '--resume', basename(log, '.jsonl'), 'hello']);
  expect(printed).toMatchObject({ code: 42, stdout: '' });
  expect(printed.stderr).toMatch(/^clawdcode: .*session.*\n$/);
});

test('1: in json, the failure is a result too', { tags: 'long' }, async () => {
  const { server, print } = await setUpProgram();
  server.script({ error: { status: 400, message: 'I do not like it' } });
  const { code, stdout } = await print(['-p', 'hello', '--output-format', 'json']);
  expect(code).toBe(1);
  const result = JSON.parse(stdout) as { errors: string[] };
  expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  expect(result.errors.join()).toContain('I do not like it');
  expect(result).not.toHaveProperty('result');
});

test('41: no key, or a rejected one', { tags: 'long' }, async () => {
  const { server, work, print } = await setUpProgram();
  const without = await print(['-p', 'hello'], { env: work.env() });
  expect(without).toMatchObject({ code: 41, stdout: '' });
  expect(without.stderr).toContain('OPENAI_API_KEY');
  server.script({ error: { status: 401, message: 'Incorrect API key provided' } });
  expect(await print(['-p', 'hello'])).toMatchObject({ code: 41, stdout: '' });
});

for (const { row, options } of firstIsQuick([
  { why: 'no prompt', args: ['-p'] },
  { why: 'an option that does not exist', args: ['-p', '--no-such-option', 'hello'] },
  { why: 'a mode that does not exist', args: ['-p', '--permission-mode', 'wild', 'hello'] },
  { why: 'nothing to continue', args: ['-p', '--continue', 'hello'] },
  { why: 'a session that does not exist', args: ['-p', '--resume', 'nosuchid', 'hello'] },
  { why: 'a command that does not exist', args: ['-p', '/contxt'] },
  { why: 'no terminal and nothing to do', args: [] },
]))
  test(`42: ${row.why}`, options, async () => {
    const { server, print } = await setUpProgram();
    const printed = await print(row.args);
    expect(printed).toMatchObject({ code: 42, stdout: '' });
    expect(printed.stderr).not.toBe('');
    expect(server.requests()).toEqual([]);
  });

test('52: a flag has an invalid value', { tags: 'long' }, async () => {
  const { print } = await setUpProgram();
  const printed = await print(['-p', '--base-url', 'nowhere', 'hello']);
  expect(printed).toMatchObject({ code: 52, stdout: '' });
  expect(printed.stderr).toContain('--base-url');
});

test('53: the step limit is reached, and every call has its result', { tags: 'long' }, async () => {
  const { server, print } = await setUpProgram();
  server.otherwise(() => ({ calls: [{ name: 'Glob', input: { pattern: `*${Math.random()}` } }] }));
  const { code, stdout } = await print(['-p', 'go', '--max-turns', '2', '--output-format', 'json']);
  expect(code).toBe(53);
  expect(JSON.parse(stdout)).toMatchObject({ subtype: 'error_max_turns', num_turns: 2, is_error: true });
  expect(server.requests()).toHaveLength(2);
  await print(['-p', '--continue', 'and?', '--max-turns', '1']);
  const last = server.requests()[2];
  if (last === undefined) throw new Error('no request');
  expectPairedCalls(last);
});

test('1: a model that repeats itself is warned first, then the turn ends', { tags: 'long' }, async () => {
  const { server, print } = await setUpProgram();
  server.otherwise(() => ({ calls: [{ name: 'Glob', input: { pattern: '*.js' } }] }));
  const { code, stdout } = await print(['-p', 'go', '--output-format', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ is_error: true, num_turns: 4 });
  const requests = server.requests();
  expect(requests).toHaveLength(4);
  expect(JSON.stringify(requests[2]?.messages)).not.toContain('3 times in a row');
  expect(textOf(requests[3]?.messages.at(-1))).toContain('3 times in a row');
});

test.each([
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const)(
  '$code: $signal ends the running command, and the session continues',
  { tags: 'long' },
  async ({ signal, code }) => {
    const setup = await setUpProgram();
    const { server } = setup;
    const seconds = `300.${process.pid}${code}`;
    const command = `sleep ${seconds} & touch up; wait`;
    server.script({ text: 'Wait.', calls: [{ name: 'Bash', input: { command } }] }, { text: 'On we go.' });
    const running = setup.startPrint(['-p', 'wait', '--yolo']);
    await expect.poll(() => processesWith(seconds).length, { timeout: 30_000 }).toBe(1);
    running.kill(signal);
    const ended = await running.ended;
    expect(exitCode(ended)).toBe(code);
    expect(ended.stdout).toBe('');
    await expect.poll(() => processesWith(seconds)).toEqual([]);
    expect(await setup.print(['-p', '--continue', 'well?'])).toMatchObject({
      code: 0,
      stdout: 'On we go.\n',
    });
    const last = server.requests()[1];
    if (last === undefined) throw new Error('no request');
    expectPairedCalls(last);
  },
);

test('130: the received part of a reply is kept', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: story, ...slow });
  const flags = ['--output-format', 'stream-json', '--include-partial-messages'];
  const running = setup.startPrint(['-p', 'a story', ...flags]);
  await expect.poll(() => running.printed(), { timeout: 30_000 }).toContain('text_delta');
  running.kill('SIGINT');
  const ended = await running.ended;
  expect(exitCode(ended)).toBe(130);
  expect(linesOf(ended.stdout).at(-1)).toMatchObject({ type: 'result', is_error: true });
  const entries = (await setup.work.sessions())[0]?.entries ?? [];
  const reply = entries.find((entry) => entry.type === 'assistant')?.message;
  expect(reply).toMatchObject({ interrupted: true });
  expect(String(reply?.content)).toMatch(/^word0/);
});

/** As a shell reports it: for a program ended by a signal, 128 plus the signal's number. */
function exitCode({ code, signal }: Awaited<ReturnType<TestProgram['print']>>): number | null {
  if (signal === 'SIGINT') return 130;
  return signal === 'SIGTERM' ? 143 : code;
}
