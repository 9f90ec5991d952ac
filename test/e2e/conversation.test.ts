/** The first hour of a working day: read, change and run, with the approvals in between. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { kindsOf } from './support/entryKinds.ts';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';
import { expectPairedCalls } from './support/wire.ts';

const constants = 'lib/constants.js';
const before = "const WIN_SLASH = '\\\\\\\\/';";
const after = "const WIN_SLASH = '[\\\\\\\\/]';";

test('a task is done with Read, Grep, Edit and Bash, each approved at the prompt', async () => {
  const { server, work, ready } = await setUpProgram();
  const command = 'git tag --force checked';
  server.script(
    {
      text: 'I look first.',
      calls: [
        { name: 'Read', input: { file_path: constants, limit: 10 } },
        { name: 'Grep', input: { pattern: 'WIN_SLASH', path: 'lib' } },
      ],
    },
    { calls: [{ name: 'Edit', input: { file_path: constants, old_string: before, new_string: after } }] },
    { calls: [{ name: 'Bash', input: { command, description: 'Mark the state' } }] },
    { calls: [{ name: 'Bash', input: { command } }] },
    { text: 'Done: **WIN_SLASH** is a class now, and the state is marked.' },
  );
  const terminal = await ready();
  await terminal.submit('Make WIN_SLASH a character class');

  await terminal.waitFor(/─ Edit .*\?/);
  const question = terminal.screen();
  expect(question).toContain(before);
  expect(question).toContain(after);
  expect(await work.read(constants)).toContain(before);
  await terminal.answer('y');

  await terminal.waitFor('Run this command?');
  expect(terminal.screen()).toContain(command);
  expect(await work.read(constants)).toContain(after);
  await terminal.answer('a');
  await terminal.waitFor('❯ 2. Yes');
  // Soon after the answer to another question, Enter does not count.
  await terminal.pressUntil(keys.enter, () => !terminal.screen().includes('❯ 2. Yes'));
  await terminal.waitFor('WIN_SLASH is a class now');
  await terminal.waitForIdle();

  expect(await work.git('tag')).toBe('checked\n');
  const saved = JSON.parse(await work.read('.clawdcode.local.json')) as {
    permissions: { allow: string[] };
  };
  expect(saved.permissions.allow.length).toBeGreaterThan(0);
  expect(saved.permissions.allow.every((rule) => rule.startsWith('Bash('))).toBe(true);

  const requests = server.requests();
  expect(requests.map((request) => request.messages.map((message) => message.role))).toEqual([
    ['system', 'user'],
    ['system', 'user', 'assistant', 'tool', 'tool'],
    ['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'tool'],
    ['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'tool'],
    [
      ...['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'tool'],
      ...['assistant', 'tool'],
    ],
  ]);
  for (const request of requests) expectPairedCalls(request);
  for (const [index, request] of requests.slice(1).entries()) {
    const earlier = requests[index]?.messages ?? [];
    expect(JSON.stringify(request.messages.slice(0, earlier.length))).toBe(JSON.stringify(earlier));
  }
  const [, prompt, first, read, grep] = requests[1]?.messages ?? [];
  expect(prompt).toEqual({ role: 'user', content: 'Make WIN_SLASH a character class' });
  expect(first).toMatchObject({ content: 'I look first.' });
  expect(String(read?.content)).toContain('2\t');
  expect(String(grep?.content)).toContain('lib/constants.js');
  expect(server.left()).toBe(0);

  const [session] = await work.sessions();
  const entries = session?.entries ?? [];
  // The rest is the title's request.
  const worked = entries.slice(0, entries.findIndex(({ subtype }) => subtype === 'turn_end') + 1);
  expect(kindsOf(worked)).toEqual([
    ...['session_start', 'prompt', 'assistant', 'tool_use Read', 'tool_use Grep'],
    // What the edit replaces is recorded before it, and the change after it.
    ...['tool_result ok', 'tool_result ok', 'assistant', 'tool_use Edit', 'checkpoint', 'tool_result ok'],
    'checkpoint',
    ...['assistant', 'tool_use Bash', 'tool_result ok', 'assistant', 'tool_use Bash', 'tool_result ok'],
    ...['assistant', 'turn_end'],
  ]);
  expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index));
  expect(entries.slice(1).map((entry) => entry.parentUuid)).toEqual(
    entries.slice(0, -1).map((entry) => entry.uuid),
  );
  const edit = entries.find((entry) => entry.toolResult?.name === 'Edit')?.toolResult;
  expect(edit?.filesChanged).toMatchObject([
    { path: join(work.repository, constants), kind: 'modified', added: 1, removed: 1 },
  ]);
  expect((await stat(session?.file ?? '')).mode & 0o777).toBe(0o600);
  expectTried(terminal, 'confirm:yes', 'confirm:always');
});

test('the status line counts the reply that was just received', async () => {
  const { server, ready } = await setUpProgram();
  server.script({ text: 'word '.repeat(20_000) });
  const terminal = await ready(['--context-window', '60000']);
  await terminal.submit('Say a lot');
  await terminal.waitFor(/context ~?(?:3|4)\d% of 60k/);
});

test('a denied edit does not change the file, and the comment reaches the model', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Read', input: { file_path: constants } }] },
    { calls: [{ name: 'Edit', input: { file_path: constants, old_string: before, new_string: after } }] },
    { text: 'Then I leave it.' },
  );
  const terminal = await ready();
  await terminal.submit('change it');
  await terminal.waitFor(/─ Edit .*\?/);
  await terminal.answer(keys.tab);
  await terminal.submit('not in this release');
  await terminal.waitFor('Then I leave it.');
  expect(await work.read(constants)).toContain(before);
  expect(String(server.requests()[2]?.messages.at(-1)?.content)).toContain('not in this release');
  expectTried(terminal, 'confirm:comment');
});

test('commands reply without the model; text that only looks like one is a prompt', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ text: 'A greeting.' }, { text: 'That is a path.' }, { text: 'I saw your command.' });
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitForPrinted('A greeting.');
  await terminal.waitForIdle();

  await terminal.submit('/context');
  await terminal.waitForPrinted(/Context: ~?[\d,. ]+ of [\d,. ]+ tokens/);
  await terminal.waitForPrinted('free until compaction');
  await terminal.submit('/status');
  await terminal.waitForPrinted(server.baseUrl);
  await terminal.waitForPrinted(/Key +from/);
  expect(terminal.everything()).not.toContain('sk-test-key');
  await terminal.submit('/cost');
  await terminal.waitForPrinted(/Requests +1/);
  await terminal.type('/contxt');
  await terminal.press(keys.escape, keys.enter); // without the suggested completion
  await terminal.waitForPrinted('Did you mean /context?');
  expect(server.requests()).toHaveLength(1);

  await terminal.submit('/usr/bin/env is slow');
  await terminal.waitForPrinted('That is a path.');
  await terminal.waitForIdle();
  expect(server.requests()[1]?.messages.at(-1)).toEqual({ role: 'user', content: '/usr/bin/env is slow' });

  await terminal.submit('!echo from the shell && pwd');
  await terminal.waitForPrinted(`from the shell`);
  await terminal.waitForPrinted(work.repository);
  expect(server.requests()).toHaveLength(2);
  await terminal.submit('what did I run?');
  await terminal.waitForPrinted('I saw your command.');
  const last = JSON.stringify(server.requests()[2]?.messages.slice(-2));
  expect(last).toContain('echo from the shell');
  expect(last).toContain('from the shell\\n');
});

test('/clear keeps the mode, model and effort that the user has set', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Your move.' });
  const terminal = await setup.ready(['--permission-mode', 'acceptEdits']);
  await terminal.submit('/model mock-large');
  await terminal.waitFor(/mock-large · .*accept edits mode/);
  await terminal.submit('/effort high');
  await terminal.waitFor(/mock-large · high · .*accept edits mode/);
  await terminal.press(keys.shiftTab);
  await terminal.waitFor(/mock-large · high · .*plan mode/);
  await terminal.submit('/clear');
  await terminal.waitFor('New session.');
  await terminal.waitFor(/mock-large · high · .*plan mode/);
  await terminal.submit('hello');
  await terminal.waitFor('Your move.');
  expect(setup.server.requests().at(-1)).toMatchObject({ model: 'mock-large', reasoning_effort: 'high' });
});

test('/clear starts a new session, and the old one stays', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ text: 'First answer.' }, { text: 'Second answer.' });
  const terminal = await ready();
  await terminal.submit('first question');
  await terminal.waitForPrinted('First answer.');
  await terminal.waitForIdle();
  await terminal.submit('/clear');
  await terminal.waitForPrinted('New session. Resume the previous one');
  await terminal.submit('second question');
  await terminal.waitForPrinted('Second answer.');
  const [, second] = server.requests();
  expect(second?.messages.map((message) => message.role)).toEqual(['system', 'user']);
  await terminal.waitForIdle();
  const sessions = await work.sessions();
  expect(sessions).toHaveLength(2);
  expect(sessions.map(({ entries }) => entries.filter((one) => one.subtype === 'prompt').length)).toEqual([
    1, 1,
  ]);
});

test('a plan is shown, accepted, and then carried out', long, async () => {
  const { server, work, ready } = await setUpProgram();
  const plan = '# The plan\n\n1. Write `plan.txt`\n2. Be done';
  server.script(
    { calls: [{ name: 'Write', input: { file_path: 'early.txt', content: 'x' } }] },
    { calls: [{ name: 'ExitPlanMode', input: { plan } }] },
    { calls: [{ name: 'Write', input: { file_path: 'plan.txt', content: 'as planned\n' } }] },
    { text: 'Carried out.' },
  );
  const terminal = await ready(['--permission-mode', 'plan']);
  await terminal.waitFor('plan mode');
  await terminal.submit('plan it');
  await terminal.waitFor('Start this plan?');
  expect(terminal.screen()).toContain('The plan');
  expect(terminal.screen()).toContain('Be done');
  await terminal.answer(keys.shiftTab);
  expectTried(terminal, 'confirm:cycleMode');
  await terminal.waitFor('Carried out.');
  await terminal.waitFor('accept edits mode');
  expect(await work.read('plan.txt')).toBe('as planned\n');
  expect(await work.git('status', '--porcelain')).toBe('?? plan.txt\n');
  for (const request of server.requests()) expectPairedCalls(request);
});

test('the todo list is updated on screen', long, async () => {
  const { server, ready } = await setUpProgram();
  const todos = (first: string, second: string) => ({
    name: 'TodoWrite',
    input: {
      todos: [
        { content: 'Look around', status: first },
        { content: 'Clean up', status: second },
      ],
    },
  });
  server.script(
    { calls: [todos('in_progress', 'pending')] },
    { text: 'x'.repeat(60), latency: 100, chunkSize: 4 },
  );
  const terminal = await ready();
  await terminal.submit('tidy');
  await terminal.waitFor('Look around');
  await terminal.waitFor('Clean up');
  await terminal.waitForIdle();
});

test('a prompt on the command line is sent at once; /model, /help and /permissions reply', long, async () => {
  const { server, ready } = await setUpProgram();
  server.script({ text: 'Hello yourself.' }, { text: 'I am another.' });
  const terminal = await ready(['say', 'hello'], { rows: 60 });
  await terminal.waitFor('Hello yourself.');
  await terminal.waitForIdle();
  expect(server.requests()[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'say hello' });

  await terminal.submit('/help');
  for (const name of ['/compact', '/resume', '/clear', '/model', '/context', '/cost', '/exit'])
    await terminal.waitForPrinted(name);
  await terminal.submit('/permissions');
  await terminal.waitForPrinted(/default/);
  await terminal.submit('/model mock-2');
  await terminal.waitFor(/mock-2 · (?:no sandbox · )?context/);
  await terminal.submit('who are you?');
  await terminal.waitFor('I am another.');
  expect(server.requests()[1]?.model).toBe('mock-2');
  await terminal.waitForIdle();
  await terminal.submit('/exit');
  await terminal.exited;

  // The session keeps its own model, whatever the environment names.
  const again = await ready(['--continue']);
  await again.waitFor(/mock-2 · (?:no sandbox · )?context/);
});

test('only requested files are written into the repository', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ calls: [{ name: 'Grep', input: { pattern: 'module.exports' } }] }, { text: 'Found.' });
  const terminal = await ready();
  await terminal.submit('search');
  await terminal.waitFor('Found.');
  await terminal.press(keys.ctrl('d'), keys.ctrl('d'));
  expect(await terminal.exited).toBe(0);
  expect(await work.git('status', '--porcelain')).toBe('');
  expect(await readFile(join(work.repository, '.git/HEAD'), 'utf8')).toContain('main');
});
