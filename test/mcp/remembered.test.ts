/**
 * The list of a server from an earlier session: offered at once, granted nothing, and replaced when the server
 * connects.
 *
 * @module-tag long
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createListMemories } from '../../src/cli/mcp/listMemory.ts';
import { McpServers } from '../../src/mcp/McpServers.ts';
import type { McpServerDefinition } from '../../src/protocol/extensions/mcp.ts';
import { SERVER, stdio } from './support/testServer.ts';

function createHome() {
  const home = mkdtempSync(join(tmpdir(), 'mcp-lists-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'mcp-lists');
  // Not those that are still being written.
  const files = (): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  return { home, folder, files };
}

/** The servers of one session. */
function openServers(home: string, definitions: Record<string, McpServerDefinition>, root = '/') {
  const sources = Object.entries(definitions).map(([name, definition]) => ({
    ...{ name, definition, scope: 'user' as const, source: 'config.json' },
  }));
  const servers = new McpServers(sources, {
    ...{ version: '1', root, variables: {}, fetchFor: () => fetch, connectTimeoutMs: 20_000 },
    env: { PATH: process.env.PATH ?? '' },
    listMemoryOf: createListMemories({ dataRoot: home, root }),
  });
  const leave = servers.retain();
  onTestFinished(leave);
  const names = (): string[] => servers.tools().map(({ name }) => name);
  return { servers, leave, names };
}

const never = new AbortController().signal;
const stateOf = ({ servers }: ReturnType<typeof openServers>): string | undefined =>
  servers.status()[0]?.state.type;

/** A session in which all servers connect and their lists are stored. */
async function earlierSession(
  home: ReturnType<typeof createHome>,
  definitions: Record<string, McpServerDefinition>,
) {
  const session = openServers(home.home, definitions);
  await session.servers.connectAll(never, 20_000);
  await vi.waitFor(() => expect(home.files()).toHaveLength(Object.keys(definitions).length), 10_000);
  await session.leave();
  return session.names();
}

const context = { signal: never, onOutput: () => undefined } as never;

async function call({ servers }: ReturnType<typeof openServers>, tool: string, input: object = {}) {
  const prepared = await servers
    .tools()
    .find(({ name }) => name === tool)
    ?.prepare(input, context);
  if (prepared?.type !== 'ready') throw new Error(`${tool} cannot be called`);
  return prepared.run({ basis: 'user' });
}

test('a session offers the last one’s tools, prompts and resources, and starts the server on the first call', async () => {
  const home = createHome();
  const tools = await earlierSession(home, { test: stdio() });
  // It would start automatically after a while.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const session = openServers(home.home, { test: stdio() });
  await session.servers.settle(never);
  expect(session.names()).toEqual(tools);
  expect(session.servers.prompts().map(({ command }) => command)).toContain('mcp__test__review_pr');
  expect(session.servers.resources()).toContain('test:note://one');
  expect(stateOf(session)).toBe('pending');
  expect((await call(session, 'mcp__test__echo', { text: 'late' })).text).toBe('You said late');
  expect(stateOf(session)).toBe('connected');
});

test('only the owner can read the list, which contains no values of the definition', async () => {
  const home = createHome();
  await earlierSession(home, { test: { ...stdio(), env: { TOKEN: 'sk-secret' } } });
  const [file = ''] = home.files();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain('sk-secret');
});

test('a request waits only for a server without a list; one with a list starts in the background', {
  tags: 'long',
}, async () => {
  const home = createHome();
  await earlierSession(home, { known: stdio() });
  const session = openServers(home.home, { known: stdio(), fresh: stdio() });
  await session.servers.settle(never);
  expect(session.servers.status().map(({ state }) => state.type)).toEqual(['pending', 'connected']);
  session.servers.underway();
  await vi.waitFor(() => expect(stateOf(session)).toBe('connected'), 10_000);
});

test('with another definition or folder it is another server', { tags: 'long' }, async () => {
  const home = createHome();
  await earlierSession(home, { test: stdio() });
  const silent = openServers(home.home, { test: stdio('silent') });
  silent.servers.start();
  await vi.waitFor(() => expect(stateOf(silent)).toBe('connecting'), 10_000);
  expect(silent.names()).toEqual([]);
  const elsewhere = openServers(home.home, { test: stdio() }, tmpdir());
  elsewhere.servers.start();
  await vi.waitFor(() => expect(stateOf(elsewhere)).not.toBe('pending'), 10_000);
});

test('a changed list is replaced when the server connects, and a changed tool is not called', async () => {
  const home = createHome();
  await earlierSession(home, { test: stdio() });
  const [file = ''] = home.files();
  const lists = JSON.parse(readFileSync(file, 'utf8')) as { tools: { name: string; description: string }[] };
  const changed = lists.tools.map((tool) =>
    tool.name === 'echo' ? { ...tool, description: 'Once it did something else.' } : tool,
  );
  const gone = { name: 'gone', description: 'No longer there.', inputSchema: {} };
  writeFileSync(file, JSON.stringify({ ...lists, tools: [...changed, gone] }));
  const session = openServers(home.home, { test: stdio() });
  await session.servers.settle(never);
  const kept = session.servers.tools().find(({ name }) => name === 'mcp__test__env');
  expect(session.names()).toContain('mcp__test__gone');
  expect(await call(session, 'mcp__test__echo', { text: 'hi' })).toMatchObject({
    status: 'error',
    text: 'The MCP server "test" failed: It has changed or removed this tool; check its tools again. The tool was not called.',
  });
  expect(session.names()).not.toContain('mcp__test__gone');
  expect(session.servers.tools().find(({ name }) => name === 'mcp__test__env')).toBe(kept);
  expect((await call(session, 'mcp__test__echo', { text: 'hi' })).text).toBe('You said hi');
});

test('a server that can no longer be reached offers nothing, and its list is forgotten', async () => {
  const home = createHome();
  const program = join(home.home, 'server.mjs');
  copyFileSync(SERVER, program);
  const definitions = { test: { command: process.execPath, args: [program] } };
  await earlierSession(home, definitions);
  rmSync(program);
  const session = openServers(home.home, definitions);
  await session.servers.settle(never);
  expect(session.names()).toContain('mcp__test__echo');
  expect((await call(session, 'mcp__test__echo', { text: 'hi' })).text).toMatch(
    /^The MCP server "test" failed: .* The tool was not called\.$/,
  );
  expect(session.names()).toEqual([]);
  await vi.waitFor(() => expect(home.files()).toEqual([]), 10_000);
});

test('Esc while a server starts ends the call', async () => {
  const home = createHome();
  await earlierSession(home, { test: stdio() });
  const [file = ''] = home.files();
  const lists = readFileSync(file, 'utf8');
  const silent = openServers(home.home, { test: stdio('silent') });
  const memory = createListMemories({ dataRoot: home.home, root: '/' });
  await memory({ name: 'test', definition: stdio('silent') }).write(JSON.parse(lists));
  await silent.servers.settle(never);
  const stop = new AbortController();
  const echo = silent.servers.tools().find(({ name }) => name === 'mcp__test__echo');
  const prepared = await echo?.prepare({ text: 'a' }, {
    signal: stop.signal,
    onOutput: () => undefined,
  } as never);
  if (prepared?.type !== 'ready') throw new Error('not ready');
  const running = prepared.run({ basis: 'user' });
  stop.abort();
  expect(await running).toMatchObject({
    status: 'partial',
    text: 'Interrupted by the user. The tool was not called.',
  });
});

test('limits apply to a list again when it is read, and a damaged one is not used', async () => {
  const home = createHome();
  mkdirSync(home.folder, { recursive: true });
  const definition = stdio('silent');
  const memoryOf = createListMemories({ dataRoot: home.home, root: '/' });
  const huge = { description: 'y'.repeat(40_000) };
  await memoryOf({ name: 'test', definition }).write({
    tools: [
      { name: 'long', description: 'x'.repeat(5000), inputSchema: {} },
      { name: 'wide', description: '', inputSchema: { type: 'object', properties: { huge } } },
      { name: 'odd\u202Ename', description: 'a\u0007b', inputSchema: {} },
    ],
    prompts: [],
    resources: ['note://\u202Eone'],
  });
  const session = openServers(home.home, { test: definition });
  await session.servers.settle(never);
  expect(session.names()).toEqual(['mcp__test__long', 'mcp__test__odd_name']);
  expect(session.servers.tools()[0]?.schema.description.length).toBeLessThanOrEqual(2048);
  expect(session.servers.resources()).toEqual([]);
  for (const text of ['{', '[]', '{"tools":[{"name":1}]}', 'x'.repeat(2_000_000)]) {
    writeFileSync(home.files()[0] ?? '', text);
    expect(await memoryOf({ name: 'test', definition }).read()).toBeUndefined();
  }
});

test('the newest 200 lists are kept, and one that is too long is not', { tags: 'long' }, async () => {
  const home = createHome();
  const memoryOf = createListMemories({ dataRoot: home.home, root: '/' });
  const memory = (name: string) => memoryOf({ name, definition: { command: 'x' } });
  const lists = { tools: [], prompts: [], resources: [] };
  for (let at = 0; at < 203; at++) await memory(`s${at}`).write(lists);
  expect(home.files()).toHaveLength(200);
  expect(await memory('s202').read()).toEqual(lists);
  await memory('s202').write({ ...lists, resources: ['x'.repeat(400_000)] });
  expect(await memory('s202').read()).toBeUndefined();
});
