/**
 * Two endpoints in one session: switched during the session, each with its own key, and remembered on resume.
 *
 * @module-tag long
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { type Asked, type Route, saying, startLocalServer } from './support/localServers.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const KEY = 'sk-of-the-work-provider';

/** A setup whose user has a provider `work` with a key from a command. */
async function setTwo() {
  const setup = await setUpProgram();
  const chat: Route = (response, asked) => {
    const answer = saying('Greetings from work.');
    if (typeof answer === 'function') answer(response, asked);
  };
  const work = await startLocalServer({
    '/v1/chat/completions': chat,
    '/v1/models': { object: 'list', data: [{ id: 'big' }, { id: 'small' }] },
  });
  onTestFinished(work.close);
  await writeConfig(setup, {
    providers: {
      work: {
        baseUrl: work.baseUrl,
        apiKeyHelper: `echo ${KEY}`,
        models: {
          big: {
            contextWindow: 64_000,
            maxOutputTokens: 3000,
            extraBody: { top_p: 0.5 },
            price: { input: 1000, output: 2 },
          },
        },
      },
    },
  });
  const env = { ...setup.access, CLAWDCODE_CONTEXT_WINDOW: '' };
  return { setup, work, options: { env: setup.work.env(env) } };
}

const writeConfig = ({ work }: TestProgram, config: object): Promise<void> =>
  writeFile(join(work.data, 'config.json'), JSON.stringify(config));

const keysOf = (asked: readonly Asked[]) => new Set(asked.map(({ headers }) => headers.authorization));

test('/model switches to another provider during a session and shows the cost, and a resumed session keeps it', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  setup.server.script({ text: 'Greetings from the default.' });
  const terminal = await setup.ready([], options);
  await terminal.submit('hello');
  await terminal.waitForPrinted('Greetings from the default.');
  await terminal.waitForIdle();
  await terminal.submit('/model');
  await terminal.waitFor('work/big');
  await terminal.type('work/b');
  await terminal.waitFor(/64,000 tokens · \$1,?000\.00 in, \$2\.00 out per million/);
  await terminal.waitFor(/work\/big reads the whole conversation again, [\d,]+ tokens: about \$/);
  await terminal.press(keys.enter);
  await terminal.waitForPrinted('Model: work/big');
  await terminal.submit('and you?');
  await terminal.waitForPrinted('Greetings from work.');
  await terminal.waitForIdle();
  const [session] = await setup.work.sessions();
  expect(session?.entries.findLast(({ subtype }) => subtype === 'model')?.data).toEqual({
    model: 'work/big',
    provider: 'work',
  });
  const chats = work.asked.filter(({ path }) => path.endsWith('/chat/completions'));
  expect(chats.map(({ body }) => body.model)).toContain('big');
  expect(keysOf(work.asked)).toEqual(new Set([`Bearer ${KEY}`]));
  const stored = JSON.stringify(session?.entries);
  expect(stored).not.toContain(KEY);
  await terminal.submit('/model --default');
  await terminal.waitForPrinted('New sessions use work/big from now on.');
  await terminal.submit('/exit');
  await terminal.exited;

  const again = await setup.print(['--continue', '-p', 'still there?'], options);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Greetings from work.') });
  expect(setup.server.requests()).toHaveLength(1);
});

test('clawdcode models lists the models of all endpoints without showing a key', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  const listed = await setup.print(['models'], options);
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/work\/big +64k +\$1000\.00 in/) });
  expect(listed.stdout).toContain('work/small');
  const { stdout } = await setup.print(['models', '--json'], options);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ id: 'work/big', endpoint: 'work', windowTokens: 64_000 }),
  );
  expect(listed.stdout + listed.stderr + stdout).not.toContain(KEY);
  expect(keysOf(work.asked)).toEqual(new Set([`Bearer ${KEY}`]));
});

test('doctor checks the model’s endpoint with its own key; a request is rebuilt byte for byte', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  const env = { ...options.env, OPENAI_MODEL: 'work/big' };
  const { stdout } = await setup.print(['doctor', '--json'], { env });
  expect(stdout).toContain(`${work.baseUrl} answers in`);
  expect(stdout).toContain('big · listed');
  expect(stdout).not.toContain(KEY);
  expect(await setup.print(['-p', 'hello'], { env })).toMatchObject({ code: 0 });
  expect(setup.server.requests()).toHaveLength(0);
  const [session] = await setup.work.sessions();
  const id = String(session?.entries[0]?.sessionId);
  const again = await setup.print(['session', 'request', id], { env });
  expect(again).toMatchObject({ code: 0, stderr: '' });
  const body = { model: 'big', top_p: 0.5, max_tokens: 3000 };
  expect(JSON.parse(again.stdout)).toMatchObject(body);
  const chats = work.asked.filter(({ path }) => path.endsWith('/chat/completions'));
  expect(chats.map((one) => one.body)).toContainEqual(expect.objectContaining(body));
});

test('the effort set by the flag and by /effort is sent, and shown in the status line', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  const terminal = await setup.ready(['--model', 'work/big', '--effort', 'max'], options);
  await terminal.waitFor('work/big · high');
  await terminal.submit('hello');
  await terminal.waitForPrinted('work/big has no effort "max"; using high.');
  await terminal.waitForPrinted('Greetings from work.');
  await terminal.waitForIdle();
  await terminal.submit('/effort low');
  await terminal.waitForPrinted('Effort: low');
  await terminal.waitFor('work/big · low');
  await terminal.submit('again');
  const sent = (level: string) => work.asked.some(({ body }) => body.reasoning_effort === level);
  await terminal.until(() => sent('low'), 'the effort is sent');
  expect(sent('high')).toBe(true);
  await terminal.waitForIdle();
  await terminal.submit('/effort default');
  await terminal.waitForPrinted('Effort: the default');
  await terminal.waitForGone('work/big · low');
  // Alt+Shift+T takes the next level.
  await terminal.press('\u001bT');
  await terminal.waitFor('work/big · low');
  await terminal.press('\u001bT');
  await terminal.waitFor('work/big · medium');
  expectTried(terminal, 'chat:cycleEffort');
});

test('the model picker changes a model’s effort', { tags: 'long' }, async () => {
  const { setup, options } = await setTwo();
  const terminal = await setup.ready(['--model', 'work/big'], options);
  const openPicker = async (): Promise<void> => {
    await terminal.submit('/model');
    await terminal.waitFor('work/big · in use');
  };
  await openPicker();
  await terminal.waitFor("effort: the model's default");
  await terminal.press(keys.tab);
  await terminal.waitFor('effort: low');
  await terminal.press(keys.tab);
  await terminal.waitFor('effort: medium');
  await terminal.press(keys.enter);
  await terminal.waitForPrinted('Effort: medium');
  await terminal.waitFor('work/big · medium');
  await openPicker();
  await terminal.waitFor('effort: medium');
  await terminal.type('work/s');
  await terminal.waitFor('❯ work/small');
  await terminal.press(keys.tab);
  await terminal.waitFor('effort: high');
  await terminal.press(keys.enter);
  await terminal.waitFor('work/small · high');
  expectTried(terminal, 'select:variant');
});

test('if the server reports no tokens, requests are estimated, and /cost says so', {
  tags: 'long',
}, async () => {
  const { setup, options } = await setTwo();
  const terminal = await setup.ready(['--model', 'work/big'], options);
  await terminal.submit('hello');
  await terminal.waitForPrinted('Greetings from work.');
  await terminal.waitForIdle();
  await terminal.submit('/cost');
  await terminal.waitForPrinted(/Requests +\d \(tokens estimated: the server reports none\)/);
  const [session] = await setup.work.sessions();
  const reply = session?.entries.find(({ type }) => type === 'assistant');
  expect(reply?.message.usage).toMatchObject({ estimated: true });
  const printed = await setup.print(
    ['-p', 'hello', '--output-format', 'json', '--model', 'work/big'],
    options,
  );
  expect(JSON.parse(printed.stdout)).toMatchObject({ usage: null, total_cost_usd: null });
});

test('a session whose provider is gone says so and continues with the default model', {
  tags: 'long',
}, async () => {
  const { setup, options } = await setTwo();
  const first = await setup.print(['-p', 'hello', '--model', 'work/big'], options);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Greetings from work.') });
  await writeConfig(setup, {});
  setup.server.script({ text: 'Back home.' });
  const resumed = await setup.print(['--continue', '-p', 'hello again'], options);
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('Back home.') });
  expect(resumed.stderr).toContain('This session used work/big, but your settings have no provider "work".');
});

test('a fallback model replaces one that is overloaded or down; this is reported once, and the log names the model that replied', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  const overloaded: Route = (response) => {
    response.writeHead(529, { 'content-type': 'application/json', 'retry-after-ms': '1' });
    response.end(JSON.stringify({ error: { message: 'Overloaded' } }));
  };
  const busy = await startLocalServer({ '/v1/chat/completions': overloaded });
  const gone = await startLocalServer({});
  onTestFinished(busy.close);
  await gone.close();
  await writeConfig(setup, {
    fallbackModels: ['gone/m', 'work/big'],
    providers: {
      busy: { baseUrl: busy.baseUrl, apiKey: 'sk-of-the-busy-one' },
      gone: { baseUrl: gone.baseUrl },
      work: {
        baseUrl: work.baseUrl,
        apiKeyHelper: `echo ${KEY}`,
        models: { big: { contextWindow: 64_000 } },
      },
    },
  });
  const printed = await setup.print(['-p', 'hello', '--model', 'busy/m'], options);
  expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('Greetings from work.') });
  expect(printed.stderr).toContain('busy/m is unavailable; using gone/m.');
  expect(printed.stderr).toContain('gone/m is unavailable; using work/big.');
  const chatsOf = (asked: readonly Asked[]) => asked.filter(({ path }) => path.endsWith('/chat/completions'));
  expect(chatsOf(busy.asked)).toHaveLength(3);
  const [sent] = chatsOf(work.asked);
  expect(sent?.body.messages).toEqual(chatsOf(busy.asked)[0]?.body.messages);
  expect(keysOf(work.asked)).toEqual(new Set([`Bearer ${KEY}`]));
  const [session] = await setup.work.sessions();
  const reply = session?.entries.find(({ type }) => type === 'assistant');
  expect(reply?.message).toMatchObject({ model: 'work/big' });
  const id = String(session?.entries[0]?.sessionId);
  const again = await setup.print(['session', 'request', id], options);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(again.stdout).model).toBe('big');
  // The session keeps the chosen model.
  expect(session?.entries.some(({ subtype }) => subtype === 'model')).toBe(false);

  const flags = ['--model', 'busy/m', '--fallback-model', 'work/big'];
  const terminal = await setup.ready(flags, options);
  await terminal.submit('hello again');
  await terminal.waitForPrinted('busy/m is unavailable; using work/big.');
  await terminal.waitForPrinted('Greetings from work.');
  await terminal.waitForIdle();
  await terminal.waitFor('work/big');
  await terminal.submit('and again');
  const isAsked = () => chatsOf(work.asked).some(({ body }) => JSON.stringify(body).includes('and again'));
  await terminal.until(isAsked, 'the stand-in is asked at once');
  await terminal.waitForIdle();
  await terminal.submit('/model --default');
  await terminal.waitForPrinted('New sessions use busy/m from now on.');
  expect(chatsOf(busy.asked)).toHaveLength(6);
});

test('an invalid provider’s fallback model is skipped, and the reason is shown', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  const gone = await startLocalServer({});
  await gone.close();
  await writeConfig(setup, {
    fallbackModels: ['bad/m', 'work/big'],
    providers: {
      gone: { baseUrl: gone.baseUrl },
      bad: { baseUrl: 5 },
      work: { baseUrl: work.baseUrl, models: { big: { contextWindow: 64_000 } } },
    },
  });
  const printed = await setup.print(['-p', 'hello', '--model', 'gone/m'], options);
  expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('Greetings from work.') });
  expect(printed.stderr).toMatch(/bad\/m is skipped: The provider "bad" is invalid [^\n]* Using work\/big\./);
});

test('a session’s title is written by the small model, at its own endpoint with its own key', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  await writeConfig(setup, {
    smallModel: 'work/small',
    providers: { work: { baseUrl: work.baseUrl, apiKeyHelper: `echo ${KEY}` } },
  });
  setup.server.script({ text: 'Greetings from the default.' });
  const terminal = await setup.ready([], options);
  await terminal.submit('hello');
  await terminal.waitForPrinted('Greetings from the default.');
  const chats = () => work.asked.filter(({ path }) => path.endsWith('/chat/completions'));
  await terminal.until(() => chats().length > 0, 'the title is asked for');
  expect(chats().map(({ body }) => body.model)).toEqual(['small']);
  expect(keysOf(chats())).toEqual(new Set([`Bearer ${KEY}`]));
  await terminal.waitForIdle();
  expect(setup.server.requests()).toHaveLength(1);
});

test('doctor --probe tests a model after asking, and the result is shown with the models', {
  tags: 'long',
}, async () => {
  const { setup, work, options } = await setTwo();
  const refused = await setup.print(['doctor', '--probe', '--model', 'work/big'], options);
  expect(refused).toMatchObject({ code: 42, stderr: expect.stringContaining('it needs --yes') });
  expect(refused.stderr).toMatch(/about [\d,]+ tokens in, up to [\d,]+ out, at most \$/);
  expect(work.asked.filter(({ path }) => path.endsWith('/chat/completions'))).toEqual([]);

  const terminal = setup.open(['doctor', '--probe', '--quick', '--model', 'work/big'], options);
  await terminal.waitFor('Send these requests? [y/N]');
  await terminal.press('y', keys.enter);
  await terminal.exited;
  expect(terminal.everything()).toMatch(/work\/big: no tool calls/);
  expect(keysOf(work.asked)).toEqual(new Set([`Bearer ${KEY}`]));

  const listed = await setup.print(['models'], options);
  expect(listed.stdout).toMatch(
    /work\/big [^\n]*\n +no tool calls · no JSON schema · no images · tested \d{4}-/,
  );
  const doctor = await setup.print(['doctor'], { env: { ...options.env, OPENAI_MODEL: 'work/big' } });
  expect(doctor.stdout).toMatch(/Tested +no tool calls/);
});
