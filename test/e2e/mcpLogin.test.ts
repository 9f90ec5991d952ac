/** Logging in to a server from the command line, and what is stored. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveGuarded } from '../mcp/support/guardedServer.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

async function guarded() {
  const setup = await setUpProgram();
  const web = await serveGuarded();
  onTestFinished(() => web.close());
  await mkdir(setup.work.data, { recursive: true });
  const mcpServers = { web: { type: 'http', url: `${web.origin}/mcp` } };
  await writeFile(join(setup.work.data, 'config.json'), JSON.stringify({ mcpServers }));
  return { setup, web, file: join(setup.work.data, 'credentials-mcp.json') };
}

/** Visits the address that the command prints, as a browser would. */
async function visit(running: ReturnType<TestProgram['startPrint']>): Promise<string> {
  const address = await vi.waitFor(() => {
    const [found] = /http:\/\/\S+\/authorize\S+/.exec(running.printed()) ?? [];
    if (found === undefined) throw new Error(running.printed());
    return found;
  }, 20_000);
  return (await fetch(address)).text();
}

const echo = { calls: [{ name: 'mcp__web__echo', input: { text: 'in' } }] };
const ask = (setup: TestProgram) => setup.print(['-p', 'say it', '--allowed-tools', 'mcp__web']);

/** Logs in on the command line. */
async function login({ setup }: Awaited<ReturnType<typeof guarded>>): Promise<void> {
  const running = setup.startPrint(['mcp', 'login', 'web']);
  expect(await visit(running)).toContain('You are logged in.');
  expect(await running.ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('You are logged in to web.'),
  });
}

test('a login is stored and used', async () => {
  const given = await guarded();
  const { setup, file } = given;
  await login(given);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toContain('token-1');
  setup.server.script(echo, { text: 'Said.' });
  expect(await ask(setup)).toMatchObject({ code: 0, stdout: 'Said.\n' });
  expect(textOf(setup.server.requests().at(-1)?.messages.at(-1))).toBe('You said in');
});

test('a login is renewed silently, and is gone once it is revoked or logged out', {
  tags: 'long',
}, async () => {
  const given = await guarded();
  const { setup, web, file } = given;
  expect((await setup.print(['mcp', 'list'])).stdout).toContain('needs you to log in');
  await login(given);
  setup.server.script(echo, { text: 'Said.' });
  await ask(setup);

  web.expire();
  setup.server.script(echo, { text: 'Said again.' });
  expect((await ask(setup)).stdout).toBe('Said again.\n');
  expect(textOf(setup.server.requests().at(-1)?.messages.at(-1))).toBe('You said in');
  expect(await readFile(file, 'utf8')).toContain('token-2');

  web.revoke();
  const listed = await setup.print(['mcp', 'list']);
  expect(listed.stdout).toContain('needs you to log in');
  expect(listed.stderr).toBe('');

  expect((await setup.print(['mcp', 'logout', 'web'])).stdout).toBe('The tokens of web were deleted.\n');
  expect(await readFile(file, 'utf8')).not.toContain('token-');
});

test('if a call needs more rights, the next login requests them', { tags: 'long' }, async () => {
  const given = await guarded();
  const { setup, web } = given;
  await login(given);
  setup.server.script({ text: 'Hello.' });
  await ask(setup);
  web.require('write');
  setup.server.script(echo, { text: 'It needs more rights.' });
  await ask(setup);
  expect(textOf(setup.server.requests().at(-1)?.messages.at(-1))).toContain(
    'It needs a login with more rights: the user can log in again with "clawdcode mcp login".',
  );
  await login(given);
  expect(web.scopes).toEqual([null, 'write']);
  setup.server.script(echo, { text: 'Said.' });
  await ask(setup);
  expect(textOf(setup.server.requests().at(-1)?.messages.at(-1))).toBe('You said in');
});

test('a response from elsewhere does not log in', { tags: 'long' }, async () => {
  const { setup, file } = await guarded();
  const running = setup.startPrint(['mcp', 'login', 'web']);
  const callback = await vi.waitFor(() => {
    const [, found] = /redirect_uri=([^&\s]+)/.exec(running.printed()) ?? [];
    if (found === undefined) throw new Error(running.printed());
    return decodeURIComponent(found);
  }, 20_000);
  expect(callback).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect((await fetch(`${callback}?code=stolen&state=guess`)).status).toBe(404);
  // Not a URL at all: it must not end the login.
  expect((await fetch(`${new URL(callback).origin}//`)).status).toBe(404);
  await visit(running);
  expect((await running.ended).code).toBe(0);
  expect(await readFile(file, 'utf8')).not.toContain('stolen');
});

test('there is no login for a program or an unknown name', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  await setup.print(['mcp', 'add', '-s', 'user', 'prog', 'x']);
  expect(await setup.print(['mcp', 'login', 'prog'])).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('is a local server'),
  });
  expect((await setup.print(['mcp', 'login', 'none'])).code).toBe(42);
});
