/**
 * The only way out of a sandbox: an HTTP proxy that allows connections to approved hosts and nothing else. It resolves
 * names itself, requires TLS to name the same host, and writes the Host header itself, even inside a tunnel: many sites
 * share an address, and the first message of a connection decides which of them answers. It does not decrypt anything.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';

interface ProxyPorts {
  /** True if the requesting command is known, so that the right one is shown to the user. */
  readonly knows: (token: string | undefined) => boolean;
  /** True if a command may reach a host; `token` identifies the command, if it was sent. May wait for the user. */
  readonly allows: (host: string, port: number, token: string | undefined) => Promise<boolean>;
  /** Connects to a host after checking its addresses; rejects with the reason. */
  readonly connect: (host: string, port: number, token: string | undefined) => Promise<Socket>;
  /** Called when a connection was cut because it asked for a host other than the approved one, or hid which one. */
  readonly onMismatch: (host: string, port: number, token: string | undefined) => void;
}

/** Maximum ClientHello that is read: one TLS record. Source: RFC 8446, 5.1. */
const MAX_RECORD = 5 + 16_384;

/** Tunnels in which a client speaks plain HTTP: the target of each, and its command. */
type Tunnels = WeakMap<object, { readonly origin: string; readonly token: string | undefined }>;

/** Does not listen: connections are passed in with `emit('connection', socket)`. */
export function createProxy(ports: ProxyPorts): Server {
  const tunnels: Tunnels = new WeakMap();
  const server = createServer((incoming, answer) => {
    // Untrusted input must not crash this program.
    forward(incoming, answer, ports, tunnels).catch(() => answer.destroy());
  });
  server.on('connect', (incoming, client, head) => {
    if (tunnels.has(client)) refuse(client, '400 Bad Request', 'nested tunnels are not supported');
    else tunnel(incoming, client, head, ports, { server, tunnels }).catch(() => client.destroy());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  // A command may keep an idle connection open as long as it wants.
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
  if (target === undefined) return refuse(client, '400 Bad Request', 'host:port is missing');
  const { host, port, url } = target;
  if (!knows(token)) return refuse(client, '407 Proxy Authentication Required', WHO_ASKS, AUTHENTICATE);
  if (!(await allows(host, port, token)))
    return refuse(client, '403 Forbidden', `the sandbox does not let commands reach ${host}`);
  const upstream = await connect(host, port, token).catch((error: Error) => error);
  if (upstream instanceof Error) return refuse(client, '502 Bad Gateway', upstream.message);
  // If the client has closed in the meantime, no further event announces it.
  if (client.destroyed) return void upstream.destroy();
  const endClient = (): void => void client.destroy();
  upstream.on('error', endClient);
  upstream.on('close', endClient);
  client.on('close', () => upstream.destroy());
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  const first = await beginning(client, head, isWholeRecord);
  const speech = protocolOf(first, host);
  if (speech === 'http') {
    // Each request gets its own connection.
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
 * Classifies the first bytes of a client. `else` could be a request that a careless server understands and this proxy
 * does not. TLS to an IP address has no server name; source: RFC 6066, 3.
 */
function protocolOf(first: Buffer, host: string): 'as named' | 'ssh' | 'http' | 'else' {
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
 * `SSH-2.0-GET / HTTP/1.1` is a valid request for a server that accepts any word as method. A server that waits for
 * requests sends nothing on its own; an SSH server greets at once. Source: RFC 4253, 4.2.
 */
async function greetsAsSsh(upstream: Socket): Promise<boolean> {
  const greeting = await beginning(upstream, Buffer.alloc(0), (seen) => seen.length >= 4);
  if (!upstream.destroyed) upstream.unshift(greeting);
  return greeting.toString('latin1', 0, 4) === 'SSH-';
}

/** True once the entire first TLS record has arrived, or the first bytes of anything else. */
function isWholeRecord(seen: Buffer): boolean {
  if (seen.length === 0) return false;
  if (seen[0] !== 0x16) return true;
  return seen.length >= 5 && seen.length >= Math.min(5 + seen.readUInt16BE(3), MAX_RECORD);
}

/** The first data of a stream, until `isEnough` or its end; then pauses it. `head`: data read from it before. */
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
    return end(400, 'This is a proxy: the request line needs an absolute http:// URL.');
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
      // Source: RFC 9110, 15. Node accepts any three digits when reading, but throws when writing them.
      if (statusCode < 200) {
        outgoing.destroy();
        return end(502, `${host} did not answer.`);
      }
      try {
        answer.writeHead(statusCode, withoutHopByHop(reply));
      } catch {
        // Other values that Node reads but refuses to write.
        outgoing.destroy();
        return answer.destroy();
      }
      // Destroys each side when the other disconnects, so that no program mistakes a partial reply for a complete one,
      // or waits for the rest.
      pipeline(reply, answer, () => undefined);
    },
  );
  outgoing.on('error', () => (answer.headersSent ? answer.destroy() : end(502, `${host} did not answer.`)));
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Headers of the connection, not of the message; source: RFC 9110, 7.6.1. */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|upgrade)$/i;

/** The headers of a request or a reply to forward. */
function withoutHopByHop({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.test(name)) kept[name] = value;
  return kept;
}

function forwardedHeaders(incoming: IncomingMessage): Record<string, string | string[]> {
  const kept = withoutHopByHop(incoming);
  delete kept.host;
  // Without it the body of a GET would follow without framing, and be read as the next request.
  return kept['transfer-encoding'] === undefined ? kept : { ...kept, 'transfer-encoding': 'chunked' };
}

function readTarget(text: string): { host: string; port: number; url: URL } | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = url.hostname.replace(/\.+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'http:' || host === '') return undefined;
  return { host, port: url.port === '' ? 80 : Number(url.port), url };
}

/** Each command identifies itself by the user name of its proxy URL. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const encoded = /^Basic (\S+)$/i.exec(headers['proxy-authorization'] ?? '')?.[1];
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, 'base64').toString('latin1').split(':')[0];
}

/**
 * Some programs, such as git, send the user name only after a 407, although it is in the proxy URL. Source: RFC 9110,
 * 11.7.1.
 */
const AUTHENTICATE = { 'Proxy-Authenticate': 'Basic realm="clawdcode"' } as const;
const WHO_ASKS = 'several commands are running: the proxy needs the user name from its URL';

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

/**
 * Reads the host that a TLS client names in its first message (SNI), so that a tunnel to one host cannot request
 * another at the same address. Sources: RFC 8446, 4.1.2 (ClientHello), RFC 6066, 3 (server_name), draft-ietf-tls-esni
 * (ECH). Pure.
 */

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;
const HOST_NAME = 0;

type AskedHost =
  /** In lower case, without a trailing dot. */
  | { readonly type: 'name'; readonly name: string }
  /** A complete message that names no host. */
  | { readonly type: 'none' }
  /** Truncated, damaged, ambiguous, or with an encrypted name: it is unknown how a server would read it. */
  | { readonly type: 'unclear' };

/** `record`: the first record of a connection, header included. */
export function readServerName(record: Buffer): AskedHost {
  try {
    return hostIn(record);
  } catch {
    // The message is truncated.
    return { type: 'unclear' };
  }
}

function hostIn(record: Buffer): AskedHost {
  const unclear: AskedHost = { type: 'unclear' };
  const isHello = record[0] === HANDSHAKE && record[5] === CLIENT_HELLO;
  // Skips the record header (5 bytes) and the handshake header (4).
  const length = record.readUIntBE(6, 3);
  if (!isHello || record.readUInt16BE(3) !== 4 + length) return unclear;
  const hello = record.subarray(9, 9 + length);
  if (hello.length < length) return unclear;
  // Skips the version (2 bytes) and the random value (32).
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at); // session id
  at += 2 + hello.readUInt16BE(at); // cipher suites
  at += 1 + hello.readUInt8(at); // compression methods
  if (at === hello.length) return { type: 'none' };
  const end = at + 2 + hello.readUInt16BE(at);
  at += 2;
  const names: string[] = [];
  while (at < end) {
    const type = hello.readUInt16BE(at);
    const extension = hello.subarray(at + 4, at + 4 + hello.readUInt16BE(at + 2));
    if (type === ENCRYPTED_CLIENT_HELLO) return unclear;
    if (type === SERVER_NAME) names.push(onlyName(extension));
    at += 4 + hello.readUInt16BE(at + 2);
  }
  const [name, ...more] = names;
  if (at !== end || end !== hello.length || more.length > 0) return unclear;
  return name === undefined ? { type: 'none' } : { type: 'name', name };
}

/**
 * Parses a server_name extension: length of the list, type of the name, length of the name. Throws unless it contains
 * exactly one.
 */
function onlyName(extension: Buffer): string {
  const length = extension.readUInt16BE(3);
  const isOne = extension.readUInt16BE(0) === 3 + length && extension.length === 5 + length;
  if (!isOne || extension.readUInt8(2) !== HOST_NAME) throw new Error('not one name');
  return extension.toString('latin1', 5).toLowerCase().replace(/\.$/, '');
}
