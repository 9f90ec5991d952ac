/** An MCP server outside must not send its login into the user's network. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serverNetwork } from '../../src/cli/mcp/serverNetwork.ts';
import { type AuthRecord, login, storedAuth } from '../../src/mcp/auth.ts';
import type { HttpRequest, HttpSend } from '../../src/model/http/types.ts';

const names: Record<string, string> = {
  'mcp.example.com': '8.8.8.8',
  'login.example.com': '8.8.4.4',
  'inside.example.com': '10.0.0.7',
  'login.corp.example': '10.1.2.3',
  'mcp.corp.example': '10.1.2.4',
  'v6.example.com': 'fd00::1',
};
const resolve = async (name: string) => {
  const address = names[name];
  if (address === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
  return [{ address, family: address.includes(':') ? 6 : 4 }];
};

interface Sent {
  readonly url: string;
  readonly lookup: HttpRequest['lookup'];
}

/** Responds as in the table; with 404 to every other request. */
function recorder(answers: Record<string, [number, object, Record<string, string>?]> = {}) {
  const sent: Sent[] = [];
  const send: HttpSend = async (url, { lookup }) => {
    sent.push({ url, lookup });
    const [status, body, headers] = answers[url] ?? [404, {}];
    return {
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: (async function* () {
        yield Buffer.from(JSON.stringify(body));
      })(),
      release() {},
    };
  };
  return { sent, send };
}

const openServer = (server: string, { send }: { send: HttpSend }, env = {}) =>
  serverNetwork(env, new URL(server), resolve, send);

const inner = [
  'http://127.0.0.1:8080/token',
  'http://localhost/token',
  'http://[::1]/token',
  'http://[::ffff:127.0.0.1]/token',
  'http://0x7f.1/token',
  'http://192.168.1.1/apply.cgi',
  'http://169.254.169.254/latest/meta-data',
  'http://metadata.google.internal/computeMetadata',
  'http://printer.local/',
  'https://inside.example.com/token',
  'https://inside.example.com./token',
  'https://v6.example.com/token',
];

test.each(inner)(
  'a server on the internet cannot send requests to %s, not even through the browser',
  async (url) => {
    const seen = recorder();
    const { fetch, check } = openServer('https://mcp.example.com/mcp', seen);
    await expect(fetch(url, { method: 'POST', body: 'grant_type=refresh_token' })).rejects.toThrow(
      'A server on the internet may not send ClawdCode there.',
    );
    await expect(check(new URL(url))).rejects.toThrow('names the address http');
    expect(seen.sent).toEqual([]);
  },
);

test('it may name other servers on the internet, whose addresses cannot change after the check', async () => {
  const seen = recorder();
  const { fetch } = openServer('https://mcp.example.com/mcp', seen);
  await fetch('https://mcp.example.com/mcp');
  await fetch('https://login.example.com/token');
  expect(seen.sent.map(({ url }) => url)).toEqual([
    'https://mcp.example.com/mcp',
    'https://login.example.com/token',
  ]);
  const found = await new Promise((done) =>
    seen.sent[1]?.lookup?.('login.example.com', { all: true }, (_, addresses) => done(addresses)),
  );
  expect(found).toEqual([{ address: '8.8.4.4', family: 4 }]);
});

test.each([
  ['http://127.0.0.1:3000/mcp', 'http://127.0.0.1:4000/token'],
  ['http://localhost:3000/mcp', 'https://login.example.com/token'],
  ['https://mcp.corp.example/mcp', 'https://login.corp.example/token'],
])('a server in the user’s network, %s, may name %s', async (server, url) => {
  const seen = recorder();
  const { fetch, check } = openServer(server, seen);
  await check(new URL(url));
  expect((await fetch(url)).status).toBe(404);
});

test('a name that moves out of the user’s network is no longer used', async () => {
  let address = '10.0.0.1';
  const seen = recorder();
  const moving = async () => [{ address, family: 4 }];
  const { fetch } = serverNetwork({}, new URL('https://mcp.example.com/mcp'), moving, seen.send);
  await fetch('https://mcp.example.com/mcp');
  address = '8.8.8.8';
  await expect(fetch('https://mcp.example.com/mcp')).rejects.toThrow('no longer in the network');
  expect(seen.sent).toHaveLength(1);
});

test('a name with addresses inside and outside counts as outside and opens nothing inside', async () => {
  const both = async (name: string) =>
    name === 'mcp.example.com'
      ? [
          { address: '8.8.8.8', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]
      : resolve(name);
  const seen = recorder();
  const { fetch } = serverNetwork({}, new URL('https://mcp.example.com/mcp'), both, seen.send);
  await expect(fetch('http://127.0.0.1/token')).rejects.toThrow('may not send');
  await expect(fetch('https://mcp.example.com:8443/token')).rejects.toThrow('may not send');
});

test('behind a proxy, which resolves names itself, only the written names and addresses are checked', async () => {
  const seen = recorder();
  const { fetch } = openServer('https://mcp.example.com/mcp', seen, { HTTPS_PROXY: 'http://proxy:8080' });
  await fetch('https://only.the.proxy.knows/token');
  await expect(fetch('https://192.168.0.1/token')).rejects.toThrow('may not send');
  expect(seen.sent).toHaveLength(1);
});

const server = 'https://mcp.example.com/mcp';
const metadata = (change: object) => ({
  issuer: 'https://mcp.example.com',
  authorization_endpoint: 'https://mcp.example.com/authorize',
  token_endpoint: 'https://mcp.example.com/token',
  registration_endpoint: 'https://mcp.example.com/register',
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  ...change,
});
const at = 'https://mcp.example.com/.well-known';

test.each<[string, Record<string, [number, object, Record<string, string>?]>]>([
  [
    'its metadata',
    {
      [server]: [
        401,
        {},
        { 'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"' },
      ],
    },
  ],
  [
    'its authorization server',
    {
      [`${at}/oauth-protected-resource/mcp`]: [
        200,
        { resource: server, authorization_servers: ['http://127.0.0.1:6379'] },
      ],
    },
  ],
  [
    'the registration',
    {
      [`${at}/oauth-authorization-server`]: [
        200,
        metadata({ registration_endpoint: 'http://192.168.1.1/register' }),
      ],
    },
  ],
  [
    'the page for the browser',
    {
      [`${at}/oauth-authorization-server`]: [
        200,
        metadata({ authorization_endpoint: 'http://192.168.1.1/reboot' }),
      ],
      'https://mcp.example.com/register': [201, { client_id: 'c', redirect_uris: ['http://127.0.0.1/'] }],
    },
  ],
])('a login is not redirected into the user’s network by %s', async (_, answers) => {
  const seen = recorder(answers);
  const network = openServer(server, seen);
  let stored: AuthRecord | undefined;
  const opened: string[] = [];
  const logIn = login(
    new URL(server),
    {
      read: async () => stored,
      write: async (record) => {
        stored = record;
      },
    },
    {
      fetch: network.fetch,
      signal: AbortSignal.timeout(1500),
      async onAddress(address) {
        await network.check(address);
        opened.push(address.href);
      },
    },
  );
  // The SDK continues without metadata that it cannot read, and fails later.
  await expect(logIn).rejects.toThrow();
  expect(stored).toBeUndefined();
  expect(opened.filter((address) => !address.startsWith('https://mcp.example.com'))).toEqual([]);
  expect(seen.sent.filter(({ url }) => !url.startsWith('https://mcp.example.com'))).toEqual([]);
});

test('a renewed login is not sent into the user’s network by addresses that were stored earlier', async () => {
  let requests = 0;
  const local = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(local, 'listening');
  onTestFinished(() => void local.close());
  const { port } = local.address() as AddressInfo;
  const network = serverNetwork({}, new URL(server), resolve);
  const record: AuthRecord = {
    client: { client_id: 'c' },
    tokens: { access_token: 'a', refresh_token: 'r', token_type: 'Bearer' },
    discovery: {
      authorizationServerUrl: 'https://mcp.example.com',
      authorizationServerMetadata: metadata({ token_endpoint: `http://127.0.0.1:${port}/token` }) as never,
    },
  };
  const auth = storedAuth({ read: async () => record, write: async () => undefined });
  await expect(
    auth.onUnauthorized?.({
      response: new Response(null, { status: 401 }),
      serverUrl: new URL(server),
      fetchFn: network.fetch,
    }),
  ).rejects.toThrow('Log in again.');
  expect(requests).toBe(0);
});
