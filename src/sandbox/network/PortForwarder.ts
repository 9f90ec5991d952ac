/**
 * Makes servers that background commands run in the sandbox reachable from this machine: each port that listens on the
 * sandbox's loopback is opened on the real loopback for as long as it listens. A helper process in the sandbox's
 * network makes the connections; it runs only while a port is forwarded.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';

const POLL_MS = 1000;
/** A development server does not open more. */
const MAX_PORTS = 16;
/** As in /proc/net/tcp; include/net/tcp_states.h. */
const LISTENING = '0A';
/** Lower ports need root, so a server there does not belong to a project. */
const FIRST_PORT = 1024;

interface ForwarderOptions {
  /** Arguments that start a program in the sandbox's network. */
  readonly enter: () => readonly string[];
  /** The Node binary that runs this program, absolute. */
  readonly node: string;
  /** Ports that are not forwarded, at the moment. */
  readonly ownPorts: () => ReadonlySet<number>;
  /** Called with the forwarded ports before one is opened, and after one is closed. */
  readonly onForwarded: (ports: Iterable<number>) => void;
}

/** The helper's code: connects each socket it receives to the port sent with it. */
const HELPER = `
const { connect } = require('node:net');
process.on('message', ({ port, host }, socket) => {
  if (!socket) return;
  const inside = connect({ port, host });
  for (const [one, other] of [[socket, inside], [inside, socket]]) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
    one.pipe(other);
  }
});
process.on('disconnect', () => process.kill(process.pid));
`;

export class PortForwarder {
  readonly #options: ForwarderOptions;
  /** By port; also those of ports that another program uses. */
  readonly #servers = new Map<number, Server>();
  readonly #forwarded = new Set<number>();
  readonly #watched = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #helper: ChildProcess | undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Polls the listening ports while this process, which is in the sandbox's network, is watched. */
  watch(pid: number): void {
    this.#watched.add(pid);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#update(), POLL_MS);
    // The timer must not keep the program alive.
    this.#timer.unref();
  }

  unwatch(pid: number): void {
    this.#watched.delete(pid);
    if (this.#watched.size === 0) this.close();
    else this.#update();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const port of [...this.#servers.keys()]) this.#end(port);
    this.#stopHelper();
  }

  #update(): void {
    const [pid] = this.#watched;
    const found = pid === undefined ? new Map<number, string>() : listeningPorts(pid);
    const own = found.size + this.#servers.size === 0 ? new Set() : this.#options.ownPorts();
    for (const port of [...this.#servers.keys()]) {
      if (found.has(port) && !own.has(port)) continue;
      this.#end(port);
      // The helper holds the open connections; those to a port that the settings now use must be closed.
      if (own.has(port)) this.#stopHelper();
    }
    for (const [port, host] of found) {
      const isOurs = port < FIRST_PORT || own.has(port);
      if (isOurs || this.#servers.has(port) || this.#servers.size >= MAX_PORTS) continue;
      this.#forward(port, host);
    }
  }

  #forward(port: number, host: string): void {
    const server = createServer({ pauseOnConnect: true }, (socket) => this.#join(socket, port, host));
    // A port that another program uses stays with that program.
    server.on('error', () => {
      if (server.listening) return;
      this.#forwarded.delete(port);
      this.#options.onForwarded(this.#forwarded);
    });
    this.#forwarded.add(port);
    this.#options.onForwarded(this.#forwarded);
    server.listen(port, '127.0.0.1');
    server.unref();
    this.#servers.set(port, server);
  }

  #end(port: number): void {
    this.#servers.get(port)?.close();
    this.#servers.delete(port);
    this.#forwarded.delete(port);
    this.#options.onForwarded(this.#forwarded);
  }

  #startHelper(): ChildProcess {
    const [program = '', ...args] = [...this.#options.enter(), this.#options.node, '-e', HELPER];
    const helper = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { PATH: '/usr/bin:/bin' },
      detached: true,
    });
    const forget = (): void => {
      if (this.#helper === helper) this.#helper = undefined;
    };
    helper.on('exit', forget).on('error', forget);
    helper.unref();
    helper.channel?.unref();
    return helper;
  }

  #stopHelper(): void {
    this.#helper?.kill('SIGKILL');
    // At once: anything sent to it from now on would get no answer.
    this.#helper = undefined;
  }

  #join(socket: Socket, port: number, host: string): void {
    this.#helper ??= this.#startHelper();
    this.#helper.send({ port, host }, socket, {}, (error) => {
      if (error !== null) socket.destroy();
    });
  }
}

/** The ports on which programs listen in the network of a process, each with the address that reaches them there. */
function listeningPorts(pid: number): ReadonlyMap<number, string> {
  return new Map([
    ...portsIn(procNetText(pid, 'tcp6'), '::1'),
    ...portsIn(procNetText(pid, 'tcp'), '127.0.0.1'),
  ]);
}

function portsIn(table: string, host: string): readonly (readonly [number, string])[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/);
      const port = Number.parseInt(local.split(':')[1] ?? '', 16);
      return state === LISTENING && port > 0 ? [[port, host] as const] : [];
    });
}

function procNetText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/net/${name}`, 'utf8');
  } catch {
    // The process has exited.
    return '';
  }
}
