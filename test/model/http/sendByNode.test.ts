import { Agent, createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  brotliCompressSync,
  constants,
  createGzip,
  createZstdCompress,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toModelError } from '../../../src/model/errors.ts';
import { createSend } from '../../../src/model/http/sendByNode.ts';
import type { HttpAnswer, HttpRequest } from '../../../src/model/http/types.ts';
import { startMute } from './proxyStage.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) close();
});

async function serve(answer: RequestListener) {
  const sockets: Socket[] = [];
  const server = createServer(answer).on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`, sockets };
}

const post = (more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  headers: {},
  body: Buffer.from('question'),
  signal: new AbortController().signal,
  ...more,
});

async function textOf({ body }: HttpAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('one connection', () => {
  test('serves many requests', async () => {
    const { url, sockets } = await serve((request, response) => request.pipe(response));
    const send = createSend();
    for (const _ of 'abc') expect(await textOf(await send(url, post()))).toBe('question');
    expect(sockets).toHaveLength(1);
  });

  test('stays open if the end of a body arrives after release, and is closed if none arrives', {
    tags: 'long',
  }, async () => {
    let end = (): void => {};
    const ended = new Promise<void>((done) => {
      end = done;
    });
    const { url, sockets } = await serve((request, response) => {
      response.write('all of it');
      if (request.headers.endless === undefined) setTimeout(() => response.end(() => end()), 50);
    });
    const send = createSend();
    const ask = async (headers: HttpRequest['headers']) => {
      const gone = new AbortController();
      const answer = await send(url, post({ headers, signal: gone.signal }));
      for await (const _ of answer.body) {
        answer.release();
        break;
      }
      gone.abort();
    };
    await ask({});
    await ended;
    // Server and client are one process: a few rounds of its event loop deliver the data.
    for (let round = 0; round < 50; round += 1) await new Promise((done) => setImmediate(done));
    await ask({ endless: 'yes' });
    expect(sockets).toHaveLength(1);
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  });

  test('may be released after the end of a body', async () => {
    const { url, sockets } = await serve((_, response) => void response.end('all of it'));
    const send = createSend();
    for (const _ of 'ab') {
      const answer = await send(url, post());
      expect(await textOf(answer)).toBe('all of it');
      for (let round = 0; round < 5; round += 1) await new Promise((done) => setImmediate(done));
      expect(answer.release).not.toThrow();
    }
    expect(sockets).toHaveLength(1);
  });

  test('is closed if a body is abandoned before its end', async () => {
    const { url, sockets } = await serve((_, response) => void response.write('the first of many'));
    for await (const _ of (await createSend()(url, post())).body) break;
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  });

  test('that the server has just closed is not a failure: the request is sent on a new one', async () => {
    const { url, sockets } = await serve((request, response) => {
      // The second request gets a connection that closes at this moment.
      if (request.headers.again !== undefined && sockets.length === 1) request.socket.destroy();
      else request.pipe(response);
    });
    const send = createSend();
    await textOf(await send(url, post()));
    expect(await textOf(await send(url, post({ headers: { again: 'yes' } })))).toBe('question');
    expect(sockets).toHaveLength(2);
  });

  test('several connections that the server has closed in the meantime cause no failure', async () => {
    const isOld = new WeakSet<Socket>();
    let waiting: (() => void)[] = [];
    const { url, sockets } = await serve(({ socket }, response) => {
      if (isOld.has(socket)) socket.resetAndDestroy();
      isOld.add(socket);
      waiting.push(() => response.end('answer'));
      // All at once, so that each needs a connection.
      if (waiting.length < 4 && sockets.length <= 4) return;
      for (const answer of waiting) answer();
      waiting = [];
    });
    const send = createSend();
    const ask = async () => textOf(await send(url, post()));
    await Promise.all([ask(), ask(), ask(), ask()]);
    await new Promise((done) => setImmediate(done));
    expect(await ask()).toBe('answer');
    expect(sockets).toHaveLength(5);
  });

  test.each<[string, number | undefined, (socket: Socket) => void]>([
    ['during the response', undefined, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['once the server may have started working', 0, (socket) => socket.destroy()],
  ])('that breaks %s is a failure, and is not silently retried', async (_when, staleMs, breakOff) => {
    const asked: string[] = [];
    const { url } = await serve((request, response) => {
      asked.push(String(request.headers.turn));
      if (request.headers.turn === '2') breakOff(request.socket);
      else request.pipe(response);
    });
    const send = createSend(undefined, undefined, staleMs);
    await textOf(await send(url, post({ headers: { turn: '1' } })));
    const second = send(url, post({ headers: { turn: '2' } }));
    await expect(second).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(asked).toEqual(['1', '2']);
  });

  test('that breaks during its first request is a failure', async () => {
    const { url } = await serve((request) => request.socket.destroy());
    await expect(createSend()(url, post())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

test('headers may be as large as some gateways make them; endless ones are reported', async () => {
  const { url } = await serve((request, response) => {
    const bytes = Number(request.headers.bytes);
    response.writeHead(200, { 'content-security-policy': 'x'.repeat(bytes) }).end('body');
  });
  const send = createSend();
  const large = await send(url, post({ headers: { bytes: '100000' } }));
  expect([large.headers['content-security-policy']?.length, await textOf(large)]).toEqual([100_000, 'body']);
  const about = { baseUrl: 'http://gateway.example/v1', model: 'm', hasKey: true };
  const error: unknown = await send(url, post({ headers: { bytes: '300000' } })).catch(
    (thrown: unknown) => thrown,
  );
  expect(toModelError(error, about)).toMatchObject({
    kind: 'network',
    retryable: false,
    message: expect.stringMatching(
      /gateway\.example\/v1 sent more than 256 kB of headers.* A gateway or proxy/,
    ),
  });
});

describe('a server that sends without end', () => {
  const TOO_LARGE = { code: 'ERR_REPLY_TOO_LARGE' };
  /** Writes `piece` to the bare connection, again and again until it is closed; returns the number of bytes taken. */
  async function flood(head: string, piece: string | Buffer) {
    let sent = 0;
    const { url } = await serve(({ socket }) => {
      socket.write(head);
      const write = (): void => {
        while (!socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) {
            socket.once('drain', write);
            return;
          }
        }
      };
      write();
    });
    const read = async () => textOf(await createSend()(url, post()));
    return { read, sent: () => sent };
  }
  const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n';

  test('interim responses is given up', async () => {
    const { read, sent } = await flood('', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(10));
    await expect(read()).rejects.toMatchObject(TOO_LARGE);
    expect(sent()).toBeLessThan(20_000_000);
  });

  test('chunks of a single byte is given up', { tags: 'long' }, async () => {
    const { read, sent } = await flood(`${CHUNKED}\r\n`, '1\r\nx\r\n'.repeat(1000));
    await expect(read()).rejects.toMatchObject(TOO_LARGE);
    expect(sent()).toBeLessThan(20_000_000);
  });

  test('compressed data with nothing in it is given up', async () => {
    const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')));
    const { read, sent } = await flood('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n', nothing);
    await expect(read()).rejects.toMatchObject(TOO_LARGE);
    expect(sent()).toBeLessThan(20_000_000);
  });

  test('data compressed twice with nothing in it is given up', async () => {
    const nothing = gzipSync(Buffer.concat(Array(200_000).fill(gzipSync(''))));
    const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip\r\n\r\n';
    const { read, sent } = await flood(head, nothing);
    await expect(read()).rejects.toMatchObject(TOO_LARGE);
    expect(sent()).toBeLessThan(20_000_000);
  });

  test('trailers or chunk extensions is given up, with the reason', async () => {
    const trailers = await flood(`${CHUNKED}\r\n1\r\nx\r\n0\r\n`, `x-a: ${'x'.repeat(6000)}\r\n`);
    await expect(trailers.read()).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
    const extensions = await flood(`${CHUNKED}\r\n1;`, 'x'.repeat(6000));
    await expect(extensions.read()).rejects.toMatchObject({
      code: expect.stringMatching(/^HPE_/),
    });
  });

  test('the body of a redirect is cut off, since it is not needed', async () => {
    let closed = (): void => {};
    const isClosed = new Promise<void>((done) => {
      closed = done;
    });
    let sent = 0;
    const { url } = await serve((_, response) => {
      response.on('close', closed).writeHead(307);
      const write = (): void => {
        while (!response.destroyed) {
          sent += 10_000;
          if (!response.write('x'.repeat(10_000))) {
            response.once('drain', write);
            return;
          }
        }
      };
      write();
    });
    (await createSend()(url, post())).release();
    await isClosed;
    expect(sent).toBeLessThan(20_000_000);
  });

  test('a body compressed with a window of more than 8 MB is rejected', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
    const { url } = await serve((_, response) => {
      const zstd = createZstdCompress({ params });
      response.setHeader('content-encoding', 'zstd');
      zstd.pipe(response);
      zstd.end('an answer');
    });
    await expect(textOf(await createSend()(url, post()))).rejects.toMatchObject({
      code: expect.stringContaining('ZSTD_error'),
    });
  });
});

describe('a connection that cannot be made', () => {
  const nowhere = new Agent({ lookup: () => {} });

  test('to an unknown host, or through a silent handshake, times out', async () => {
    const lost = createSend(async () => nowhere, 50)('http://lost.test/', post());
    await expect(lost).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    const mute = await startMute();
    closing.push(() => void mute.close());
    const unshaken = createSend(undefined, 50)(`https://127.0.0.1:${mute.port}/`, post());
    await expect(unshaken).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  test('does not time out if the server is only slow', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url } = await serve((_, response) => {
      vi.advanceTimersByTime(60_000);
      response.end('late');
    });
    const send = createSend(undefined, 50);
    expect(await textOf(await send(url, post()))).toBe('late');
    expect(await textOf(await send(url, post()))).toBe('late');
  });

  test('ends on abort, whatever the state of the connection', async () => {
    const gone = new AbortController();
    const never = new (class extends Agent {
      override createConnection = () => undefined; // reports a connection later, which it never does
    })();
    const sent = createSend(async () => never)('http://waiting.test/', post({ signal: gone.signal }));
    setTimeout(() => gone.abort(), 20);
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('and one that speaks another protocol is reported as broken', async () => {
    const { url } = await serve(({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    });
    await expect(createSend()(url, post())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('a body', () => {
  test('that breaks off is a failure', async () => {
    const { url } = await serve((_, response) => {
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(textOf(await createSend()(url, post()))).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
    ['gzip, gzip', (text: string) => gzipSync(gzipSync(text))],
    ['br , GZIP', (text: string) => gzipSync(brotliCompressSync(text))],
    ['identity, gzip', gzipSync],
    ['rot13', (text: string) => Buffer.from(text)],
    ['gzip, rot13', (text: string) => Buffer.from(text)],
    ['gzip, gzip, gzip', (text: string) => Buffer.from(text)],
  ])('compressed as %s is decompressed, if the encoding is known', async (packing, pack) => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-encoding', packing).end(pack('an answer'));
    });
    expect(await textOf(await createSend()(url, post()))).toBe('an answer');
  });

  test('that is compressed while streaming is delivered as it arrives', async () => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write('first');
      gzip.flush();
    });
    const { body } = await createSend()(url, post());
    for await (const piece of body) {
      expect(Buffer.from(piece).toString()).toBe('first');
      break;
    }
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('that lacks only the end of its compression (%s) is read as far as possible', async (packing, pack) => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-encoding', packing).end(pack('an answer').subarray(0, -1));
    });
    expect('an answer').toContain(await textOf(await createSend()(url, post())));
  });

  test('with garbage instead of compressed data is a failure', async () => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip').end('not packed at all');
    });
    await expect(textOf(await createSend()(url, post()))).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
  });
});

describe('an abort', () => {
  test('before the headers, or within the body, ends it at once', async () => {
    const { url, sockets } = await serve((request, response) => {
      if (request.headers.silent === undefined) response.write('some');
    });
    const early = new AbortController();
    setTimeout(() => early.abort(), 50);
    await expect(
      createSend()(url, post({ headers: { silent: 'yes' }, signal: early.signal })),
    ).rejects.toMatchObject({ name: 'AbortError' });
    const late = new AbortController();
    const answer = await createSend()(url, post({ signal: late.signal }));
    setTimeout(() => late.abort(), 50);
    await expect(textOf(answer)).rejects.toThrow();
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  test('before the request sends nothing', async () => {
    const { url, sockets } = await serve((_, response) => response.end());
    await expect(createSend()(url, post({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(sockets).toHaveLength(0);
  });
});

test('header names are lower case, and repeated headers are joined', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(429, { 'Retry-After': '7', 'X-Many': ['a', 'b'], 'Set-Cookie': ['c=1', 'd=2'] }).end();
  });
  expect(await createSend()(url, post())).toMatchObject({
    status: 429,
    headers: { 'retry-after': '7', 'x-many': 'a, b', 'set-cookie': 'c=1, d=2' },
  });
});
