import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { environmentSend } from '../../../src/model/http/environmentSend.ts';
import { createSend } from '../../../src/model/http/sendByNode.ts';
import { createOpenAIClient } from '../../../src/model/wires/chat/client.ts';
import type { ModelEvent } from '../../../src/protocol/models/model.ts';
import { say, sse, startSseServer, stop } from '../sseServer.ts';
import { makeCertificates, startMute, startProxy, startSocks, startTlsServer } from './proxyStage.ts';

let folder: string;
let files: ReturnType<typeof makeCertificates>;
const closing: (() => Promise<void>)[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawdcode-tls-'));
  files = makeCertificates(folder);
});
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});
afterAll(() => rmSync(folder, { recursive: true }));

const answer: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${say('hi')}${stop()}`);
};

async function tlsServer(): Promise<number> {
  const server = await startTlsServer(files, answer);
  closing.push(server.close);
  return server.port;
}

async function plainServer() {
  const server = await startSseServer([sse([say('hi'), stop()])]);
  closing.push(server.close);
  return { ...server, port: Number(new URL(server.baseUrl).port) };
}

async function proxyTo(port: number, credentials?: string, refuse?: number) {
  const proxy = await startProxy(port, credentials, refuse);
  closing.push(proxy.close);
  return proxy;
}

/** The last event of one request with this environment. */
async function ask(baseUrl: string, env: Record<string, string>): Promise<ModelEvent | undefined> {
  const client = createOpenAIClient({ apiKey: 'sk-secret', baseUrl, send: environmentSend(env) });
  const request = { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [] } as const;
  let last: ModelEvent | undefined;
  for await (const event of client.stream(request, new AbortController().signal)) last = event;
  return last;
}

const answered = { type: 'done', reply: expect.objectContaining({ finishReason: 'stop' }) };
const failedWith = (...words: string[]) => ({
  type: 'failed',
  error: expect.objectContaining({ message: expect.stringMatching(new RegExp(words.join('[^]*'))) }),
});

describe('proxies', () => {
  test.each([
    ['HTTPS_PROXY', (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` })],
    ['in lower case and without a scheme', (port: number) => ({ https_proxy: `127.0.0.1:${port}` })],
    ['ALL_PROXY', (port: number) => ({ ALL_PROXY: `http://127.0.0.1:${port}` })],
  ])('%s takes requests with TLS', async (_name, env) => {
    const proxy = await proxyTo(await tlsServer());
    const result = await ask('https://model.test/v1', { ...env(proxy.port), SSL_CERT_FILE: files.ca });
    expect(result).toEqual(answered);
    expect(proxy.seen).toEqual(['CONNECT model.test:443']);
  });

  test('HTTP_PROXY takes requests without TLS as they are', async () => {
    const proxy = await proxyTo((await plainServer()).port);
    expect(await ask('http://model.test/v1', { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` })).toEqual(
      answered,
    );
    expect(proxy.seen).toEqual(['POST http://model.test/v1/chat/completions']);
  });

  test('the name and password in the variable are sent', async () => {
    const proxy = await proxyTo((await plainServer()).port, 'user:p%s');
    const env = { HTTP_PROXY: `http://user:p%25s@127.0.0.1:${proxy.port}` };
    expect(await ask('http://model.test/v1', env)).toEqual(answered);
  });

  test.each(['http', 'https'])('a proxy that requires a password says so (%s)', async (scheme) => {
    const proxy = await proxyTo((await plainServer()).port, 'user:secret');
    const env = { ALL_PROXY: `http://user:wrong-word@127.0.0.1:${proxy.port}` };
    const result = await ask(`${scheme}://model.test/v1`, env);
    expect(result).toEqual(
      failedWith(`proxy http://127.0.0.1:${proxy.port} requires`, '407', 'user:password@'),
    );
    expect(JSON.stringify(result)).not.toContain('wrong-word');
  });

  test('a proxy that rejects the tunnel, or is missing, is reported instead of the server', async () => {
    const proxy = await proxyTo(1, undefined, 403);
    const refused = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await ask('https://model.test/v1', refused)).toEqual(failedWith('The proxy', 'NO_PROXY'));
    await proxy.close();
    closing.length = 0;
    expect(await ask('https://model.test/v1', refused)).toEqual(
      failedWith('The proxy', 'that the proxy is running'),
    );
  });

  test('NO_PROXY is reached directly, and so is this machine without being listed', async () => {
    const server = await plainServer();
    const proxy = await proxyTo(server.port);
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await ask(server.baseUrl, env)).toEqual(answered);
    expect(await ask(server.baseUrl.replace('127.0.0.1', 'localhost'), env)).toEqual(answered);
    expect(await ask('http://model.test/v1', { ...env, NO_PROXY: 'other,.test' })).toEqual(
      failedWith('model.test', 'DNS'),
    );
    expect(proxy.seen).toEqual([]);
  });

  test('a proxy of an unknown kind is skipped', async () => {
    const env = { HTTPS_PROXY: '', ALL_PROXY: 'gopher://127.0.0.1:70', NO_PROXY: '' };
    expect(await ask('http://model.test/v1', env)).toEqual(failedWith('model.test', 'DNS'));
  });

  test.each(['socks5h', 'socks', 'socks4a'])('%s takes requests with TLS and without', async (scheme) => {
    const plain = await startSocks((await plainServer()).port);
    const secure = await startSocks(await tlsServer());
    closing.push(plain.close, secure.close);
    const through = (port: number) => ({
      ALL_PROXY: `${scheme}://127.0.0.1:${port}`,
      SSL_CERT_FILE: files.ca,
    });
    expect(await ask('http://model.test/v1', through(plain.port))).toEqual(answered);
    expect(await ask('https://model.test/v1', through(secure.port))).toEqual(answered);
    expect([plain.seen, secure.seen]).toEqual([['model.test:80'], ['model.test:443']]);
  });

  test.each([
    ['http', 'https'],
    ['socks5h', 'http'],
    ['socks4a', 'https'],
  ])('waiting for a proxy that never responds can be aborted (%s, for %s)', async (kind, scheme) => {
    const mute = await startMute();
    closing.push(mute.close);
    const gone = new AbortController();
    const send = environmentSend({ ALL_PROXY: `${kind}://127.0.0.1:${mute.port}` });
    const sent = send(`${scheme}://model.test/v1`, { method: 'GET', headers: {}, signal: gone.signal });
    setTimeout(() => gone.abort(), 100);
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('through an open tunnel, a reply may take longer than connecting', async () => {
    const server = await startTlsServer(files, (_, response) => {
      vi.advanceTimersByTime(60_000);
      response.end('late');
    });
    const proxy = await proxyTo(server.port);
    const socks = await startSocks(server.port);
    closing.push(server.close, socks.close);
    const trusting = { keepAlive: true, ca: readFileSync(files.ca) };
    const agents = [
      Object.assign(new HttpsProxyAgent(`http://127.0.0.1:${proxy.port}`), { options: trusting }),
      new SocksProxyAgent(`socks5h://127.0.0.1:${socks.port}`, trusting),
    ];
    const { signal } = new AbortController();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const agent of agents) {
      const send = createSend(async () => agent, 300);
      const { status } = await send('https://model.test/', { method: 'GET', headers: {}, signal });
      expect(status).toBe(200);
    }
  });

  test('a missing SOCKS proxy is reported; a name that it cannot resolve is not its fault', async () => {
    const socks = await startSocks(1);
    await socks.close();
    const at = `127.0.0.1:${socks.port}`;
    const gone = await ask('http://model.test/v1', { ALL_PROXY: `socks5h://user:wrong-word@${at}` });
    expect(gone).toEqual(
      failedWith(`The proxy socks5h://${at} did not forward`, 'that the proxy is running'),
    );
    expect(await ask('http://model.test/v1', { ALL_PROXY: `socks5://${at}` })).toEqual(
      failedWith('model.test', 'DNS'),
    );
  });
});

describe('certificates', () => {
  test('SSL_CERT_FILE is trusted in addition to the usual authorities', async () => {
    const baseUrl = `https://127.0.0.1:${await tlsServer()}/v1`;
    expect(await ask(baseUrl, { SSL_CERT_FILE: files.ca })).toEqual(answered);
    expect(await ask(baseUrl, {})).toEqual(failedWith('not trusted', 'NODE_EXTRA_CA_CERTS'));
    expect(await ask(baseUrl, { SSL_CERT_FILE: join(folder, 'missing.pem') })).toEqual(
      failedWith('not trusted'),
    );
  });
});

test.each<[string, (socket: Socket) => void]>([
  ['gracefully', (socket) => socket.end()],
  ['abruptly', (socket) => socket.destroy()],
])('a kept TLS connection that the server closes %s is replaced without a failure', async (_, close) => {
  const used = new WeakSet<Socket>();
  const server = await startTlsServer(files, ({ socket }, response) => {
    if (used.has(socket)) return close(socket);
    used.add(socket);
    response.end('answer');
  });
  closing.push(server.close);
  const send = environmentSend({ SSL_CERT_FILE: files.ca });
  const request = {
    method: 'POST',
    headers: {},
    body: Buffer.from('q'),
    signal: new AbortController().signal,
  } as const;
  for (const _turn of 'ab') {
    const { status, body } = await send(`https://127.0.0.1:${server.port}/`, request);
    for await (const _piece of body);
    expect(status).toBe(200);
    // The connection is returned a moment after the end.
    await new Promise((done) => setImmediate(done));
  }
});

describe('redirects', () => {
  test('to another host does not get the conversation', async () => {
    const other = await plainServer();
    const server = await startSseServer([
      (response) => void response.writeHead(307, { location: `${other.baseUrl}/chat/completions` }).end(),
    ]);
    closing.push(server.close);
    expect(await ask(server.baseUrl, {})).toEqual(
      failedWith(`redirects to ${new URL(other.baseUrl).origin}`),
    );
    expect(other.requests).toEqual([]);
  });

  test('to a file is not followed, and the message names the scheme', async () => {
    const server = await startSseServer([
      (response) => void response.writeHead(307, { location: 'file:///etc/passwd' }).end(),
    ]);
    closing.push(server.close);
    expect(await ask(server.baseUrl, {})).toEqual(failedWith('redirects to a file: address'));
  });

  test('on the same host is followed, with the body', async () => {
    const server = await startSseServer([
      (response) => void response.writeHead(301, { location: '/v2/chat/completions' }).end(),
      sse([say('hi'), stop()]),
    ]);
    closing.push(server.close);
    expect(await ask(server.baseUrl, {})).toEqual(answered);
    expect(server.requests[1]).toMatchObject({ path: '/v2/chat/completions', body: { model: 'm' } });
  });

  test('in a loop ends', async () => {
    const server = await startSseServer([
      (response) => void response.writeHead(308, { location: '/v1/chat/completions' }).end(),
    ]);
    closing.push(server.close);
    expect(await ask(server.baseUrl, {})).toEqual(failedWith('too many redirects'));
    expect(server.requests).toHaveLength(4);
  });
});
