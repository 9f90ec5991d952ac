import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createOwnPorts, portsIn } from '../../src/cli/ownPorts.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';

let home: string;
let root: string;
let dataRoot: string;
beforeEach(async () => {
  const made = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-ports-')));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  home = made;
  root = join(home, 'work');
  dataRoot = join(home, '.clawdcode');
  await mkdir(root);
  await mkdir(join(dataRoot, 'plugins/p/hooks'), { recursive: true });
});

async function ownPorts(env = {}, flags = {}): Promise<() => ReadonlySet<number>> {
  const managed = { folder: join(home, 'etc'), ownerUid: process.getuid?.() ?? 0 };
  const loaded = await loadSettings({
    dataRoot,
    home,
    root,
    env,
    flags,
    managed,
    trusted: false,
    granted: [],
  });
  return createOwnPorts({ env, root, dataRoot }, loaded);
}

const save = (path: string, value: unknown): Promise<void> => writeFile(path, JSON.stringify(value));
const hookTo = (url: string) => ({ hooks: { PreToolUse: [{ hooks: [{ type: 'http', url }] }] } });

test('ports in every layer count, even before the folder is trusted and a server approved', async () => {
  await save(join(dataRoot, 'config.json'), {
    ...hookTo('http://127.0.0.1:18001/check'),
    providers: { mine: { baseUrl: 'http://localhost:18002/v1' } },
  });
  await save(join(root, '.clawdcode.json'), hookTo('http://localhost:18003'));
  await save(join(root, '.clawdcode.local.json'), {
    mcpServers: { a: { type: 'sse', url: 'http://[::1]:18004/sse' } },
  });
  await save(join(root, '.mcp.json'), {
    mcpServers: { b: { command: 'npx', args: ['mcp-remote', 'http://localhost:18005/mcp'] } },
  });
  await save(join(dataRoot, 'plugins/p/.mcp.json'), {
    mcpServers: { c: { type: 'http', url: 'http://localhost:18006/mcp' } },
  });
  await save(join(dataRoot, 'plugins/p/hooks/hooks.json'), hookTo('http://localhost:18007'));
  await save(join(dataRoot, 'credentials-mcp.json'), {
    servers: { 'd https://d.example/': { port: 18008 } },
  });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:18009',
    http_proxy: 'http://user:secret@127.0.0.1:18010',
    APP_URL: 'http://localhost:3000',
  };
  const found = (await ownPorts(env))();
  const expected = [18001, 18002, 18003, 18004, 18005, 18006, 18007, 18008, 18009, 18010, 4317, 4318, 11434];
  expect(expected.filter((port) => !found.has(port))).toEqual([]);
  expect(found.has(3000)).toBe(false);
});

test('ports named in settings since the start of the session count too, even in a file with a mistake', async () => {
  const ports = await ownPorts();
  expect(ports().has(18001)).toBe(false);
  await save(join(root, '.mcp.json'), {
    mcpServers: { a: { type: 'http', url: 'http://localhost:18001/' } },
  });
  expect(ports().has(18001)).toBe(true);
  await writeFile(join(dataRoot, 'config.json'), '{ "hooks": { "Stop": ["curl localhost:18002"] ');
  expect(ports().has(18002)).toBe(true);
  await rm(join(root, '.mcp.json'));
  expect(ports().has(18001)).toBe(false);
});

test('ports of development servers that rules and the sandbox name can still be forwarded', async () => {
  await save(join(root, '.clawdcode.json'), {
    permissions: { allow: ['Bash(curl http://localhost:3000/*)'] },
    sandbox: { network: { allowedDomains: ['localhost:3001'] } },
    env: { APP_URL: 'http://localhost:3002' },
  });
  const found = (await ownPorts())();
  expect([3000, 3001, 3002].filter((port) => found.has(port))).toEqual([]);
});

test.each<[string, unknown, number[]]>([
  ['a URL', 'http://127.0.0.1:18777/check', [18777]],
  ['another name for this machine', 'http://my-host.local:18777', [18777]],
  ['a spelling that only URL parsers understand', 'http:\\\\127.1:018777', [18777]],
  ['a URL with user and password', 'http://u:p@localhost:18777', [18777]],
  ['IPv6', 'https://[::ffff:127.0.0.1]:18777/x', [18777]],
  ['a websocket', 'ws://localhost:18777', [18777]],
  ['a command', 'curl -s localhost:18777/check && nc 127.0.0.1 18778', [18777, 18778]],
  ['a redirection in bash', 'echo x > /dev/tcp/127.0.0.1/18777', [18777]],
  ['an address without a scheme', '0.0.0.0:18777', [18777]],
  ['a list', ['a', { b: 'http://localhost:1, http://localhost:2' }], [1, 2]],
  ['a separate port setting', { host: 'localhost', port: 18777, PORT: '18778' }, [18777, 18778]],
  ['a variable', `http://localhost:$\{P}/$P`, [18777]],
  ['a variable with a default', `http://localhost:$\{NONE:-18778}/`, [18778]],
  ['a variable with the whole address', `$\{URL}`, [18779]],
  ['no port', 'http://localhost/3', []],
  ['a version', 'node@22:127.0.0.1.5', []],
])('ports in %s', (_, value, ports) => {
  const env = { P: '18777', URL: 'http://localhost:18779' };
  expect([...portsIn(value, env)].filter((port) => port !== 3).sort()).toEqual(ports);
});
