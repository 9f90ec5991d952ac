/** A proxy and a TLS server on loopback, with a private certificate authority created by openssl. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server,
  type Socket,
} from 'node:net';
import { join } from 'node:path';

/** A running server; `close` also ends its connections. */
export interface Started {
  readonly port: number;
  close(): Promise<void>;
}

function listening(server: Server): Promise<Started> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            for (const socket of sockets) socket.destroy();
          }),
      }),
    );
  });
}

/** Files of an authority and of a certificate for `model.test` and 127.0.0.1. */
export function makeCertificates(folder: string): {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
} {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    ...['req', '-x509', ...newKey, '-keyout', file('ca.key'), '-out', file('ca.pem')],
    ...['-days', '2', '-subj', '/CN=Test authority', '-addext', 'basicConstraints=critical,CA:TRUE'],
  );
  openssl(
    'req',
    ...newKey,
    '-keyout',
    file('key.pem'),
    '-out',
    file('request.pem'),
    '-subj',
    '/CN=model.test',
  );
  writeFileSync(file('names'), 'subjectAltName=DNS:model.test,IP:127.0.0.1\n');
  openssl(
    ...['x509', '-req', '-in', file('request.pem'), '-CA', file('ca.pem'), '-CAkey', file('ca.key')],
    ...['-CAcreateserial', '-out', file('cert.pem'), '-days', '2', '-extfile', file('names')],
  );
  return { ca: file('ca.pem'), key: file('key.pem'), cert: file('cert.pem') };
}

export function startTlsServer(
  files: { key: string; cert: string },
  answer: RequestListener,
): Promise<Started> {
  return listening(createTlsServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, answer));
}

/**
 * An HTTP proxy that forwards every request to one server on loopback, whatever its host, and records the first line of
 * each. With `credentials`, it requires them.
 */
export async function startProxy(to: number, credentials?: string, refuse?: number) {
  const seen: string[] = [];
  const isAllowed = (given: string | undefined): boolean =>
    credentials === undefined || given === `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    if (!isAllowed(incoming.headers['proxy-authorization'])) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end();
      return;
    }
    const { pathname } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: to, path: pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket: Socket) => {
    seen.push(`CONNECT ${incoming.url}`);
    if (!isAllowed(incoming.headers['proxy-authorization'])) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="x"\r\n\r\n');
      return;
    }
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
      return;
    }
    const onward = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return { ...(await listening(server)), seen };
}

/** Accepts connections and sends nothing. */
export function startMute(): Promise<Started> {
  return listening(createNetServer((socket) => void socket.on('error', () => {}).resume()));
}

/**
 * A SOCKS proxy (4a and 5) that forwards every connection to one server on loopback and records the intended target.
 */
export async function startSocks(to: number) {
  const seen: string[] = [];
  const server = createNetServer((socket) => {
    socket.on('error', () => {});
    const go = (name: string, port: number, granted: Buffer): void => {
      seen.push(`${name}:${port}`);
      const onward = connect(to, '127.0.0.1', () => {
        socket.write(granted);
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
    };
    socket.once('data', (hello) => {
      if (hello[0] === 4) {
        // Version, command, port, the address for "by name", user, name.
        const [, name = ''] = hello.subarray(8).toString().split('\0');
        go(name, hello.readUInt16BE(2), Buffer.from([0, 90, 0, 0, 0, 0, 0, 0]));
        return;
      }
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request) => {
        const length = request[4] ?? 0;
        const name = request.subarray(5, 5 + length).toString();
        go(name, request.readUInt16BE(5 + length), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      });
    });
  });
  return { ...(await listening(server)), seen };
}
