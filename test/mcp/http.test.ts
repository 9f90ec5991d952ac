/** Servers over HTTP that send more than anyone reads, deeper than anyone needs, or without end. */
import type { ServerResponse } from 'node:http';
import { ReadableStream as WebStream } from 'node:stream/web';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serverNetwork } from '../../src/cli/mcp/serverNetwork.ts';
import { login } from '../../src/mcp/auth.ts';
import { boundedFetch, type Fetch } from '../../src/mcp/boundedFetch.ts';
import { REPLY_TOO_LARGE } from '../../src/protocol/text/boundedJson.ts';
import { everyOtherIsQuick } from '../e2e/support/long.ts';
import { type Bench, openBench } from './support/bench.ts';
import { serveMcp } from './support/webServer.ts';

const CHUNK_BYTES = 64 * 1024;
const asStream: RequestInit = { method: 'GET', headers: { accept: 'text/event-stream' } };
const eventsIn = (text: string): number => Math.ceil(CHUNK_BYTES / text.length);

/** An event stream of `chunks` chunks that are all there at once. */
const streamOf = (text: string, chunks: number) => async (): Promise<Response> => {
  const bytes = Buffer.from(text.repeat(eventsIn(text)));
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === chunks) return controller.close();
      sent += 1;
      controller.enqueue(new Uint8Array(bytes));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

test.each(['data: {"method": "notifications/message"}\n\n', ': keep-alive\n\n', '\n\n'])(
  'everything else goes on while a server floods us with %j',
  async (text) => {
    const chunks = Math.min(50, Math.floor(50_000 / eventsIn(text)));
    const response = await boundedFetch(streamOf(text, chunks))('http://localhost/', asStream);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const received = await response.text();
    clearImmediate(timer);
    expect(received.length).toBe(text.startsWith('data') ? text.length * eventsIn(text) * chunks : 0);
    expect(turns).toBeGreaterThanOrEqual(chunks);
  },
);

test('events arrive as they were sent, with every kind of line end, and without what no reader needs', async () => {
  const text = 'retry: 5\r\n\r\n: ping\n\nid: 1\rdata: {\rdata:}\r\revent: message\ndata\n\ndata: cut';
  for (const size of [1, 2, 3, text.length]) {
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const send: Fetch = async () =>
      new Response(WebStream.from(pieces) as unknown as ReadableStream, {
        headers: { 'content-type': 'Text/Event-Stream; charset=utf-8' },
      });
    const response = await boundedFetch(send)('http://localhost/', asStream);
    expect(await response.text()).toBe('retry: 5\n\nid: 1\ndata: {\ndata:}\n\nevent: message\ndata\n\n');
  }
});

test('what exceeds a limit in a stream that answers no request is reported', async () => {
  const faults: string[] = [];
  const onFault = ({ message }: Error): void => void faults.push(message);
  for (const text of [
    ': keep-alive\n',
    `data: ${'['.repeat(2000)}\n\n`,
    `id: "\ndata: ${'['.repeat(2000)}\n\n`,
    'data\n',
  ]) {
    const bounds = { maxBytes: text === 'data\n' ? 2 ** 30 : 2 ** 20, onFault };
    const response = await boundedFetch(streamOf(text, 20), bounds)('http://localhost/', asStream);
    expect(await response.text()).toBe('');
  }
  expect(faults).toEqual([
    'It sent a message of more than 1 MB.',
    'It sent a message that is nested more than 1000 levels deep.',
    'It sent a message that is nested more than 1000 levels deep.',
    'It sent an event of more than 100,000 lines.',
  ]);
});

test.each([
  [REPLY_TOO_LARGE, '"message":"It sent almost no content for the bytes received."'],
  ['ECONNRESET', undefined],
])('a stream that ends with %s', async (code, answer) => {
  const error = Object.assign(new Error('The reply holds <almost no content for the bytes received>.'), {
    code,
  });
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(error) });
  const send: Fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const call = { ...asStream, method: 'POST', body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const text = (await boundedFetch(send)('http://localhost/', call)).text();
  // The SDK may resume a stream that broke.
  if (answer === undefined) await expect(text).rejects.toBe(error);
  else expect(await text).toContain(answer);
});

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream' };
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const DEEP = nested(1_000_000);

/** Sends a piece again and again until the other side closes the connection. */
function flood(response: ServerResponse, piece: string): void {
  const chunk = Buffer.from(piece.repeat(Math.ceil(2 ** 20 / piece.length)));
  const send = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', send);
  };
  send();
}

/** Sends a byte now and then. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

interface HostileWeb extends Bench {
  /** Resolves when the client has closed the connection of the hostile answer. */
  readonly closed: () => Promise<unknown>;
  /** Bytes that the hostile answers have sent. */
  readonly sentBytes: () => number;
}

/** A server over HTTP that gives a hostile answer to the requests of one method, as long as `isHostile` says so. */
async function openHostile(
  path: 'mcp' | 'sse',
  method: string,
  answer: (response: ServerResponse, id: number) => void,
  { isHostile = (): boolean => true, connectTimeoutMs = 20_000, timeout = 60_000 } = {},
): Promise<HostileWeb> {
  const closings: Promise<unknown>[] = [];
  let sent = 0;
  const web = await serveMcp((request, response) => {
    if (request.headers['x-method'] !== method || !isHostile()) return false;
    const { socket } = response;
    const before = socket?.bytesWritten ?? 0;
    closings.push(
      new Promise((resolve) =>
        response.on('close', () => {
          sent += (socket?.bytesWritten ?? 0) - before;
          resolve(undefined);
        }),
      ),
    );
    answer(response, Number(request.headers['x-id']));
    return true;
  });
  onTestFinished(() => web.close());
  const fetchFor = (server: URL): Fetch => {
    const { fetch } = serverNetwork({}, server);
    return (url, init) => {
      const message = JSON.parse(String(init?.body ?? '{}')) as { method?: string; id?: number };
      const headers = new Headers(init?.headers);
      headers.set('x-method', message.method ?? init?.method ?? 'GET');
      headers.set('x-id', String(message.id));
      return fetch(url, { ...init, headers });
    };
  };
  const type = path === 'sse' ? 'sse' : 'http';
  const bench = await openBench(
    { web: { type, url: `${web.origin}/${path}`, timeout } },
    { fetchFor, connectTimeoutMs },
  );
  return { ...bench, closed: () => Promise.all(closings), sentBytes: () => sent };
}

const TOO_LONG = 'It sent a message of more than 10 MB.';
const TOO_DEEP = 'It sent a message that is nested more than 1000 levels deep.';
const TOO_MANY_MESSAGES = 'It sent more than 50,000 messages since the last call.';
const LOG_MESSAGE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';
const TOO_MANY = 'It sent a message with more than 500,000 arrays and objects.';

const hostileAnswers: readonly [string, (response: ServerResponse, id: number) => void, string][] = [
  ['hundreds of megabytes', (response) => flood(response.writeHead(200, JSON_TYPE), ' '), TOO_LONG],
  [
    'the promise of hundreds of megabytes',
    (response) => response.writeHead(200, { ...JSON_TYPE, 'content-length': '200000000' }).flushHeaders(),
    TOO_LONG,
  ],
  [
    'little that decompresses to much',
    (response) =>
      response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(50_000_000, ' '))),
    TOO_LONG,
  ],
  ['a million levels', (response) => response.writeHead(200, JSON_TYPE).end(DEEP), TOO_MANY],
  ['thousands of levels', (response) => response.writeHead(200, JSON_TYPE).end(nested(2000)), TOO_DEEP],
  ['an error of a million levels', (response) => response.writeHead(400, JSON_TYPE).end(DEEP), TOO_MANY],
  [
    'an error without end that is declared as an event stream',
    (response) => flood(response.writeHead(500, STREAM_TYPE), 'data: {}\n\n'),
    TOO_LONG,
  ],
  ['an endless line', (response) => flood(response.writeHead(200, STREAM_TYPE), 'data: a'), TOO_LONG],
  [
    'an endless event, compressed',
    (response) =>
      response
        .writeHead(200, { ...STREAM_TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.from('data: a\n'.repeat(6_000_000)))),
    'It sent an event of more than 100,000 lines.',
  ],
  [
    'small messages without end',
    (response) => flood(response.writeHead(200, STREAM_TYPE), `data: ${LOG_MESSAGE}\n\n`),
    TOO_MANY_MESSAGES,
  ],
  [
    'comments without end',
    (response) => flood(response.writeHead(200, STREAM_TYPE), ': ping\n\n'),
    TOO_MANY_MESSAGES,
  ],
  [
    'an event of a million levels',
    (response) => response.writeHead(200, STREAM_TYPE).end(`data: ${DEEP}\n\n`),
    TOO_MANY,
  ],
];
for (const {
  row: [what, answer, reason],
  options,
} of everyOtherIsQuick(hostileAnswers))
  test(`${what} in answer to a call fails that call, and the server stays usable`, options, async () => {
    const { servers, call, closed, sentBytes } = await openHostile('mcp', 'tools/call', answer, {
      isHostile: () => isHostile,
    });
    let isHostile = true;
    expect(await call('mcp__web__echo', { text: 'a' })).toMatchObject({
      status: 'error',
      text: `The MCP server "web" failed: ${reason} The call may have had an effect.`,
    });
    await closed();
    expect(sentBytes()).toBeLessThan(50_000_000);
    isHostile = false;
    expect((await call('mcp__web__echo', { text: 'on' })).text).toBe('You said on');
    expect(servers.status()[0]?.state).toEqual({ type: 'connected' });
  });

test.each([JSON_TYPE, STREAM_TYPE])(
  'an answer that drips in fails the call when its time is up, and is not read on',
  { tags: 'long' },
  async (type) => {
    const { call, closed } = await openHostile(
      'mcp',
      'tools/call',
      (response) => drip(response.writeHead(200, type)),
      {
        timeout: 1000,
      },
    );
    expect((await call('mcp__web__echo', { text: 'a' })).text).toContain(
      'It did not answer within 1 seconds.',
    );
    await closed();
  },
);

test('what a server sends after it has accepted a message is not awaited', async () => {
  const { servers, closed } = await openHostile('mcp', 'notifications/initialized', (response) =>
    drip(response.writeHead(202)),
  );
  expect(servers.status()[0]?.state).toEqual({ type: 'connected' });
  await closed();
});

test.each([
  ['mcp', 'data: a', TOO_LONG],
  ['sse', 'data: a', TOO_LONG],
  ['mcp', `data: ${LOG_MESSAGE}\n\n`, TOO_MANY_MESSAGES],
  ['sse', ': ping\n\n', TOO_MANY_MESSAGES],
] as const)(
  'a server over /%s that sends %j without end on its open stream has failed, with the reason, until it is used again',
  async (path, piece, reason) => {
    let stream: ServerResponse | undefined;
    let isHostile = true;
    const { servers, call, closed } = await openHostile(
      path,
      'GET',
      (response) => {
        stream = response;
        isHostile = false;
        response.writeHead(200, STREAM_TYPE).flushHeaders();
        if (path === 'sse') flood(response, piece);
      },
      { isHostile: () => isHostile },
    );
    await vi.waitFor(() => expect(stream).toBeDefined(), 20_000);
    if (path === 'mcp' && stream !== undefined) flood(stream, piece);
    await vi.waitFor(() => expect(servers.status()[0]?.state).toEqual({ type: 'failed', reason }), 20_000);
    await closed();
    await servers.reconnect('web');
    expect((await call('mcp__web__echo', { text: 'back' })).text).toBe('You said back');
  },
);

test('a server whose stream never begins fails in time, and can be closed', async () => {
  const { servers, closed } = await openHostile(
    'sse',
    'GET',
    (response) => drip(response.writeHead(200, STREAM_TYPE)),
    { connectTimeoutMs: 1000 },
  );
  expect(servers.status()[0]?.state).toEqual({
    type: 'failed',
    reason: 'It did not answer within 1 seconds.',
  });
  await closed();
});

test.each([
  ['deep', (response: ServerResponse) => response.writeHead(200, JSON_TYPE).end(nested(2000)), TOO_DEEP],
  [
    'large',
    (response: ServerResponse) => flood(response.writeHead(200, JSON_TYPE), ' '),
    'It sent a message of more than 1 MB.',
  ],
  [
    'large, as an event stream,',
    (response: ServerResponse) => flood(response.writeHead(200, STREAM_TYPE), 'data: {}\n\n'),
    'It sent a message of more than 1 MB.',
  ],
] as const)('metadata that is too %s ends a login', async (_, answer, reason) => {
  const web = await serveMcp((request, response) => {
    if (request.url?.includes('.well-known') === true) answer(response);
    else response.writeHead(401).end();
    return true;
  });
  onTestFinished(() => web.close());
  const url = new URL(`${web.origin}/mcp`);
  const store = { read: async () => undefined, write: async () => undefined };
  const ports = { onAddress: () => undefined, signal: new AbortController().signal };
  const trying = login(url, store, { ...ports, fetch: serverNetwork({}, url).fetch });
  await expect(trying).rejects.toThrow(reason);
});

test('metadata that drips in ends the request', async () => {
  const web = await serveMcp((_, response) => {
    drip(response.writeHead(200, JSON_TYPE));
    return true;
  });
  onTestFinished(() => web.close());
  const limited = boundedFetch((url, init) => fetch(url, init), { timeoutMs: 1000 });
  await expect(limited(`${web.origin}/.well-known/oauth-authorization-server`)).rejects.toThrow(
    'It did not answer within 1 seconds.',
  );
});
