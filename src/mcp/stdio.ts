/**
 * The way to a server that is a program: a line of JSON each way. The program leads a process group of its own, so that
 * what it starts ends with it. It is read no faster than its messages can be handled: one that floods waits, and the
 * screen does not.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Endpoint } from './endpoint.ts';

/** A longer message ends the connection. */
export const MAX_MESSAGE_BYTES = 10 * 2 ** 20;
/** More that a server has not read ends the connection. */
const MAX_UNREAD_BYTES = 16 * 2 ** 20;
/** Half a frame: messages are handled for so long before anything else has its turn. */
const SLICE_MS = 8;
/** Time to end after standard input was closed, and again after SIGTERM. */
const GRACE_MS = 500;
/** A program may leave others behind that hold its output open. */
const DRAIN_MS = 200;

const NEWLINE = 10;

export interface StdioPorts {
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** What it writes to standard error, and what on standard output is no message. */
  readonly log: (text: string) => void;
}

/** A transport for the SDK's client; `start` rejects when the program cannot be started. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #endpoint: Extract<Endpoint, { type: 'stdio' }>;
  readonly #ports: StdioPorts;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The beginning of a line of which the end is missing. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #isClosed = false;

  constructor(endpoint: Extract<Endpoint, { type: 'stdio' }>, ports: StdioPorts) {
    this.#endpoint = endpoint;
    this.#ports = ports;
  }

  async start(): Promise<void> {
    const { command, args, cwd } = this.#endpoint;
    const child = spawn(command, args, { cwd, env: this.#ports.env, detached: true, stdio: 'pipe' });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('exit', () => setTimeout(resolve, DRAIN_MS));
    });
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', this.#ports.log);
    child.stdout.on('data', (chunk: Buffer) => {
      child.stdout.pause();
      this.#read(chunk).then(
        () => child.stdout.resume(),
        (error: Error) => this.#fail(error.message),
      );
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => reject(new Error(startProblem(command, error))));
    });
    void this.#ended.then(() => this.#over());
    child.once('exit', (code, signal) => {
      if (!this.#isClosed)
        this.#ports.log(`(ended with ${signal === null ? `exit code ${code}` : signal})\n`);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#isClosed || stdin == null || stdin.destroyed) throw new Error('The server has ended.');
    stdin.write(`${JSON.stringify(message)}\n`);
    if (stdin.writableLength > MAX_UNREAD_BYTES) this.#fail('The server does not read what it is sent.');
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#isClosed = true;
    if (child?.pid === undefined) return;
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#endsWithin(GRACE_MS)) break;
      signalGroup(child.pid, signal);
    }
    await this.#endsWithin(GRACE_MS);
    // What it started and left behind.
    signalGroup(child.pid, 'SIGKILL');
    this.#over();
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const ended = await Promise.race([this.#ended.then(() => true as const), late]);
    clearTimeout(timer);
    return ended;
  }

  /** Handles whole lines, and lets others have a turn in between. */
  async #read(chunk: Buffer): Promise<void> {
    let from = 0;
    let since = performance.now();
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...this.#pieces, chunk.subarray(from, at)]).toString('utf8');
      const isAnnouncement = this.#handle(line);
      this.#pieces = [];
      this.#pieceBytes = 0;
      from = at + 1;
      // The SDK handles answers at once and announcements later: without a turn, progress would come after the answer.
      if (!isAnnouncement && performance.now() - since < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    if (from === chunk.length) return;
    this.#pieces.push(chunk.subarray(from));
    this.#pieceBytes += chunk.length - from;
    if (this.#pieceBytes > MAX_MESSAGE_BYTES)
      throw new Error(`It sent a message of more than ${MAX_MESSAGE_BYTES / 2 ** 20} MB.`);
  }

  /** Says whether the message is one that the server sends on its own account. */
  #handle(line: string): boolean {
    if (this.#isClosed || line.trim() === '') return false;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#ports.log(`${line.slice(0, 500)}\n`);
      return false;
    }
    if (typeof message !== 'object' || message === null) return false;
    this.onmessage?.(message as JSONRPCMessage);
    return 'method' in message;
  }

  #fail(reason: string): void {
    if (this.#isClosed) return;
    this.#ports.log(`(${reason})\n`);
    this.onerror?.(new Error(reason));
    void this.close();
  }

  /** Called more than once; tells it once. */
  #over(): void {
    this.#isClosed = true;
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    const tell = this.onclose;
    delete this.onclose;
    tell?.();
  }
}

function startProblem(command: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT')
    return `"${command}" cannot be started: there is no such program, or its folder is missing.`;
  if (error.code === 'EACCES') return `"${command}" cannot be started: permission denied.`;
  return `"${command}" cannot be started: ${error.message}`;
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Nothing of it is left.
  }
}
