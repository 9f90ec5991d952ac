import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProxy } from '../../src/sandbox/network/proxy.ts';

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return (server.address() as AddressInfo).port;
}

/**
 * A proxy that allows `good.example`, and what arrives there, byte for byte. The server sends `greeting` on its own;
 * `breaksOff`: it closes the connection after its response.
 */
async function open(
  answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  { greeting = '', breaksOff = false } = {},
) {
  let arrived = '';
  const mismatches: string[] = [];
  const upstream = await listening(
    createServer((socket) => {
      socket.on('error', () => undefined);
      if (greeting !== '') socket.write(greeting);
      socket.on('data', (chunk) => {
        arrived += chunk.toString('latin1');
        if (!/\r\n\r\n/.test(arrived)) return;
        if (breaksOff) socket.end(answer);
        else socket.write(answer);
      });
    }),
  );
  const proxy = await listening(
    createProxy({
      knows: (token) => token !== 'nobody',
      allows: async (host) => host === 'good.example' || host === '192.0.2.1',
      connect: async () => connect(upstream, '127.0.0.1'),
      onMismatch: (host) => mismatches.push(host),
    }),
  );
  /** Sends the pieces one after the other, each after a response to the previous one, and returns all responses. */
  const say = (...pieces: readonly (string | Buffer)[]): Promise<string> =>
    new Promise((resolve) => {
      let heard = '';
      const rest = [...pieces];
      const socket = connect(proxy, '127.0.0.1', () => socket.write(rest.shift() ?? ''));
      const next = (): void => {
        const piece = rest.shift();
        if (piece === undefined) socket.end();
        else socket.write(piece);
      };
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1');
        next();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(heard));
    });
  return { say, port: proxy, mismatches, arrived: () => arrived };
}

const CONNECT = 'CONNECT good.example:80 HTTP/1.1\r\n\r\n';

/** A ClientHello in one record, with or without a name. */
function hello(host?: string): Buffer {
  const name =
    host === undefined
      ? Buffer.alloc(0)
      : Buffer.concat([
          Buffer.from([0, 0, 0, host.length + 5, 0, host.length + 3, 0, 0, host.length]),
          Buffer.from(host),
        ]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0, name.length >> 8, name.length & 255]),
    name,
  ]);
  return Buffer.concat([
    Buffer.from([0x16, 3, 1, (body.length + 4) >> 8, (body.length + 4) & 255, 1, 0, 0, body.length]),
    body,
  ]);
}

/** The same handshake in two records, so that the first contains no name. */
function split(whole: Buffer): Buffer {
  const handshake = whole.subarray(5);
  const pieces = [handshake.subarray(0, 40), handshake.subarray(40)];
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.from([0x16, 3, 1, 0, piece.length]), piece]));
}

describe('the proxy', () => {
  test.each([
    ['TLS that names another host', hello('evil.example')],
    ['TLS without a host name', hello()],
    ['TLS in two records', split(hello('evil.example'))],
    ['a request after an empty line', '\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['a request in lower case', 'get / HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('ends a tunnel with %s', async (_name, first) => {
    const { say, arrived, mismatches } = await open();
    expect(await say(CONNECT, first)).toMatch(/^HTTP\/1.1 200 Connection Established\r\n\r\n$/);
    expect(arrived()).toBe('');
    expect(mismatches).toEqual(['good.example']);
  });

  test('ends a tunnel to an IP address in which TLS requests a host, even in two records', async () => {
    for (const first of [hello('evil.example'), split(hello('evil.example'))]) {
      const { say, arrived, mismatches } = await open();
      await say('CONNECT 192.0.2.1:443 HTTP/1.1\r\n\r\n', first);
      expect(arrived()).toBe('');
      expect(mismatches).toEqual(['192.0.2.1']);
    }
  });

  test('allows SSH to a server that greets as one, but no request that begins like SSH', async () => {
    const first = 'SSH-2.0-GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n';
    const ssh = await open('', { greeting: 'SSH-2.0-OpenSSH_9.9\r\n' });
    expect(await ssh.say(CONNECT, first)).toContain('SSH-2.0-OpenSSH_9.9');
    expect(ssh.arrived()).toBe(first);
    const web = await open('', { greeting: 'HTTP/1.1 408 Request Timeout\r\n\r\n' });
    expect(await web.say(CONNECT, first)).not.toContain('408');
    expect(web.arrived()).toBe('');
    expect(web.mismatches).toEqual(['good.example']);
  });

  test('allows TLS that names the host, and TLS without a name to an IP address', async () => {
    const named = await open();
    await named.say(CONNECT, Buffer.concat([hello('good.example'), Buffer.from('\r\n\r\n')]));
    expect(named.arrived()).toContain('good.example');
    const number = await open();
    await number.say(
      'CONNECT 192.0.2.1:443 HTTP/1.1\r\n\r\n',
      Buffer.concat([hello(), Buffer.from('\r\n\r\n')]),
    );
    expect(number.arrived()).not.toBe('');
  });

  test('sets the Host header of every plain HTTP request in a tunnel', async () => {
    const { say, arrived } = await open();
    const request = (path: string, host: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const heard = await say(
      CONNECT,
      request('/1', 'good.example'),
      request('/2', 'evil.example') + request('//evil.example/3', 'evil.example'),
    );
    expect(heard).toContain('200 OK');
    expect(arrived()).toMatch(/GET \/1 /);
    expect(arrived()).toMatch(/GET \/2 /);
    expect(
      arrived()
        .match(/^host: .*$/gim)
        ?.every((line) => /good\.example/.test(line)),
    ).toBe(true);
    expect(arrived()).not.toMatch(/^host: evil/im);
  });

  test('does not let a second request hide in the body of the first', async () => {
    const { say, arrived } = await open();
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: evil.example\r\n\r\n';
    const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    await say(`GET http://good.example/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
    expect(arrived()).toMatch(/transfer-encoding: chunked/i);
    await say(
      `GET http://good.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    expect(arrived().match(/GET \/ /g)).toHaveLength(1);
  });

  test('forwards ordinary requests with their bodies', async () => {
    const proxy = createProxy({
      knows: () => true,
      allows: async () => true,
      connect: async () => connect(target, '127.0.0.1'),
      onMismatch: () => undefined,
    });
    const target = await listening(
      createHttpServer((request, answer) => {
        let body = '';
        request.on('data', (chunk) => (body += chunk));
        request.on('end', () => answer.end(`${request.method} ${request.headers.host} ${body}`));
      }),
    );
    const port = await listening(proxy);
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve) => {
      const sent = request({ port, path: 'http://good.example/x', method: 'POST' }, (reply) => {
        let all = '';
        reply.on('data', (chunk) => (all += chunk));
        reply.on('end', () => resolve(all));
      });
      sent.end('body');
    });
    expect(text).toBe('POST good.example body');
  });
});

test.each(['000 Nothing', '099 Less', '101 Switching Protocols', '42 No'])(
  'a response that cannot be passed on fails only its own request: %s',
  async (status) => {
    const { say } = await open(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    const request = 'GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n';
    expect(await say(request)).toMatch(/^HTTP\/1\.1 502 /);
    expect(await say(request)).toMatch(/^HTTP\/1\.1 502 /);
  },
);

test.each([
  ['with a length', 'Content-Length: 2\r\nTrailer: X\r\n\r\nok'],
  ['in chunks', 'Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n'],
])('a response that announces trailers is passed on without them: %s', async (_name, rest) => {
  const { say } = await open(`HTTP/1.1 200 OK\r\n${rest}`);
  const heard = await say('GET http://good.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*ok/);
  expect(heard).not.toMatch(/trailer/i);
});

test('a truncated response also ends for the client', async () => {
  const { port } = await open('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok', { breaksOff: true });
  let heard = '';
  const client = connect(port, '127.0.0.1');
  client.on('data', (chunk) => {
    heard += chunk.toString('latin1');
  });
  const ended = new Promise((resolve) => client.on('close', resolve));
  client.write('GET http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n');
  await ended;
  expect(heard).toMatch(/\r\n\r\nok$/);
});

test.each(['CONNECT good.example:443', 'GET http://good.example/'])(
  'a client that disconnects before the host is connected leaves nothing open: %s',
  async (line) => {
    const upstream = await listening(createServer());
    const made: Socket[] = [];
    let onGone = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      onGone = resolve;
    });
    const proxy = createProxy({
      knows: () => true,
      allows: async () => true,
      connect: async () => {
        // The client disconnects during the name lookup.
        client.resetAndDestroy();
        await gone;
        const socket = connect(upstream, '127.0.0.1');
        made.push(socket);
        return socket;
      },
      onMismatch: () => undefined,
    });
    proxy.on('connection', (socket: Socket) => socket.on('close', () => onGone()));
    const client = connect(await listening(proxy), '127.0.0.1');
    client.write(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => made[0]?.destroyed).toBe(true);
  },
);

test('an unidentified client gets 407, and nothing reaches the host', async () => {
  const { say, arrived } = await open();
  const name = `Proxy-Authorization: Basic ${btoa('nobody:x')}\r\n`;
  for (const line of ['GET http://good.example/', 'CONNECT good.example:443'])
    expect(await say(`${line} HTTP/1.1\r\nHost: good.example\r\n${name}\r\n`)).toMatch(
      /^HTTP\/1\.1 407 [\s\S]*Proxy-Authenticate: Basic/i,
    );
  expect(arrived()).toBe('');
});
