/**
 * The network of a session's confined commands on Linux: a private network namespace with only a loopback, so that a
 * command can reach a server that an earlier one started, and in it a listening socket of this process: the proxy. A
 * short-lived child creates both and passes the socket on; the namespace exists as long as its descriptors are open.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createConnection, Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';

const START_TIMEOUT_MS = 10_000;
/** Port in the namespace; each session has its own loopback, so it is always free. */
const PROXY_PORT = 3128;

/** Per port: each connection takes two descriptors of this process. */
const MAX_CONNECTIONS = 200;

interface SessionNetworkOptions {
  /** Absolute paths. */
  readonly bwrap: string;
  readonly nsenter: string;
  readonly node: string;
  readonly proxy: HttpServer;
  /** Ports of this machine's loopback that commands may reach on their own loopback. */
  readonly localPorts: readonly number[];
}

/** The child's code: sends one listening socket for each port to the parent, in order. */
const holder = (ports: readonly number[]): string => `
const { createServer } = require('node:net');
const ports = ${JSON.stringify(ports)};
const next = () => {
  const port = ports.shift();
  if (port === undefined) return process.send('done');
  const server = createServer();
  server.on('error', (error) => process.send({ port, error: error.message }, next));
  server.listen(port, '127.0.0.1', () => process.send({ port }, server, {}, next));
};
next();
process.on('disconnect', () => process.kill(process.pid));
`;

export class SessionNetwork {
  readonly port = PROXY_PORT;
  readonly #nsenter: string;
  /** Descriptors of the user and the network namespace; empty once closed. */
  readonly #namespaces: number[];
  readonly #servers: readonly Server[];
  #isClosed = false;

  private constructor(nsenter: string, namespaces: readonly [number, number], servers: readonly Server[]) {
    this.#nsenter = nsenter;
    this.#namespaces = [...namespaces];
    this.#servers = servers;
  }

  /** Rejects with the reason if it cannot be set up; commands then have no network at all. */
  static async open(options: SessionNetworkOptions): Promise<SessionNetwork> {
    const { bwrap, nsenter, node, proxy, localPorts } = options;
    const ports = [PROXY_PORT, ...localPorts.filter((port) => port !== PROXY_PORT)];
    const child = spawn(
      bwrap,
      [
        ...['--unshare-user', '--unshare-net', '--die-with-parent', '--info-fd', '4'],
        ...['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--chdir', '/', '--'],
        ...[node, '-e', holder(ports)],
      ],
      // Without the user's environment, which may contain options for Node or code to load first.
      { stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'], env: { PATH: '/usr/bin:/bin' }, detached: true },
    );
    const servers: Server[] = [];
    try {
      const received = receive(child, (port, server) => {
        servers.push(server);
        server.maxConnections = MAX_CONNECTIONS;
        if (port === PROXY_PORT) server.on('connection', (socket) => proxy.emit('connection', socket));
        else server.on('connection', (socket) => joinLocal(socket, port));
      });
      // In this order: bubblewrap keeps writing for a while, and exits once its pipe is closed.
      const pid = await inTime(received.then(() => childPid(child)));
      const namespaces = [
        openSync(`/proc/${pid}/ns/user`, 'r'),
        openSync(`/proc/${pid}/ns/net`, 'r'),
      ] as const;
      return new SessionNetwork(nsenter, namespaces, servers);
    } catch (error) {
      for (const server of servers) server.close();
      throw error;
    } finally {
      child.kill('SIGKILL');
    }
  }

  /** Arguments to put before a program so that it runs in this network. */
  enter(): readonly string[] {
    const [user, network] = this.#namespaces.map((descriptor) => `/proc/${process.pid}/fd/${descriptor}`);
    return [this.#nsenter, `--user=${user}`, `--net=${network}`, '--preserve-credentials', '--'];
  }

  /**
   * Arguments to put before a program so that it runs with all rights in the mounts of a process that was started here. Its
   * working directory is the machine's `/proc`.
   */
  enterMounts(pid: number): readonly string[] {
    const [user] = this.#namespaces.map((descriptor) => `/proc/${process.pid}/fd/${descriptor}`);
    return [
      this.#nsenter,
      `--user=${user}`,
      `--mount=/proc/${pid}/ns/mnt`,
      '--wd=/proc',
      '--preserve-credentials',
      '--',
    ];
  }

  /** Stops listening; commands that still run keep a loopback without a proxy. */
  close(): void {
    if (this.#isClosed) return;
    // Close each descriptor once: its number may be reused for another file.
    this.#isClosed = true;
    for (const server of this.#servers) server.close();
    for (const descriptor of this.#namespaces.splice(0)) closeSync(descriptor);
  }
}

function receive(child: ChildProcess, onServer: (port: number, server: Server) => void): Promise<void> {
  let problem = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    problem = (problem + chunk.toString()).slice(0, 500);
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(problem.trim() === '' ? why : problem.trim()));
    child.on('error', (error) => fail(error.message));
    child.on('exit', () => fail('it exited too early'));
    child.on('message', (message: 'done' | { port: number; error?: string }, server) => {
      if (message === 'done') resolve();
      else if (server instanceof Server) onServer(message.port, server);
      else if (message.port === PROXY_PORT) fail(message.error ?? 'no socket was received');
    });
  });
}

/** Rejects if the value does not arrive within the time limit. */
function inTime<Value>(value: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it did not start in time')), START_TIMEOUT_MS);
    void value.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The pid in the namespace, which bubblewrap reports as JSON. */
async function childPid(child: ChildProcess): Promise<number> {
  const info = child.stdio[4] as Readable;
  let text = '';
  for await (const chunk of info) {
    text += String(chunk);
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
    if (pid !== undefined) return Number(pid);
  }
  throw new Error('bubblewrap did not report which process it started');
}

function joinLocal(inside: Socket, port: number): void {
  const outside = createConnection({ host: '127.0.0.1', port });
  for (const [one, other] of [
    [inside, outside],
    [outside, inside],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
    one.pipe(other);
  }
}
