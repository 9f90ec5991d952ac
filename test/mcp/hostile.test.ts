/** Servers that flood, hang, lie and refuse to exit: each harms only itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { openBench } from './support/bench.ts';
import { SERVER, stdio } from './support/testServer.ts';

test('odd names are simplified, and those that would clash are left out', async () => {
  const { servers, call } = await openBench({ odd: stdio('odd-names') });
  const tools = servers.tools().map(({ name }) => name);
  expect(tools).toEqual([
    'mcp__odd__say_it',
    'mcp__odd__say__31m_it',
    expect.stringMatching(/^mcp__odd__x+_[0-9a-f]{8}$/),
  ]);
  expect(tools.every((name) => name.length <= 64)).toBe(true);
  expect(servers.status()[0]?.problems).toEqual(['Left out: another tool is also called mcp__odd__say_it.']);
  // Called by the server's own name, which is unknown here.
  expect((await call('mcp__odd__say_it', { text: 'a' })).text).toContain('Unknown tool say it');
});

test('schemas that are too large or too deep are left out, and descriptions are cut', async () => {
  const { servers } = await openBench({ big: stdio('huge-schema') });
  expect(servers.tools().map(({ name }) => name)).toEqual(['mcp__big__echo', 'mcp__big__talk']);
  expect(servers.tools()[1]?.schema.description.length).toBe(2048);
  expect(servers.status()[0]?.problems).toEqual([
    'Left out: the schema of mcp__big__huge is too large.',
    'Left out: the schema of mcp__big__deep is too large.',
  ]);
});

test('a schema too deep to read disables its server', { tags: 'long' }, async () => {
  const { servers, call } = await openBench({ deep: stdio('abyss'), test: stdio() });
  expect(servers.status()[0]?.tools).toEqual([]);
  expect((await call('mcp__test__echo', { text: 'fine' })).text).toBe('You said fine');
});

test('an endless list is cut off', { tags: 'long' }, async () => {
  const { servers } = await openBench({ many: stdio('many-tools'), endless: stdio('endless') });
  const [many, endless] = servers.status();
  expect(many?.tools.length).toBe(500);
  expect(endless?.state.type).toBe('connected');
});

test('a flood of notifications blocks nothing else, and closes the connection', {
  tags: 'long',
}, async () => {
  const { servers } = await openBench({ flood: stdio('flood'), test: stdio() });
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  await vi.waitFor(() => expect(turns).toBeGreaterThan(10), 20_000);
  clearInterval(timer);
  await vi.waitFor(
    () => expect(servers.status().map(({ state }) => state.type)).toEqual(['failed', 'connected']),
    60_000,
  );
});

test('small messages without end fail the call that waits', { tags: 'long' }, async () => {
  const { servers, call } = await openBench({ flood: stdio('flood-in-call') });
  expect(await call('mcp__flood__echo', { text: 'a' })).toMatchObject({
    status: 'error',
    text: 'The MCP server "flood" failed: It sent more than 50,000 messages since the last call. The call may have had an effect.',
  });
  expect(servers.status()[0]?.state.type).toBe('failed');
});

test('a message without end closes the connection', { tags: 'long' }, async () => {
  const { servers } = await openBench({ long: stdio('long-line') });
  await vi.waitFor(() => expect(servers.status()[0]?.log).toContain('more than 10 MB'), 20_000);
  await vi.waitFor(() => expect(servers.status()[0]?.state.type).toBe('failed'), 20_000);
});

test('a message nested too deeply closes the connection', async () => {
  const { servers } = await openBench({ deep: stdio('deep-line') });
  await vi.waitFor(() => expect(servers.status()[0]?.log).toContain('nested more than 1000 levels'), 20_000);
  await vi.waitFor(() => expect(servers.status()[0]?.state.type).toBe('failed'), 20_000);
});

test('text on standard output that is not a message goes to the log', async () => {
  const { servers } = await openBench({ banner: stdio('banner') });
  expect(servers.status()[0]).toMatchObject({ state: { type: 'connected' } });
  expect(servers.status()[0]?.log).toContain('Welcome to the server!');
});

test('a server that never responds times out, and the others are available', {
  tags: 'long',
}, async () => {
  const { McpServers } = await import('../../src/mcp/McpServers.ts');
  const sources = Object.entries({ silent: stdio('silent'), test: stdio() }).map(([name, definition]) => ({
    ...{ name, definition, scope: 'user' as const, source: 'x' },
  }));
  const env = { PATH: process.env.PATH ?? '' };
  const deps = {
    version: '1',
    root: '/',
    variables: {},
    env,
    fetchFor: () => fetch,
    connectTimeoutMs: 60_000,
  };
  const servers = new McpServers(sources, deps);
  const leave = servers.retain();
  servers.start();
  await vi.waitFor(() => expect(servers.tools().length).toBeGreaterThan(0), 20_000);
  await servers.connectAll(new AbortController().signal, 1);
  expect(servers.status().map(({ state }) => state.type)).toEqual(['connecting', 'connected']);
  await leave();
  expect(processesOf('silent')).toEqual([]);
});

test.skipIf(process.platform !== 'linux')(
  'a server that ignores the request to exit is killed',
  { tags: 'long' },
  async () => {
    const { servers } = await openBench({ stubborn: stdio('stubborn') });
    const [first] = processesOf('stubborn');
    expect(await servers.reconnect('stubborn')).toEqual({ type: 'connected' });
    expect(servers.status()[0]?.log).toContain('Asked to end.');
    const now = processesOf('stubborn');
    expect(now).toHaveLength(1);
    expect(now).not.toContain(first);
  },
);

/** Ids of the test servers that run in this mode. */
function processesOf(mode: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${SERVER}\0${mode}\0`);
    } catch {
      return false;
    }
  });
}
