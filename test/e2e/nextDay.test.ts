/**
 * Exiting and resuming: the same session the next day, after a crash, and next to others.
 *
 * @module-tag long
 */
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { isAlive } from './support/processes.ts';
import type { ModelServer, WireRequest } from './support/server.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { expectPairedCalls, textOf } from './support/wire.ts';
import { clockShift } from './support/workspace.ts';

const DAY = 24;

test('on the day after a /compact, /resume continues with exactly the same request', async () => {
  const setup = await setUpProgram();
  const { server, work } = setup;
  const first = await firstDay(setup);
  const id = (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
  await quit(first);
  expect(first.everything()).toContain(`clawdcode --resume ${id}`);

  const today = await setup.ready([], { env: await tomorrow(setup) });
  await today.submit('/resume');
  await today.waitFor('Sessions of this project');
  await today.waitFor(/look at the scanner.*yesterday.*main/);
  await today.waitFor('Afterwards.');
  await today.press(keys.enter);
  await today.waitFor('Conversation compacted');
  await today.waitFor('Afterwards.');
  await expectGoesOn(today, server);

  const all = (await work.sessions()).flatMap(({ entries }) => entries);
  const environment = all.filter((entry) => entry.subtype === 'environment');
  expect(environment.map((entry) => entry.sessionId)).toEqual([id]);
});

for (const row of [
  { how: '--continue', args: () => ['--continue'] },
  { how: '--resume ID', args: (id: string) => ['--resume', id] },
  { how: '--resume with the start of an id', args: (id: string) => ['--resume', id.slice(0, 8)] },
])
  test(`${row.how} continues with exactly the same request`, async () => {
    const setup = await setUpProgram();
    const first = await firstDay(setup);
    const id = (await setup.work.sessions())[0]?.entries[0]?.sessionId ?? '';
    await quit(first);
    const today = await setup.ready(row.args(id), { env: await tomorrow(setup) });
    await today.waitFor('Afterwards.');
    await expectGoesOn(today, setup.server);
    expect(await setup.work.sessions()).toHaveLength(1);
  });

test('Enter twice in the picker opens the session once', async () => {
  const { server, ready, open } = await setUpProgram();
  server.script({ text: 'One.' }, { text: 'Two.' });
  const first = await ready();
  await first.submit('first');
  await first.waitFor('One.');
  await first.waitForIdle();
  await quit(first);
  const second = open(['--resume']);
  // Enter has no effect while the list is empty.
  await second.waitFor('❯ first');
  await second.press(`${keys.enter}${keys.enter}`);
  await second.waitFor(/mock-1 · (?:no sandbox · )?context/);
  await second.submit('second');
  await second.waitFor('Two.');
});

test('on the same day and in the same state, a resume adds nothing', async () => {
  const { server, ready } = await setUpProgram();
  server.script({ text: 'One.' }, { text: 'Two.' });
  const first = await ready();
  await first.submit('first');
  await first.waitFor('One.');
  await first.waitForIdle();
  await quit(first);
  const second = await ready(['-c']);
  await second.submit('second');
  await second.waitFor('Two.');
  const [before, after] = server.requests();
  expect(JSON.stringify(after?.messages.slice(0, 2))).toBe(JSON.stringify(before?.messages));
  expect(after?.messages.slice(2)).toEqual([
    { role: 'assistant', content: 'One.' },
    { role: 'user', content: 'second' },
  ]);
  expect(after?.tools).toEqual(before?.tools);
});

test('an unknown id is an error and never a new session', async () => {
  const { work, open, print } = await setUpProgram();
  const terminal = open(['--resume', 'nosuchsession']);
  expect(await terminal.exited).toBe(42);
  expect(terminal.everything()).toContain('No session "nosuchsession" in this project');
  const printed = await print(['-p', '--resume', 'nosuchsession', 'hello']);
  expect(printed).toMatchObject({ code: 42, stdout: '' });
  expect(printed.stderr).toContain('nosuchsession');
  expect(await work.sessions()).toEqual([]);
});

test('--continue without a session starts one and says so', async () => {
  const { server, ready } = await setUpProgram();
  server.script({ text: 'A fresh start.' });
  const terminal = await ready(['--continue']);
  await terminal.waitForPrinted(/no session to continue/i);
  await terminal.submit('hello');
  await terminal.waitFor('A fresh start.');
});

test('another project has its own sessions', async () => {
  const { server, work, ready, print } = await setUpProgram();
  server.script({ text: 'In the first.' });
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitFor('In the first.');
  await terminal.waitForIdle();
  await quit(terminal);
  const id = (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
  const other = join(dirname(work.repository), 'other');
  await mkdir(other);
  await cp(join(work.repository, '.git'), join(other, '.git'), { recursive: true });
  const elsewhere = await ready([], { cwd: other });
  await elsewhere.submit('/resume');
  await elsewhere.waitFor('No sessions in this project yet.');
  expect(await print(['-p', '--resume', id, 'hello'], { cwd: other })).toMatchObject({ code: 42 });
});

test('after kill -9 during a call, the call gets a result and is never run again', async () => {
  const { server, work, ready, print } = await setUpProgram();
  const command = 'echo run >> runs.txt; sleep 300 & echo $! > child.pid; wait';
  server.script(
    {
      text: 'Both at once.',
      calls: [
        { name: 'Read', input: { file_path: 'index.js' } },
        { name: 'Bash', input: { command } },
        { name: 'Bash', input: { command: 'echo second >> runs.txt' } },
      ],
    },
    { text: 'I see that it was cut short.' },
  );
  const terminal = await ready(['--permission-mode', 'bypassPermissions']);
  await terminal.submit('start it');
  const pidFile = join(work.repository, 'child.pid');
  await terminal.until(
    () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'),
    'the command runs',
  );
  terminal.kill('SIGKILL');
  await terminal.exited;
  const child = Number(await work.read('child.pid'));
  if (isAlive(child)) process.kill(child, 'SIGKILL');

  const printed = await print(['-p', '--continue', 'what happened?']);
  expect(printed).toMatchObject({ code: 0, stdout: 'I see that it was cut short.\n' });
  expect(await work.read('runs.txt')).toBe('run\n');
  const [, second] = server.requests();
  if (second === undefined) throw new Error('no second request');
  expectPairedCalls(second);
  const results = second.messages.filter((message) => message.role === 'tool').map(textOf);
  expect(results).toHaveLength(3);
  expect(results[0]).toContain('module.exports');
  expect(results[1]).not.toBe('');
  expect(second.messages.at(-1)).toEqual({ role: 'user', content: 'what happened?' });
});

test('after kill -9 during a reply, --continue shows nothing false and continues', async () => {
  const { server, ready } = await setUpProgram();
  const story = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  server.script({ text: story, latency: 60, chunkSize: 6 }, { text: 'Once upon a time.' });
  const first = await ready();
  await first.submit('tell me a story');
  await first.waitFor('word5');
  first.kill('SIGKILL');
  await first.exited;
  const second = await ready(['--continue']);
  await second.waitFor('> tell me a story');
  expect(second.screen()).not.toContain('word5');
  await second.submit('from the start, please');
  await second.waitFor('Once upon a time.');
  expect(server.requests()[1]?.messages.slice(1)).toEqual([
    { role: 'user', content: 'tell me a story' },
    { role: 'user', content: 'from the start, please' },
  ]);
});

test('a second program that opens the session names the holder', async () => {
  const { server, work, ready, print } = await setUpProgram();
  server.script({ text: 'Mine.' });
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitFor('Mine.');
  await terminal.waitForIdle();
  const id = (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
  const printed = await print(['-p', '--resume', id, 'mine too']);
  expect(printed).toMatchObject({ code: 42, stdout: '' });
  expect(printed.stderr).toContain(`process ${terminal.pid}`);
  expect(server.requests()).toHaveLength(1);
  await terminal.pressUntil(keys.ctrl('c'));
  expect(await terminal.exited).toBe(0);
});

/** Work with a call, `/compact`, and one more exchange; the session is still open. */
async function firstDay({ server, ready }: TestProgram): Promise<Terminal> {
  server.script(
    {
      text: 'I read it.',
      calls: [{ name: 'Read', input: { file_path: 'lib/scan.js' } }],
    },
    { text: 'It scans.' },
    { text: '1. Primary request and intent\nUnderstand the scanner.\n2. Key technical decisions\nNone.' },
    { text: 'Afterwards.' },
    { text: 'And on we go.' },
  );
  const terminal = await ready();
  await terminal.submit('look at the scanner');
  await terminal.waitFor('It scans.');
  await terminal.waitForIdle();
  await terminal.submit('/compact');
  await terminal.waitFor('Conversation compacted');
  await terminal.waitForIdle();
  await terminal.submit('and then?');
  await terminal.waitFor('Afterwards.');
  await terminal.waitForIdle();
  return terminal;
}

async function quit(terminal: Terminal): Promise<void> {
  await terminal.submit('/exit');
  expect(await terminal.exited).toBe(0);
}

async function tomorrow({ work, access }: TestProgram): Promise<Record<string, string>> {
  return work.env({ ...access, NODE_OPTIONS: await clockShift(work, DAY) });
}

/** The next request is the last one of yesterday, its reply, what has changed since, and the new prompt. */
async function expectGoesOn(terminal: Terminal, server: ModelServer): Promise<void> {
  const yesterday = server.requests().at(-1) as WireRequest;
  await terminal.submit('go on');
  await terminal.waitFor('And on we go.');
  const today = server.requests().at(-1) as WireRequest;
  const { length } = yesterday.messages;
  expect(JSON.stringify(today.messages.slice(0, length))).toBe(JSON.stringify(yesterday.messages));
  expect(today.tools).toEqual(yesterday.tools);
  const [reply, environment, prompt, ...rest] = today.messages.slice(length);
  expect(reply).toEqual({ role: 'assistant', content: 'Afterwards.' });
  expect(environment?.role).toBe('user');
  const dateIn = (text: string): string => /Date: (\d{4}-\d\d-\d\d)/.exec(text)?.[1] ?? '';
  const frozen = Date.parse(dateIn(textOf(yesterday.messages[0])));
  expect(Date.parse(dateIn(textOf(environment))) - frozen).toBe(DAY * 3_600_000);
  expect(prompt).toEqual({ role: 'user', content: 'go on' });
  expect(rest).toEqual([]);
}
