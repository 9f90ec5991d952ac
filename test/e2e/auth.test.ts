/** Keys stored with `clawdcode auth`: typed or piped, used, never shown, not passed on. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { type Route, saying, startLocalServer } from './support/localServers.ts';
import { setUpProgram } from './support/testProgram.ts';

const KEY = 'sk-typed-in-the-test';

async function setProvider() {
  const setup = await setUpProgram();
  const chat: Route = (response, asked) => {
    const answer = saying('Hello from work.');
    if (typeof answer === 'function') answer(response, asked);
  };
  const server = await startLocalServer({ '/v1/chat/completions': chat });
  onTestFinished(server.close);
  const config = { providers: { work: { baseUrl: server.baseUrl } } };
  await writeFile(join(setup.work.data, 'config.json'), JSON.stringify(config));
  return { setup, server, file: join(setup.work.data, 'credentials.json') };
}

test('a key from standard input is stored, used, listed without being shown, and deleted', async () => {
  const { setup, server, file } = await setProvider();
  const login = await setup.print(['auth', 'login', 'work', '--file'], { input: `${KEY}\n` });
  expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('readable only by you') });
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const ran = await setup.print(['-p', 'hello', '--model', 'work/m']);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello from work.') });
  const chats = server.asked.filter(({ path }) => path.endsWith('/chat/completions'));
  expect(new Set(chats.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEY}`]));
  const [session] = await setup.work.sessions();
  expect(JSON.stringify(session?.entries)).not.toContain(KEY);

  const status = await setup.print(['auth']);
  expect(status.stdout).toMatch(
    /work +http:\/\/127\.0\.0\.1:\d+\/v1 +key from clawdcode auth login +stored in the file/,
  );
  const json = await setup.print(['auth', 'status', '--json']);
  expect(JSON.parse(json.stdout)).toContainEqual(
    expect.objectContaining({ provider: 'work', stored: 'file' }),
  );
  expect([login, status, json].map((one) => one.stdout + one.stderr).join()).not.toContain(KEY);

  expect(await setup.print(['auth', 'logout', 'work'])).toMatchObject({ code: 0 });
  expect(await readFile(file, 'utf8')).not.toContain(KEY);
  expect((await setup.print(['auth', 'logout', 'work'])).stdout).toContain('No key for work is stored.');
});

test('a typed key is not shown, and is used for the default endpoint', { tags: 'long' }, async () => {
  const { setup } = await setProvider();
  const env = { env: setup.work.env({ ...setup.access, OPENAI_API_KEY: '', CLAWDCODE_API_KEY: '' }) };
  const terminal = setup.open(['auth', 'login', '--file'], env);
  await terminal.waitFor(/Key for default .*not shown:/);
  await terminal.press(`${KEY}x`, keys.backspace, keys.enter);
  await terminal.exited;
  expect(terminal.everything()).toContain('The key for default');
  expect(terminal.everything()).not.toContain(KEY.slice(0, 6));
  const status = await setup.print(['auth', 'status'], env);
  expect(status.stdout).toMatch(/default .*key from clawdcode auth login/);
  // The model's commands do not see it.
  setup.server.script({ calls: [{ name: 'Bash', input: { command: 'env' } }] }, { text: 'Done.' });
  const ran = await setup.print(
    ['-p', 'go', '--allowed-tools', 'Bash', '--output-format', 'stream-json', '--verbose'],
    env,
  );
  expect(ran.code).toBe(0);
  expect(ran.stdout).not.toContain(KEY);
});

test('an unknown provider, and text that is not a key, are rejected', { tags: 'long' }, async () => {
  const { setup, file } = await setProvider();
  const unknown = await setup.print(['auth', 'login', 'nowhere'], { input: KEY });
  expect(unknown).toMatchObject({ code: 42, stderr: expect.stringContaining('There is: default, work.') });
  expect(await setup.print(['auth', 'login', 'work'], { input: 'two words' })).toMatchObject({ code: 42 });
  await expect(stat(file)).rejects.toThrow();
});

test('damaged stored keys are moved aside, and the user is told', { tags: 'long' }, async () => {
  const { setup, file } = await setProvider();
  await setup.print(['auth', 'login', 'work', '--file'], { input: `${KEY}\n` });
  await writeFile(file, (await readFile(file, 'utf8')).replace(/\}\s*$/, ',}'));
  const login = await setup.print(['auth', 'login', '--file'], { input: 'sk-another-key\n' });
  expect(login).toMatchObject({ code: 0 });
  expect(login.stderr).toMatch(
    /credentials\.json could not be read and was moved to credentials\.json\.damaged-/,
  );
  const aside = (await readdir(setup.work.data)).filter((name) => name.includes('.damaged-'));
  expect(aside).toHaveLength(1);
  expect(await readFile(join(setup.work.data, aside[0] ?? ''), 'utf8')).toContain(KEY);
  expect(await readFile(file, 'utf8')).toContain('sk-another-key');
  // Only once.
  expect((await setup.print(['auth'])).stderr).not.toContain('could not be read');
});
