/**
 * The only connection out of a sandbox: an HTTP proxy that lets named hosts through and nothing else. It resolves names itself,
 * holds TLS to the name that was asked for, and writes the Host header itself, in a tunnel as well: many sites share an
 * address, and what a connection says first decides which of them answers. It ends no encryption.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { readServerName } from './serverName.ts';

export interface ProxyPorts {
  /** Whether it is known which command asks, so that the right one is named to the user. */
  readonly knows: (token: string | undefined) => boolean;
  /** Whether a command may reach a host; `token` says which command asks, where it says so. May wait for the user. */
  readonly allows: (host: string, port: number, token: string | undefined) => Promise<boolean>;
  /** Connects to a host after its addresses were checked; rejects with what is wrong. */
  readonly connect: (host: string, port: number, token: string | undefined) => Promise<Socket>;
  /** A connection was cut: it asked for another host than the one it named, or it cannot be told which. */
  readonly onMismatch: (host: string, port: number, token: string | undefined) => void;
}

/** Longest ClientHello that is waited for: one TLS record. Source: RFC 8446, 5.1. */
const MAX_RECORD = 5 + 16_384;

/** Tunnels in which a client speaks plain HTTP: where each leads, and for which command. */
type Tunnels = WeakMap<object, { readonly origin: string; readonly token: string | undefined }>;

/** Not listening: connections are handed to it with `emit('connection', socket)`. */
export function createProxy(ports: ProxyPorts): Server {
  const tunnels: Tunnels = new WeakMap();
  const server = createServer((incoming, answer) => {
    // What a stranger sends must not end this program.
    forward(incoming, answer, ports, tunnels).catch(() => answer.destroy());
  });
  server.on('connect', (incoming, client, head) => {
    if (tunnels.has(client)) refuse(client, '400 Bad Request', 'no tunnel in a tunnel');
    else tunnel(incoming, client, head, ports, { server, tunnels }).catch(() => client.destroy());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  // A command may keep an idle connection as long as it likes.
  server.requestTimeout = 0;
  server.headersTimeout = 60_000;
  return server;
}

async function tunnel(
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { knows, allows, connect, onMismatch }: ProxyPorts,
  { server, tunnels }: { readonly server: Server; readonly tunnels: Tunnels },
): Promise<void> {
  client.on('error', () => client.destroy());
  const target = readTarget(`http://${incoming.url ?? ''}`);
  const token = tokenOf(incoming);
  if (target === undefined) return refuse(client, '400 Bad Request', 'no host:port');
  const { host, port, url } = target;
  if (!knows(token)) return refuse(client, '407 Proxy Authentication Required', WHO_ASKS, AUTHENTICATE);
  if (!(await allows(host, port, token)))
    return refuse(client, '403 Forbidden', `the sandbox does not let commands reach ${host}`);
  const upstream = await connect(host, port, token).catch((error: Error) => error);
  if (upstream instanceof Error) return refuse(client, '502 Bad Gateway', upstream.message);
  // It may have gone while this waited, and then says so no more.
  if (client.destroyed) return void upstream.destroy();
  const endClient = (): void => void client.destroy();
  upstream.on('error', endClient);
  upstream.on('close', endClient);
  client.on('close', () => upstream.destroy());
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  const first = await beginning(client, head, isWholeRecord);
  const speech = speechOf(first, host);
  if (speech === 'http') {
    // Each request gets a connection of its own.
    upstream.off('close', endClient).destroy();
    tunnels.set(client, { origin: url.origin, token });
    client.unshift(first);
    server.emit('connection', client);
    client.resume();
  } else if (speech === 'as named' || (speech === 'ssh' && (await greetsAsSsh(upstream)))) {
    upstream.pipe(client);
    upstream.write(first);
    client.pipe(upstream);
  } else {
    if (first.length > 0) onMismatch(host, port, token);
    client.destroy();
  }
}

/**
 * How a client begins. What is none of these could be a request that a careless server understands and this proxy does
 * not. TLS to a number has no name to ask for; source: RFC 6066, 3.
 */
function speechOf(first: Buffer, host: string): 'as named' | 'ssh' | 'http' | 'else' {
  if (first[0] === 0x16) {
    const asked = readServerName(first);
    const isAsNamed = asked.type === 'name' ? asked.name === host : asked.type === 'none' && isIP(host) !== 0;
    return isAsNamed ? 'as named' : 'else';
  }
  const text = first.toString('latin1', 0, 32);
  if (text.startsWith('SSH-2.0-')) return 'ssh';
  return /^[A-Z]{3,20} (?!\*)/.test(text) ? 'http' : 'else';
}

/**
 * `SSH-2.0-GET / HTTP/1.1` is a request to a server that takes any word for a method. A server that waits for requests
 * says nothing by itself; one of SSH greets at once. Source: RFC 4253, 4.2.
 */
async function greetsAsSsh(upstream: Socket): Promise<boolean> {
  const greeting = await beginning(upstream, Buffer.alloc(0), (seen) => seen.length >= 4);
  if (!upstream.destroyed) upstream.unshift(greeting);
  return greeting.toString('latin1', 0, 4) === 'SSH-';
}

/** Of TLS the whole first record, of anything else the first bytes. */
function isWholeRecord(seen: Buffer): boolean {
  if (seen.length === 0) return false;
  if (seen[0] !== 0x16) return true;
  return seen.length >= 5 && seen.length >= Math.min(5 + seen.readUInt16BE(3), MAX_RECORD);
}

/** What a stream says first, until that is enough or it ends; it is paused then. `head`: what was read of it before. */
function beginning(stream: Duplex, head: Buffer, isEnough: (seen: Buffer) => boolean): Promise<Buffer> {
  let seen = head;
  if (isEnough(seen)) return Promise.resolve(seen);
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('data', take);
      stream.off('end', done);
      stream.off('close', done);
      stream.pause();
      resolve(seen);
    };
    const take = (chunk: Buffer): void => {
      seen = Buffer.concat([seen, chunk]);
      if (isEnough(seen)) done();
    };
    stream.on('data', take);
    stream.on('end', done);
    stream.on('close', done);
  });
}

/** A plain request, `GET http://host/path`. */
async function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { knows, allows, connect }: ProxyPorts,
  tunnels: Tunnels,
): Promise<void> {
  const inTunnel = tunnels.get(incoming.socket);
  const target = readTarget(`${inTunnel?.origin ?? ''}${incoming.url ?? ''}`);
  const end = (code: number, text: string, more: Readonly<Record<string, string>> = {}): void => {
    answer.writeHead(code, { 'content-type': 'text/plain', connection: 'close', ...more }).end(`${text}\n`);
  };
  if (target === undefined)
    return end(400, 'This is a proxy: the request line needs a whole http:// address.');
  const { host, port, url } = target;
  if (inTunnel !== undefined && url.origin !== inTunnel.origin)
    return end(400, 'The tunnel leads elsewhere.');
  const token = inTunnel === undefined ? tokenOf(incoming) : inTunnel.token;
  if (!knows(token)) return end(407, WHO_ASKS, AUTHENTICATE);
  if (!(await allows(host, port, token))) return end(403, `The sandbox does not let commands reach ${host}.`);
  const socket = await connect(host, port, token).catch((error: Error) => error);
  if (socket instanceof Error) return end(502, socket.message);
  if (answer.destroyed) return void socket.destroy();
  const outgoing = request(
    {
      method: incoming.method,
      path: url.pathname + url.search,
      headers: { ...forwardedHeaders(incoming), host: url.host },
      createConnection: () => socket,
    },
    (reply) => {
      const { statusCode = 0 } = reply;
      // Source: RFC 9110, 15. Node reads any three digits, and throws when it is to write them.
      if (statusCode < 200) {
        outgoing.destroy();
        return end(502, `${host} gave no answer.`);
      }
      try {
        answer.writeHead(statusCode, withoutHopByHop(reply));
      } catch {
        // Whatever else Node reads and does not write.
        outgoing.destroy();
        return answer.destroy();
      }
      // Ends the one when the other breaks off, so that no program takes a part for the whole, or waits for the rest.
      pipeline(reply, answer, () => undefined);
    },
  );
  outgoing.on('error', () => (answer.headersSent ? answer.destroy() : end(502, `${host} gave no answer.`)));
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Of the connection itself, not of the message; source: RFC 9110, 7.6.1. */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|upgrade)$/i;

/** The headers of a request or a reply that go on to the other side. */
function withoutHopByHop({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.test(name)) kept[name] = value;
  return kept;
}

function forwardedHeaders(incoming: IncomingMessage): Record<string, string | string[]> {
  const kept = withoutHopByHop(incoming);
  delete kept.host;
  // Without it the body of a GET would follow unmarked, and be read as the next request.
  return kept['transfer-encoding'] === undefined ? kept : { ...kept, 'transfer-encoding': 'chunked' };
}

function readTarget(text: string): { host: string; port: number; url: URL } | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = url.hostname.replace(/\.+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'http:' || host === '') return undefined;
  return { host, port: url.port === '' ? 80 : Number(url.port), url };
}

/** Each command names itself as the user of the proxy. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const encoded = /^Basic (\S+)$/i.exec(headers['proxy-authorization'] ?? '')?.[1];
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, 'base64').toString('latin1').split(':')[0];
}

/**
 * Some programs, git among them, name themselves only after they were asked to, though they were told the name.
 * Source: RFC 9110, 11.7.1.
 */
const AUTHENTICATE = { 'Proxy-Authenticate': 'Basic realm="clawdcode"' } as const;
const WHO_ASKS = 'several commands run: the proxy needs the user name of its address';

function refuse(
  client: Duplex,
  status: string,
  why: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  client.end(
    `HTTP/1.1 ${status}\r\n${more.join('')}Content-Length: ${Buffer.byteLength(why) + 1}\r\nConnection: close\r\n\r\n${why}\n`,
  );
}
