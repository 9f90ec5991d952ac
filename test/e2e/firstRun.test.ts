/**
 * The first start: nothing is configured, and only the user's home may be written to.
 *
 * @module-tag long
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { saying, startLocalServer } from './support/localServers.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';

/** Other servers on this machine are not looked for. */
const alone = { CLAWDCODE_LOCAL_SERVERS: 'none' };
const sample = resolve(import.meta.dirname, '../../examples/sample-project');

test('a key and an endpoint are entered, stored readable only by the user, and used from then on', async () => {
  const { work, open } = await setUpProgram();
  // The scripted server hides keys in its records; this one keeps the headers as received.
  const server = await startLocalServer({ '/v1/chat/completions': saying('Nice to meet you.') });
  onTestFinished(() => server.close());
  const env = work.env({ TMPDIR: work.temporary, ...alone });
  const terminal = open([], { env });
  await terminal.waitFor('Welcome to ClawdCode');
  await take(terminal, 'k');
  await terminal.waitFor('Endpoint:');
  await terminal.type('sk-very-secret');
  await terminal.waitFor(/Key: +[•*]+/);
  await terminal.press(keys.enter, keys.ctrl('u'), keys.paste(server.baseUrl), keys.tab);
  await terminal.type('mock-1');
  await terminal.press(keys.enter);
  await terminal.waitFor(/mock-1 · (?:no sandbox · )?context/);
  expect(terminal.bytes()).not.toContain('sk-very-secret');
  await terminal.submit('hello');
  await terminal.waitFor('Nice to meet you.');
  await terminal.waitForIdle();
  await quit(terminal);

  const config = join(work.data, 'config.json');
  expect((await stat(config)).mode & 0o777).toBe(0o600);
  expect((await stat(work.data)).mode & 0o777).toBe(0o700);
  expect(JSON.parse(await readFile(config, 'utf8'))).toMatchObject({
    apiKey: 'sk-very-secret',
    baseUrl: server.baseUrl,
    model: 'mock-1',
  });
  const [session] = await work.sessions();
  expect(JSON.stringify(session?.entries)).not.toContain('sk-very-secret');

  const second = open([], { env });
  await second.waitFor(/mock-1 · (?:no sandbox · )?context/);
  await second.submit('hello again');
  await second.waitFor('Nice to meet you.');
  await quit(second);
  // The list of models is also requested without the key, to see whether it proves anything.
  const prompts = server.asked.filter(({ path }) => path === '/v1/chat/completions');
  const bearers = prompts.map(({ headers }) => headers.authorization);
  expect(bearers.length).toBeGreaterThanOrEqual(2);
  expect(new Set(bearers)).toEqual(new Set(['Bearer sk-very-secret']));

  expect(await readdir(work.home)).toEqual(['.clawdcode']);
  expect(await work.git('status', '--porcelain', '--ignored')).toBe('');
  expect(await readdir(work.temporary)).toEqual([]);
});

test('an invalid endpoint is reported next to the field', { tags: 'long' }, async () => {
  const { work, open } = await setUpProgram();
  const terminal = open([], { env: work.env(alone) });
  await terminal.waitFor('Welcome to ClawdCode');
  await take(terminal, 'k');
  await terminal.waitFor('Endpoint:');
  await terminal.press(keys.enter, keys.ctrl('u'));
  await terminal.type('nowhere');
  await terminal.press(keys.enter);
  await terminal.waitFor('The endpoint is an address such as');
  await terminal.press(keys.escape);
  await take(terminal, 'q');
  expect(await terminal.exited).toBe(0);
});

test('the demo model identifies itself on every screen, and drives the real tools', {
  tags: 'long',
}, async () => {
  const { work, open } = await setUpProgram(sample);
  const terminal = open([], { env: work.env(alone) });
  await terminal.waitFor('Welcome to ClawdCode');
  await take(terminal, 'd');
  await terminal.waitFor('demo model, no network');
  await terminal.submit('who are you?');
  await terminal.waitFor('I am the demo model');
  await terminal.waitForIdle();

  await terminal.submit('fix the failing test');
  const turns = async (): Promise<number> =>
    (await work.sessions()).flatMap(({ entries }) => entries).filter(({ subtype }) => subtype === 'turn_end')
      .length;
  await answerAll(terminal, async () => (await turns()) === 2);
  expect(terminal.screen()).toContain('demo model, no network');
  expect(await work.git('status', '--porcelain')).toContain(' M src/');
  await terminal.submit('!node --test >/dev/null 2>&1 && echo all green');
  await terminal.waitForPrinted(/^ *(⎿ *)?all green/m);
  await terminal.submit('/status');
  await terminal.waitForPrinted('nothing is sent anywhere');
  await terminal.submit('/compact');
  await terminal.waitForPrinted('Conversation compacted');
  await quit(terminal);

  const again = open(['--demo', '--continue'], { env: work.env(alone) });
  await again.waitFor('demo model, no network');
  await again.waitFor('Conversation compacted');
  await again.submit('find TODOs');
  await again.waitFor(/Grep/);
  await again.waitForIdle();
  await quit(again);
});

test('a folder must be trusted before its settings apply, and asks only once', async () => {
  const { server, work, open, access } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Bash', input: { command: 'touch made-without-asking' } }] },
    { text: 'It is made.' },
    { text: 'Still trusted.' },
  );
  await work.write(
    '.clawdcode.json',
    JSON.stringify({ permissions: { allow: ['Bash(touch *)'] }, env: { GREETING: 'hi' } }),
  );
  const terminal = open([], { env: work.env(access) });
  await terminal.waitFor('Runs these calls without asking you: Bash(touch *)');
  await terminal.waitFor('Sets environment variables for every command: GREETING=hi');
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('make it');
  await terminal.waitFor('It is made.');
  await terminal.waitForIdle();
  await quit(terminal);
  const second = open([], { env: work.env(access) });
  await second.waitFor(/context ~?\d+%/);
  await second.submit('well?');
  await second.waitFor('Still trusted.');
});

/** Approves everything until the turn is done. */
async function answerAll(terminal: Terminal, isDone: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await terminal.pause(100)) {
    if (/❯ 1\. Yes/.test(terminal.screen())) {
      await terminal.waitForQuietTime();
      const asked = terminal.screen();
      await terminal.press('y');
      // The next question may come at once.
      await terminal.until(() => terminal.screen() !== asked, 'an answered question goes');
    } else if (await isDone()) return terminal.waitForIdle();
  }
  throw new Error(`Never came to an end:\n${terminal.screen()}`);
}

/** A choice on the first screen: keys count once it has been there for a moment. */
async function take(terminal: Terminal, key: string): Promise<void> {
  await terminal.waitFor(/No local model server found|Found on this machine/);
  await terminal.answer(key);
}

async function quit(terminal: Terminal): Promise<void> {
  await terminal.submit('/exit');
  expect(await terminal.exited).toBe(0);
}
