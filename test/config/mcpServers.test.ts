/** Where MCP servers are defined, and which definition applies. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../src/config/loadSettings.ts';
import { candidateServers, effectiveServers, serverHash } from '../../src/config/mcpServers.ts';
import { readTrust, rememberServer } from '../../src/config/trust.ts';

let home = '';
let root = '';
let dataRoot = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'clawdcode-mcp-'));
  root = join(home, 'project');
  dataRoot = join(home, '.clawdcode');
  await mkdir(root);
  await mkdir(dataRoot);
  onTestFinished(() => rm(home, { recursive: true, force: true }));
});

const write = (file: string, mcpServers: unknown): Promise<void> =>
  writeFile(join(home, file), JSON.stringify({ mcpServers }));

const load = (given: Partial<Parameters<typeof loadSettings>[0]> = {}) =>
  loadSettings({ dataRoot, home, root, env: {}, flags: {}, trusted: true, ...given });

const named = ({ servers }: Awaited<ReturnType<typeof load>>): string[] =>
  servers.map(({ name, scope, definition }) => `${name} ${scope} ${definition.command ?? definition.url}`);

test('the nearer of two servers with the same name applies as a whole', async () => {
  await write('.clawdcode/config.json', {
    a: { command: 'user', env: { KEY: '1' } },
    b: { command: 'user' },
  });
  await write('project/.mcp.json', { a: { command: 'shared' }, c: { url: 'https://x.example/' } });
  await write('project/.clawdcode.local.json', { c: { command: 'local' } });
  const loaded = await load();
  // The user's own stays until the folder's is approved.
  expect(named(loaded)).toEqual(['a user user', 'a project shared', 'b user user', 'c local local']);
  const servers = effectiveServers(loaded.servers);
  expect(named({ ...loaded, servers })).toEqual(['a project shared', 'b user user', 'c local local']);
  expect(servers[0]?.definition).toEqual({ command: 'shared' });
  const flags = { configs: ['{"mcpServers":{"a":{"command":"flag"}}}'], strict: false, cwd: root };
  expect(named(await load({ mcp: flags }))[0]).toBe('a flag flag');
  expect(named(await load({ mcp: { ...flags, strict: true } }))).toEqual(['a flag flag']);
  expect(candidateServers(loaded.servers, true)).toEqual([]);
});

test('servers of an untrusted folder are held back, and the question names their files', async () => {
  await write('.clawdcode/config.json', { mine: { command: 'user' } });
  await write('project/.mcp.json', { theirs: { command: 'shared' } });
  await write('project/.clawdcode.json', { more: { command: 'project' } });
  const { heldServers, untrusted, ...rest } = await load({ trusted: false });
  expect(named({ heldServers, untrusted, ...rest })).toEqual(['mine user user']);
  expect(heldServers).toEqual(['theirs', 'more']);
  expect(untrusted.map(({ file, key }) => `${file} ${key}`)).toEqual([
    '.mcp.json mcpServers',
    '.clawdcode.json mcpServers',
  ]);
});

test('folder trust does not ask again when a server changes; its approval does', async () => {
  await write('project/.mcp.json', { a: { command: 'one' } });
  const { grants, servers } = await load({ trusted: false, granted: [] });
  expect(servers).toEqual([]);
  const before = (await load({ granted: grants })).servers[0];
  await write('project/.mcp.json', { a: { command: 'two' } });
  const after = (await load({ granted: grants })).servers[0];
  if (before === undefined || after === undefined) throw new Error('both are there');
  await rememberServer(dataRoot, root, { name: 'a', hash: serverHash(before), approved: true });
  const { serverAnswer, serversAnswered } = await readTrust(dataRoot, root);
  expect([serverAnswer('a', serverHash(before)), serverAnswer('a', serverHash(after))]).toEqual([
    true,
    undefined,
  ]);
  expect(serversAnswered).toEqual(['a']);
  expect(serverHash({ ...before, definition: { command: 'one' } })).toBe(serverHash(before));
});

test.each([
  ['no command and no url', { args: ['x'] }, 'it needs a "command", or a "url"'],
  ['both', { command: 'x', url: 'https://x.example' }, 'it has both'],
  ['a type without its url', { type: 'sse', command: 'x' }, 'a server of type sse needs a "url"'],
  ['arguments that are not a list', { command: 'x', args: 'y' }, 'args'],
])('a definition with %s disables the server, in any file', async (_, definition, why) => {
  await write('project/.mcp.json', { bad: definition, good: { command: 'x', unknown: 1 } });
  await write('.clawdcode/config.json', { alsoBad: definition, alsoGood: { command: 'y' } });
  const loaded = await load();
  expect(loaded.servers.map(({ name }) => name).sort()).toEqual(['alsoGood', 'good']);
  expect(loaded.problems.map(({ message }) => message).join('\n')).toContain(why);
  expect(loaded.problems).toHaveLength(2);
});

test.each(['a__b', '_a', 'a_', 'a b', 'ä', '', 'x'.repeat(41), 'a\u001b[31m'])(
  'a server cannot be named %j',
  async (name) => {
    await write('project/.mcp.json', { [name]: { command: 'x' } });
    await write('.clawdcode/config.json', { [name]: { command: 'x' }, ok: { command: 'x' } });
    const loaded = await load();
    expect(loaded.servers.map((server) => server.name)).toEqual(['ok']);
    expect(loaded.problems).toHaveLength(2);
  },
);

test.each(['{', '[]', '"text"', '{"mcpServers": []}'])(
  'a broken .mcp.json (%s) is reported and ignored',
  async (text) => {
    await writeFile(join(root, '.mcp.json'), text);
    const loaded = await load();
    expect(loaded.servers).toEqual([]);
    expect(loaded.problems.map(({ file }) => file)).toEqual(['.mcp.json']);
  },
);

test('a secret in a definition is not repeated in messages', async () => {
  await write('.clawdcode/config.json', { a: { command: 1, env: { KEY: 'sk-secret' } } });
  const { problems } = await load();
  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain('sk-secret');
});
