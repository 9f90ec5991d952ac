/**
 * The transport to a server that is a local program: one line of JSON per message, in both directions. The program
 * leads a process group, so that its child processes end with it. Its output is read only as fast as messages are
 * handled, so that a flood of messages slows down the server rather than the screen.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { signalGroup } from '../disk/signalGroup.ts';
import { launchPipesOf } from '../protocol/sandbox.ts';
import {
  type ProgramText,
  type SettingsPrograms,
  type SettingsRun,
  scriptOf,
} from '../protocol/settingsPrograms.ts';
import { JsonBoundError, parseBoundedJson } from '../protocol/text/boundedJson.ts';
import type { Endpoint } from './endpoint.ts';
import { Inflow, MAX_MESSAGE_BYTES, messageTooLong, ServerFault } from './messageBounds.ts';

/** If the server leaves more than this unread, the connection is closed. */
const MAX_UNREAD_BYTES = 16 * 2 ** 20;
/** Half a frame: the longest time to handle messages without yielding to the event loop. */
const SLICE_MS = 8;
/** Milliseconds to exit after standard input is closed, and again after SIGTERM. */
const GRACE_MS = 500;
/** Milliseconds to wait for remaining output; child processes left behind may hold it open. */
const DRAIN_MS = 200;

/** Characters of standard error that are searched for the reason of a failure. */
const MAX_SAID = 4000;

const NEWLINE = 10;

export interface StdioPorts {
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives its standard error, and lines on standard output that are not messages. */
  readonly log: (text: string) => void;
  /** The user's name for the server. */
  readonly role?: string;
  /** See `SettingsProgram`. */
  readonly isApart?: boolean;
  /** See `SettingsProgram.ofFolder`. */
  readonly ofFolder?: ProgramText | undefined;
  /** How it must be started now; absent = with the user's rights. */
  readonly programs?: SettingsPrograms | undefined;
  readonly signal?: AbortSignal;
}

/** A transport for the SDK's client; `start` rejects if the program cannot be started. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #endpoint: Extract<Endpoint, { type: 'stdio' }>;
  readonly #ports: StdioPorts;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The beginning of an incomplete line. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  readonly #inflow = new Inflow();
  #isClosed = false;
  /** The end of its standard error. */
  #said = '';

  constructor(endpoint: Extract<Endpoint, { type: 'stdio' }>, ports: StdioPorts) {
    this.#endpoint = endpoint;
    this.#ports = ports;
  }

  async start(): Promise<void> {
    const { command, args, cwd } = this.#endpoint;
    const { env, role = 'MCP server', isApart = false, ofFolder, programs, signal } = this.#ports;
    const program = { role, command, args, cwd, env, isApart, ofFolder, signal };
    const run: SettingsRun = (await programs?.admit(program)) ?? { type: 'outside' };
    if (run.type === 'held') throw new Error(run.problem);
    const child = this.#spawn(run);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('exit', () => setTimeout(resolve, DRAIN_MS));
    });
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-MAX_SAID);
      this.#ports.log(text);
    });
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
      if (this.#isClosed) return;
      this.#ports.log(`(ended with ${signal === null ? `exit code ${code}` : signal})\n`);
      if (run.type === 'confined') this.#ports.log(`(${run.advice(this.#said, code ?? 1)})\n`);
    });
  }

  #spawn(run: Exclude<SettingsRun, { type: 'held' }>): ChildProcessWithoutNullStreams {
    const { command, args, cwd } = this.#endpoint;
    const { env } = this.#ports;
    if (run.type === 'outside')
      return spawn(command, args, {
        cwd,
        env: { ...(run.env ?? env), PWD: cwd },
        detached: true,
        stdio: 'pipe',
      });
    try {
      const launch = run.launch('/bin/sh', `exec ${scriptOf({ command, args })}`);
      const child = spawn(launch.program, launch.args, {
        ...{ cwd, env: { ...launch.env, PWD: cwd }, detached: true },
        stdio: ['pipe', 'pipe', 'pipe', ...launch.inherit],
      }) as ChildProcessWithoutNullStreams;
      const pipes = launchPipesOf(child);
      for (const pipe of pipes) pipe.on('error', () => {});
      if (child.pid !== undefined)
        void launch.admit?.(child.pid, pipes).then((why) => why !== undefined && this.#fail(why));
      child.once('close', run.release);
      return child;
    } catch (error) {
      run.release();
      throw error;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#isClosed || stdin == null || stdin.destroyed) throw new Error('The server has ended.');
    this.#inflow.sent(message as { readonly method?: unknown });
    stdin.write(`${JSON.stringify(message)}\n`);
    if (stdin.writableLength > MAX_UNREAD_BYTES) this.#fail('The server does not read its input.');
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
    // Kill child processes that it left behind.
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

  /** Handles complete lines, yielding to the event loop in between. */
  async #read(chunk: Buffer): Promise<void> {
    let from = 0;
    let since = performance.now();
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...this.#pieces, chunk.subarray(from, at)]);
      this.#inflow.add(line.length);
      const isAnnouncement = this.#handle(line.toString('utf8'));
      this.#pieces = [];
      this.#pieceBytes = 0;
      from = at + 1;
      // The SDK handles answers immediately but notifications later: without yielding, progress would arrive after the
      // answer.
      if (!isAnnouncement && performance.now() - since < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    if (from === chunk.length) return;
    this.#pieces.push(chunk.subarray(from));
    this.#pieceBytes += chunk.length - from;
    if (this.#pieceBytes > MAX_MESSAGE_BYTES) throw messageTooLong();
  }

  /** Handles one line. Returns true for a message that the server sent without a request. */
  #handle(line: string): boolean {
    if (this.#isClosed || line.trim() === '') return false;
    let message: unknown;
    try {
      message = parseBoundedJson(line);
    } catch (error) {
      if (error instanceof JsonBoundError) throw error;
      this.#ports.log(`${line.slice(0, 500)}\n`);
      return false;
    }
    if (typeof message !== 'object' || message === null) return false;
    this.onmessage?.(message as JSONRPCMessage);
    return 'method' in message;
  }

  #fail(reason: string): void {
    if (this.#isClosed) return;
    this.onerror?.(new ServerFault(reason));
    void this.close();
  }

  /** May be called several times; reports the end once. */
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
