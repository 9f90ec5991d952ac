// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a definition.
/** Servers of every kind over a real pipe or a real socket: what they offer, how they respond, how they end. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { AuthRecord, AuthStore } from '../../src/mcp/auth.ts';
import { endpointOf } from '../../src/mcp/endpoint.ts';
import { firstIsQuick } from '../e2e/support/long.ts';
import { type Bench, openBench } from './support/bench.ts';
import { SERVER, stdio } from './support/testServer.ts';
import { serveMcp } from './support/webServer.ts';

/** One server for the tests that only call its tools. */
let shared: Bench;
beforeAll(async () => {
  shared = await openBench({ test: stdio() }, {}, afterAll);
});

test('a server’s tools have its name in front, and a call returns a result', async () => {
  const { servers, call } = shared;
  expect(servers.status()).toMatchObject([
    { name: 'test', transport: 'stdio', state: { type: 'connected' }, problems: [] },
  ]);
  expect(servers.tools().map(({ name }) => name)).toContain('mcp__test__echo');
  expect(await call('mcp__test__echo', { text: 'hello' })).toEqual({
    status: 'ok',
    text: 'You said hello',
    response: expect.any(Function),
    kind: 'text',
    display: { title: 'text: hello', summary: '1 line' },
  });
});

test('tools say where their server was defined', async () => {
  const { servers } = shared;
  expect(servers.tools()[0]?.server).toEqual({ name: 'test', source: 'user' });
});

test("a server's claim that a tool is read-only is not trusted, and its call asks for unknown access", async () => {
  const { servers } = shared;
  const echo = servers.tools().find(({ name }) => name === 'mcp__test__echo');
  expect(echo?.readOnly).toBe(false);
  const prepared = await echo?.prepare({ text: 'a' }, {} as never);
  expect(prepared).toMatchObject({ type: 'ready', access: { type: 'unknown' } });
  expect(prepared?.type === 'ready' && (await prepared.preview())).toEqual({
    type: 'text',
    text: 'Tool "echo" of the MCP server "test", with:\n{\n  "text": "a"\n}',
  });
  const long = await echo?.prepare({ text: `${'a'.repeat(20_000)} end` }, {} as never);
  expect(long?.type === 'ready' && (await long.preview())).toMatchObject({
    text: expect.stringMatching(/aaa end"\n}$/),
  });
});

test('a call names what allow rules are bound to', async () => {
  const { servers } = shared;
  const echo = servers.tools().find(({ name }) => name === 'mcp__test__echo');
  const prepared = await echo?.prepare({ text: 'a' }, {} as never);
  const access = prepared?.type === 'ready' ? prepared.access : undefined;
  const definition = access?.type === 'unknown' ? access.definition : undefined;
  expect(definition).toMatchObject({
    ...{ tool: 'mcp__test__echo', server: 'test', isOfProject: false, description: 'Says it again.' },
    target: `${process.execPath} ${SERVER}`,
    annotations: { readOnlyHint: true },
    parameters: { required: ['text'] },
  });
  expect(definition?.offered.mcp__test__echo).toBe(definition?.digest);
  expect(Object.keys(definition?.offered ?? {})).toEqual(servers.tools().map(({ name }) => name));
});

test('a tool that its server changes after the call was approved is not called', async () => {
  const { servers, call } = await openBench({ test: stdio() });
  const echo = servers.tools().find(({ name }) => name === 'mcp__test__echo');
  const context = { signal: new AbortController().signal, onOutput: () => undefined } as never;
  const prepared = await echo?.prepare({ text: 'a' }, context);
  await call('mcp__test__rename');
  await vi.waitFor(() => expect(servers.tools()).not.toContain(echo), { timeout: 20_000 });
  expect(prepared?.type === 'ready' && (await prepared.run({ basis: 'user' }))).toMatchObject({
    status: 'error',
    text: expect.stringContaining('It has changed or removed this tool'),
  });
});

test('images follow the result for a model that supports them, and are described to any other', async () => {
  const { call } = shared;
  const seen = await call('mcp__test__image');
  expect(seen).toMatchObject({
    text: 'Here:\n\n[An image (PNG, 1×1), which follows as a separate message: test image 1.]',
    images: [{ path: 'test image 1', image: { mediaType: 'image/png' } }],
  });
  const told = await call('mcp__test__image', {}, { seesImages: () => false });
  expect(told.images).toBeUndefined();
  expect(told.text).toContain('may not support images');
});

test('structured content without text is shown as JSON', async () => {
  const { call } = shared;
  expect((await call('mcp__test__facts')).text).toBe('{\n "answer": 42\n}');
});

test('a failed tool is a failed call', async () => {
  const { call } = shared;
  expect(await call('mcp__test__fail')).toMatchObject({ status: 'error', text: 'It did not work.' });
});

test('progress reaches the screen while the call runs', async () => {
  const { call, output } = shared;
  const before = output.length;
  await call('mcp__test__slow');
  expect(output.slice(before)).toEqual(['1 of 3: part 1\n', '2 of 3: part 2\n', '3 of 3: part 3\n']);
});

test('an interrupted call is cancelled at the server, which keeps running', async () => {
  const { servers, call } = await openBench({ test: stdio() });
  const stop = new AbortController();
  const hanging = call('mcp__test__hang', {}, { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  expect(await hanging).toMatchObject({ status: 'partial', display: { summary: 'interrupted' } });
  await vi.waitFor(() => expect(servers.status()[0]?.log).toContain('A call was cancelled.'));
  expect((await call('mcp__test__echo', { text: 'on' })).text).toBe('You said on');
});

test('a call times out with the reason', { tags: 'long' }, async () => {
  const { call } = await openBench({ test: { ...stdio(), timeout: 1000 } });
  expect(await call('mcp__test__hang')).toMatchObject({
    status: 'error',
    text: expect.stringContaining('It did not answer within 1 seconds.'),
  });
});

test('a server that exits during a call fails that call, and the next one restarts it', async () => {
  const { servers, call } = await openBench({ test: stdio() });
  expect(await call('mcp__test__die')).toMatchObject({
    status: 'error',
    text: expect.stringContaining('The MCP server "test" failed: The connection was closed.'),
  });
  expect(servers.status()[0]).toMatchObject({ state: { type: 'failed' } });
  expect(servers.tools().length).toBeGreaterThan(5);
  expect((await call('mcp__test__echo', { text: 'back' })).text).toBe('You said back');
  expect(servers.status()[0]?.state.type).toBe('connected');
});

test('a renamed tool appears under its new name, and the others stay the same objects', {
  tags: 'long',
}, async () => {
  const { servers, call } = await openBench({ test: stdio() });
  const before = servers.tools().find(({ name }) => name === 'mcp__test__env');
  await call('mcp__test__rename');
  await vi.waitFor(
    () => expect(servers.tools().map(({ name }) => name)).toContain('mcp__test__again'),
    10_000,
  );
  expect(servers.tools().map(({ name }) => name)).not.toContain('mcp__test__echo');
  expect(servers.tools().find(({ name }) => name === 'mcp__test__env')).toBe(before);
});

test.each(['mcp', 'sse'])(
  'a remote server that renames a tool says so on its open stream (/%s)',
  { tags: 'long' },
  async (path) => {
    const web = await serveMcp();
    onTestFinished(() => web.close());
    const type = path === 'sse' ? 'sse' : 'http';
    const { servers, call } = await openBench({ web: { type, url: `${web.origin}/${path}` } });
    await vi.waitFor(() => expect(web.requests.map(({ method }) => method)).toContain('GET'), 10_000);
    const before = servers.tools().find(({ name }) => name === 'mcp__web__env');
    await call('mcp__web__rename');
    const names = (): string[] => servers.tools().map(({ name }) => name);
    await vi.waitFor(() => expect(names()).toContain('mcp__web__again'), 10_000);
    expect(names()).not.toContain('mcp__web__echo');
    expect(servers.tools().find(({ name }) => name === 'mcp__web__env')).toBe(before);
  },
);

test('a program gets only the given environment and the variables in its definition', async () => {
  const definition = { ...stdio(), env: { SECRET: '${KEY}', LEVEL: '${LEVEL:-3}' } };
  const { call } = await openBench({ test: definition }, { variables: { KEY: 'sk-1' } });
  expect((await call('mcp__test__env', { name: 'SECRET' })).text).toBe('SECRET=sk-1');
  expect((await call('mcp__test__env', { name: 'LEVEL' })).text).toBe('LEVEL=3');
  expect((await call('mcp__test__env', { name: 'KEY' })).text).toBe('KEY=(unset)');
});

test.each(['http', 'sse'] as const)('a server over %s gets the headers in its definition', async (type) => {
  const web = await serveMcp();
  onTestFinished(() => web.close());
  const url = `${web.origin}/${type === 'sse' ? 'sse' : 'mcp'}`;
  const { servers, call } = await openBench(
    { web: { type, url, headers: { 'X-Key': '${KEY}' } } },
    { variables: { KEY: 'k' } },
  );
  expect(servers.status()).toMatchObject([{ transport: type, state: { type: 'connected' }, target: url }]);
  expect((await call('mcp__web__echo', { text: 'web' })).text).toBe('You said web');
  expect(
    web.requests.filter(({ method }) => method === 'POST').every(({ headers }) => headers['x-key'] === 'k'),
  ).toBe(true);
});

test('a server that requires a login says so', async () => {
  const web = await serveMcp((_, response) => {
    response.writeHead(401).end();
    return true;
  });
  onTestFinished(() => web.close());
  const { servers } = await openBench({ web: { url: `${web.origin}/mcp` } });
  expect(servers.status()).toMatchObject([{ state: { type: 'needs-auth' } }]);
});

test.each(['tools/list', 'tools/call'])(
  'a server that requires a login only for %s also says so',
  async (guarded) => {
    const web = await serveMcp((request, response) => {
      if (request.headers['x-guarded'] !== guarded) return false;
      response.writeHead(401).end();
      return true;
    });
    onTestFinished(() => web.close());
    const marked: typeof fetch = (url, init) => {
      const { method } = JSON.parse(String(init?.body ?? '{}')) as { method?: string };
      const headers = new Headers(init?.headers);
      headers.set('x-guarded', method ?? '');
      return fetch(url, { ...init, headers });
    };
    const { servers, call } = await openBench(
      { web: { url: `${web.origin}/mcp` } },
      { fetchFor: () => marked as never },
    );
    if (guarded === 'tools/call')
      expect(await call('mcp__web__echo', { text: 'a' })).toMatchObject({
        status: 'error',
        text: expect.stringContaining('It needs you to log in.'),
      });
    expect(servers.status()).toMatchObject([{ state: { type: 'needs-auth' } }]);
  },
);

test('a redirect to another origin is not followed, so headers are not sent there', async () => {
  const elsewhere = await serveMcp();
  const web = await serveMcp((_, response) => {
    response.writeHead(307, { location: `${elsewhere.origin}/mcp` }).end();
    return true;
  });
  onTestFinished(async () => void (await Promise.all([web.close(), elsewhere.close()])));
  const { servers } = await openBench({ web: { url: `${web.origin}/mcp`, headers: { 'X-Key': 'k' } } });
  expect(servers.status()).toMatchObject([{ state: { type: 'failed' } }]);
  expect(elsewhere.requests).toEqual([]);
});

test.each(['/mcp', '/sse'])(
  'a renewal of the login at another server does not get the headers of this one: %s',
  async (path) => {
    const issuer = await serveMcp((_, response) => {
      const tokens = { access_token: 'new', token_type: 'Bearer', refresh_token: 'r' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens));
      return true;
    });
    const web = await serveMcp(({ headers }, response) => {
      if (headers.authorization === 'Bearer new') return false;
      response.writeHead(401).end();
      return true;
    });
    onTestFinished(async () => void (await Promise.all([web.close(), issuer.close()])));
    let record: AuthRecord | undefined = {
      client: { client_id: 'c' },
      tokens: { access_token: 'old', token_type: 'Bearer', refresh_token: 'r' },
      discovery: { authorizationServerUrl: issuer.origin },
    };
    const store: AuthStore = {
      read: async () => record,
      async write(next) {
        record = next;
      },
    };
    const { call } = await openBench(
      { web: { url: `${web.origin}${path}`, headers: { 'X-Key': 'secret', Accept: 'text/plain' } } },
      { authStoreOf: () => store },
    );
    expect((await call('mcp__web__echo', { text: 'hello' })).text).toBe('You said hello');
    expect(issuer.requests).toHaveLength(1);
    expect(JSON.stringify(issuer.requests)).not.toContain('secret');
    expect(web.requests.filter(({ headers }) => headers['x-key'] !== 'secret')).toEqual([]);
  },
);

const broken: readonly [string, object, RegExp][] = [
  ['no such program', { command: '/nonexistent/program' }, /cannot be started: there is no such program/],
  ['a program that ends at once', stdio('exit'), /connection was closed/i],
  ['a variable that is not set', { command: 'x', args: ['${NOT_SET}'] }, /The variable NOT_SET is not set/],
  ['an address that is none', { url: 'ftp://x' }, /begins with http/],
];
for (const {
  row: [what, definition, reason],
  options,
} of firstIsQuick(broken))
  test(`${what} is reported and does no other harm`, options, async () => {
    const { servers, call } = await openBench({ bad: definition, test: stdio() });
    const [bad] = servers.status();
    expect(bad?.state).toMatchObject({ type: 'failed', reason: expect.stringMatching(reason) });
    expect((await call('mcp__test__echo', { text: 'fine' })).text).toBe('You said fine');
  });

test('nothing is started before it is needed', async () => {
  const { McpServers } = await import('../../src/mcp/McpServers.ts');
  const source = { name: 'test', definition: stdio(), scope: 'user' as const, source: 'x' };
  const servers = new McpServers([source], {} as never);
  expect(servers.tools()).toEqual([]);
  expect(servers.status()[0]?.state).toEqual({ type: 'pending' });
  await servers.retain()();
});

test('the user’s server runs nothing from an unknown project: no package, module or program in its folders', async () => {
  const top = mkdtempSync(join(tmpdir(), 'mcp-apart-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [root, apart] = [join(top, 'project'), join(top, 'apart')];
  const bin = join(root, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(apart);
  // What npx prefers: a package in the current folder, and on a PATH as under `npm run` a program of the project.
  for (const name of ['hostile-server', 'node'])
    writeFileSync(join(bin, name), `#!/bin/sh\necho ran > ${join(top, 'MARK')}\n`, { mode: 0o755 });
  const npx = join(top, 'npx');
  writeFileSync(npx, '#!/bin/sh\npwd > "$PLACE"\nexec node_modules/.bin/hostile-server\n', { mode: 0o755 });
  const place = join(top, 'place');
  const deps = {
    root,
    env: { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, PLACE: place },
    apart: { folder: apart, path: `${dirname(process.execPath)}:/usr/bin:/bin`, env: { PLACE: place } },
  };
  const definitions = {
    packaged: { command: npx, args: ['-y', 'hostile-server'] },
    named: { command: 'node', args: [SERVER] },
  };
  const { servers } = await openBench(definitions, deps);
  expect(existsSync(join(top, 'MARK'))).toBe(false);
  expect(readFileSync(place, 'utf8').trim()).toBe(realpathSync(apart));
  expect(servers.status().find(({ name }) => name === 'named')?.state).toEqual({ type: 'connected' });
});

test.each([
  ['npx', ['-y', 'x']],
  ['python3', ['-m', 'server']],
  ['timeout', ['60', 'python3', '-m', 'server']],
  ['perl', ['-e', 'exec @ARGV', 'python3', '-m', 'server']],
  ['git', ['mcp']],
  ['uvx', ['x']],
  ['docker', ['run', 'x']],
  ['node', ['/opt/server.js']],
])('%s %j starts outside the project unless its definition names a folder', (command, args) => {
  const cwdOf = (definition: object, start?: string): unknown => {
    const found = endpointOf({ command, args, ...definition } as never, {}, '/project', start);
    return 'endpoint' in found && found.endpoint.type === 'stdio' ? found.endpoint.cwd : found;
  };
  expect(cwdOf({}, '/apart')).toBe('/apart');
  expect(cwdOf({ cwd: '.' }, '/apart')).toBe('/project');
  expect(cwdOf({})).toBe('/project');
});

test('a new list of servers replaces the old one: one stays connected, one is closed, one connects', async () => {
  const { servers } = await openBench({ stays: stdio(), goes: stdio() });
  const sources = ['stays', 'comes'].map((name) => ({
    ...{ name, definition: stdio(), scope: 'user' as const, source: 'config.json' },
  }));
  const tool = servers.tools().find(({ name }) => name === 'mcp__stays__echo');
  await servers.replace(sources);
  await servers.connectAll(new AbortController().signal, 30_000);
  expect(servers.status().map(({ name, state }) => [name, state.type])).toEqual([
    ['stays', 'connected'],
    ['comes', 'connected'],
  ]);
  expect(servers.tools().find(({ name }) => name === 'mcp__stays__echo')).toBe(tool);
});

test("a plugin's server is not started or restarted once the plugin may not be used", async () => {
  let problem: string | undefined;
  const { servers } = await openBench({ own: stdio() }, { pluginProblem: async () => problem });
  const source = { name: 'brought', definition: stdio(), scope: 'user' as const, source: 'plugin one' };
  await servers.replace([{ ...source, plugin: 'one' }]);
  await servers.connectAll(new AbortController().signal, 30_000);
  expect(servers.status()[0]?.state).toEqual({ type: 'connected' });
  problem = 'the files of the plugin one have changed';
  expect(await servers.reconnect('brought')).toEqual({ type: 'failed', reason: problem });
});
