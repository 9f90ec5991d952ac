/** Another program drives a session: prompts and control requests on standard input. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { startDriver } from './support/driver.ts';
import { linesOf } from './support/jsonLines.ts';
import { program } from './support/program.ts';
import { MODEL, setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

describe('prompts', () => {
  test('several turns run in one session; the end of the input ends the program', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ text: 'One.' }, { text: 'Two.' });
    const driver = startDriver(setup);
    driver.prompt('first');
    const init = await driver.nextOf('system', 'init');
    expect(await driver.nextOf('result')).toMatchObject({ subtype: 'success', result: 'One.' });
    driver.prompt([{ type: 'text', text: 'second' }]);
    expect(await driver.nextOf('result')).toMatchObject({
      result: 'Two.',
      session_id: init.session_id,
      num_turns: 1,
    });
    expect(await driver.end()).toMatchObject({ code: 0, stderr: '' });
    const [, second] = setup.server.requests();
    expect(second?.messages.map(textOf).slice(-3)).toEqual(['first', 'One.', 'second']);
    expect(await setup.work.sessions()).toHaveLength(1);
  });

  test('prompts that arrive during a turn wait; each gets its own turn, even after the input has ended', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' });
    const driver = startDriver(setup, ['--replay-user-messages']);
    const uuid = '11111111-2222-4333-8444-555555555555';
    for (const text of ['first', 'second']) driver.prompt(text);
    driver.prompt('third', { uuid });
    const { code } = await driver.end();
    expect(code).toBe(0);
    const results = driver.lines().filter(({ type }) => type === 'result');
    expect(results.map(({ result }) => result)).toEqual(['One.', 'Two.', 'Three.']);
    const replayed = driver.lines().filter(({ isReplay }) => isReplay === true);
    expect(replayed.map(({ message }) => (message as { content: string }).content)).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect(replayed[2]?.uuid).toBe(uuid);
  });

  test('an image reaches the model', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ text: 'A picture.' });
    const data = PIXEL.toString('base64');
    const driver = startDriver(setup);
    driver.prompt([
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    ]);
    expect(await driver.nextOf('result')).toMatchObject({ result: 'A picture.' });
    await driver.end();
    expect(JSON.stringify(setup.server.requests()[0]?.messages.at(-1))).toContain(data.slice(0, 60));
  });

  test('a message that cannot be sent gets an error in reply, and the session continues', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ text: 'Yes.' });
    const driver = startDriver(setup);
    driver.prompt([{ type: 'document', source: { type: 'url', url: 'https://example.com' } }]);
    expect(await driver.nextOf('result')).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('"document" are not supported')],
    });
    driver.prompt('hello');
    expect(await driver.nextOf('result')).toMatchObject({ is_error: false, result: 'Yes.' });
    expect(await driver.end()).toMatchObject({ code: 0 });
  });

  test('a line that is not JSON ends the input; earlier prompts still complete', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ text: 'One.' });
    const driver = startDriver(setup);
    driver.prompt('first');
    driver.run.write('{"type":"user","message":\n');
    driver.prompt('never');
    const { code, stderr } = await driver.run.ended;
    expect(code).toBe(42);
    expect(stderr).toContain('a line of standard input is not JSON');
    expect(driver.lines().filter(({ type }) => type === 'result')).toMatchObject([{ result: 'One.' }]);
  });
});

test('if reading standard input fails, earlier prompts still complete', {
  tags: 'long',
}, async () => {
  const { server, work, access } = await setUpProgram();
  server.script({ text: 'One.' });
  const listener = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const driver = connect((listener.address() as { port: number }).port, '127.0.0.1');
  const [input] = (await once(listener, 'connection')) as [Socket];
  const [file = '', ...first] = program();
  const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
  const child = spawn(file, [...first, ...formats], {
    cwd: work.repository,
    env: work.env(access),
    stdio: [input, 'pipe', 'pipe'],
  });
  input.destroy();
  const exited = once(child, 'close');
  const printed = [text(child.stdout), text(child.stderr)] as const;
  driver.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'hello' } })}\n`);
  await server.waitForRequests(1);
  driver.resetAndDestroy();
  const [stdout, stderr] = await Promise.all(printed);
  listener.close();
  expect(await exited).toEqual([42, null]);
  expect(stderr).toContain('standard input cannot be read: read ECONNRESET. Nothing after it is read');
  expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'result', result: 'One.' });
});

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('control requests', () => {
  test('initialize reports commands and models; an unknown request is an error', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    const driver = startDriver(setup);
    const { subtype, response } = await driver.request({ subtype: 'initialize', hooks: {} });
    expect(subtype).toBe('success');
    expect(response).toMatchObject({
      commands: expect.arrayContaining([expect.objectContaining({ name: 'compact', builtin: true })]),
      models: expect.arrayContaining([{ value: MODEL, displayName: MODEL, description: '' }]),
      output_style: 'default',
      account: {},
    });
    expect(await driver.request({ subtype: 'fly' })).toMatchObject({
      subtype: 'error',
      error: 'Unsupported control request subtype: fly',
    });
    expect(await driver.end()).toMatchObject({ code: 0 });
  });

  test('an interrupt ends the turn, and the next prompt runs', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ text: 'A long reply.', latency: 30_000 }, { text: 'Back.' });
    const driver = startDriver(setup);
    driver.prompt('first');
    driver.prompt('second', { uuid: 'b' });
    await setup.server.waitForRequests(1);
    expect(await driver.request({ subtype: 'interrupt' })).toMatchObject({
      response: { still_queued: ['b'] },
    });
    expect(await driver.nextOf('result')).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
    });
    expect(await driver.nextOf('result')).toMatchObject({ subtype: 'success', result: 'Back.' });
    expect(await driver.end()).toMatchObject({ code: 0 });
  });

  test('model and permission mode can be changed, but not to what the user has not allowed', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ text: 'Other.' });
    const driver = startDriver(setup);
    expect(await driver.request({ subtype: 'set_model', model: 'mock-2' })).toMatchObject({
      subtype: 'success',
    });
    const mode = (name: string) => driver.request({ subtype: 'set_permission_mode', mode: name });
    expect(await mode('plan')).toMatchObject({ subtype: 'success', response: { mode: 'plan' } });
    expect(await mode('bypassPermissions')).toMatchObject({
      subtype: 'error',
      error: expect.stringContaining('--allow-dangerously-skip-permissions'),
    });
    expect(await mode('free')).toMatchObject({ subtype: 'error' });
    driver.prompt('hello');
    expect(await driver.nextOf('system', 'init')).toMatchObject({ model: 'mock-2', permissionMode: 'plan' });
    await driver.nextOf('result');
    expect(setup.server.requests()[0]?.model).toBe('mock-2');
    expect(await driver.request({ subtype: 'get_context_usage' })).toMatchObject({
      response: { model: 'mock-2', totalTokens: expect.any(Number), maxTokens: 48_000 },
    });
    await driver.end();
  });

  test('with its flag, mode bypassPermissions can be chosen', { tags: 'long' }, async () => {
    const driver = startDriver(await setUpProgram(), ['--allow-dangerously-skip-permissions']);
    expect(await driver.request({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject(
      {
        subtype: 'success',
      },
    );
    await driver.end();
  });

  test('files are rewound to before a prompt, after a dry run', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    const { server, work } = setup;
    server.script(
      { calls: [{ name: 'Write', input: { file_path: 'made', content: 'x\ny\n' } }] },
      { text: 'Made.' },
    );
    const driver = startDriver(setup, ['--permission-mode', 'acceptEdits', '--replay-user-messages']);
    driver.prompt('write');
    const { uuid } = await driver.next(({ isReplay }) => isReplay === true);
    await driver.nextOf('result');
    const rewind = (more: object) =>
      driver.request({ subtype: 'rewind_files', user_message_id: uuid, ...more });
    const file = join(work.repository, 'made');
    expect(await rewind({ dry_run: true })).toMatchObject({
      response: { canRewind: true, filesChanged: [file], deletions: 2 },
    });
    expect(existsSync(file)).toBe(true);
    expect(await rewind({})).toMatchObject({ response: { canRewind: true } });
    expect(existsSync(file)).toBe(false);
    expect(await driver.request({ subtype: 'rewind_files', user_message_id: 'nothing' })).toMatchObject({
      response: { canRewind: false, error: expect.stringContaining('No such prompt') },
    });
    await driver.end();
  });

  test('a rewind of a large install names a limited number of files, and counts the others', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    const make = 'mkdir node_modules && cd node_modules && for at in $(seq 1 1200); do echo x > $at.js; done';
    setup.server.script({ calls: [{ name: 'Bash', input: { command: make } }] }, { text: 'Installed.' });
    const driver = startDriver(setup, ['--dangerously-skip-permissions', '--replay-user-messages']);
    driver.prompt('install');
    const { uuid } = await driver.next(({ isReplay }) => isReplay === true);
    await driver.nextOf('result');
    const answer = await driver.request({ subtype: 'rewind_files', user_message_id: uuid });
    expect(answer).toMatchObject({ response: { canRewind: true, moreFilesChanged: 201 } });
    expect((answer.response as { filesChanged: string[] }).filesChanged).toHaveLength(1000);
    expect(existsSync(join(setup.work.repository, 'node_modules'))).toBe(false);
    await driver.end();
  });
});

describe('approval by the driver', () => {
  const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}` } });
  const asking = ['--permission-prompt-tool=stdio'];

  test('it allows one call and denies another, and the model is told why', async () => {
    const setup = await setUpProgram();
    setup.server.script({ calls: [touch('one')] }, { calls: [touch('two')] }, { text: 'One of two.' });
    const driver = startDriver(setup, asking);
    driver.prompt('touch');
    const first = await driver.nextOf('control_request');
    expect(first.request).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'touch one' },
      tool_use_id: expect.any(String),
    });
    driver.answer(first, { behavior: 'allow', updatedInput: { command: 'touch one' } });
    driver.answer(await driver.nextOf('control_request'), { behavior: 'deny', message: 'Not two.' });
    expect(await driver.nextOf('result')).toMatchObject({
      result: 'One of two.',
      permission_denials: [{ tool_input: { command: 'touch two' } }],
    });
    await driver.end();
    expect(existsSync(join(setup.work.repository, 'one'))).toBe(true);
    expect(existsSync(join(setup.work.repository, 'two'))).toBe(false);
    expect(textOf(setup.server.requests()[2]?.messages.at(-1))).toContain('Not two.');
  });

  test('a changed input is the one that runs, and deny rules apply to it', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ calls: [touch('one')] }, { calls: [touch('two')] }, { text: 'Changed.' });
    const driver = startDriver(setup, [...asking, '--disallowedTools', 'Bash(touch secret)']);
    driver.prompt('touch');
    const change = async (command: unknown) =>
      driver.answer(await driver.nextOf('control_request'), { behavior: 'allow', updatedInput: { command } });
    await change('touch other');
    await change('touch secret');
    await driver.nextOf('result');
    await driver.end();
    const exists = (name: string) => existsSync(join(setup.work.repository, name));
    expect(['one', 'other', 'two', 'secret'].map(exists)).toEqual([false, true, false, false]);
    const [, second, third] = setup.server.requests();
    expect(textOf(second?.messages.at(-1))).toMatch(
      /changed the input of this call to:\n.*<data>\n{"command":"touch other"}\n<\/data>/s,
    );
    expect(textOf(third?.messages.at(-1))).toContain('Not allowed');
  });

  test('only offered rules are saved', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    setup.server.script(
      { calls: [touch('one')] },
      { calls: [{ name: 'Bash', input: { command: 'touch one' } }] },
      { text: 'Twice.' },
    );
    const driver = startDriver(setup, asking);
    driver.prompt('touch');
    const request = await driver.nextOf('control_request');
    const { permission_suggestions: offered } = request.request as { permission_suggestions: object[] };
    const everything = {
      type: 'addRules',
      behavior: 'allow',
      rules: [{ toolName: 'Bash' }],
      destination: 'session',
    };
    driver.answer(request, {
      behavior: 'allow',
      updatedPermissions: [everything, ...offered.map((one) => ({ ...one, destination: 'session' }))],
    });
    expect(await driver.nextOf('result')).toMatchObject({ result: 'Twice.' });
    await driver.end();
    const told = driver.lines().flatMap(({ content }) => (typeof content === 'string' ? [content] : []));
    expect(told.join('\n')).toMatch(/only what "permission_suggestions" offered/);
    expect(existsSync(join(setup.work.repository, '.clawdcode.local.json'))).toBe(false);
  });

  test('an interrupt withdraws an unanswered request', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ calls: [touch('one')] });
    const driver = startDriver(setup, asking);
    driver.prompt('touch');
    const { request_id } = await driver.nextOf('control_request');
    expect(await driver.request({ subtype: 'interrupt' })).toMatchObject({ subtype: 'success' });
    expect(await driver.nextOf('control_cancel_request')).toMatchObject({ request_id });
    expect(await driver.nextOf('result')).toMatchObject({ subtype: 'error_during_execution' });
    expect(await driver.end()).toMatchObject({ code: 0 });
  });

  test('a driver that closes its input denies; a driver that has exited ends the program', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ calls: [touch('one')] }, { text: 'Denied.' }, { calls: [touch('two')] });
    const driver = startDriver(setup, asking);
    driver.prompt('touch');
    await driver.nextOf('control_request');
    expect(await driver.end()).toMatchObject({ code: 0 });
    expect(driver.lines().at(-1)).toMatchObject({ type: 'result', result: 'Denied.' });
    const gone = startDriver(setup, asking);
    gone.prompt('touch');
    await gone.nextOf('control_request');
    gone.run.leaveOutput();
    gone.run.endInput();
    expect(await gone.run.ended).toMatchObject({ code: 141 });
    expect(existsSync(join(setup.work.repository, 'two'))).toBe(false);
  });

  test('a question from the model is answered like a permission request', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    const question = 'Which color?';
    const options = [{ label: 'Red' }, { label: 'Blue' }];
    setup.server.script(
      {
        calls: [{ name: 'AskUserQuestion', input: { questions: [{ question, header: 'Color', options }] } }],
      },
      { text: 'Blue, then.' },
    );
    const driver = startDriver(setup, asking);
    driver.prompt('ask me');
    const request = await driver.nextOf('control_request');
    const { input } = request.request as { input: object };
    driver.answer(request, {
      behavior: 'allow',
      updatedInput: { ...input, answers: { [question]: 'Blue' } },
    });
    await driver.nextOf('result');
    await driver.end();
    expect(textOf(setup.server.requests()[1]?.messages.at(-1))).toContain('Blue');
  });

  test('without the flag, calls are denied as in any headless run', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ calls: [touch('one')] }, { text: 'No.' });
    const driver = startDriver(setup);
    driver.prompt('touch');
    expect(await driver.nextOf('result')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    await driver.end();
    expect(driver.lines().some(({ type }) => type === 'control_request')).toBe(false);
  });
});

describe('flags', () => {
  test('tools, settings and system prompt come from the command line', { tags: 'long' }, async () => {
    const setup = await setUpProgram();
    setup.server.script({ calls: [{ name: 'Bash', input: { command: 'touch one' } }] }, { text: 'Done.' });
    const settings = JSON.stringify({ permissions: { allow: ['Bash(touch *)'] } });
    const driver = startDriver(setup, ['--tools=Bash', `--settings=${settings}`, '--setting-sources=']);
    await driver.request({ subtype: 'initialize', systemPrompt: ['You are a poet.'], title: 'Verses' });
    driver.prompt('touch');
    const { tools, session_id } = await driver.nextOf('system', 'init');
    expect(tools).toEqual(['Bash', 'BashOutput', 'KillBash', 'Recall']);
    expect(session_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    await driver.nextOf('result');
    await driver.end();
    expect(existsSync(join(setup.work.repository, 'one'))).toBe(true);
    const [request] = setup.server.requests();
    expect(textOf(request?.messages[0])).toMatch(/^You are a poet\./);
    expect(request?.tools?.map((tool) => tool.function.name)).toEqual(tools);
  });

  test('a file’s deny rule is gone if its source is excluded, and one in --settings applies', {
    tags: 'long',
  }, async () => {
    const setup = await setUpProgram();
    const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}` } });
    setup.server.script({ calls: [touch('one'), touch('two')] }, { text: 'Done.' });
    const deny = (name: string) => JSON.stringify({ permissions: { deny: [`Bash(touch ${name})`] } });
    await setup.work.write('.clawdcode.json', deny('one'));
    const flags = ['--setting-sources=user', `--settings=${deny('two')}`, '--allowedTools=Bash(touch *)'];
    const driver = startDriver(setup, flags);
    driver.prompt('touch');
    await driver.nextOf('result');
    await driver.end();
    const exists = (name: string) => existsSync(join(setup.work.repository, name));
    expect(['one', 'two'].map(exists)).toEqual([true, false]);
  });
});
