/**
 * One language server in one folder: started by the first edit, never restarted after a failure. Checks edits one after
 * the other; an edit that waits for its turn is combined with the next one of the same file.
 */
import type { FileEdit, LanguageServerState } from '../protocol/diagnostics.ts';
import { createWorkQueue } from '../protocol/workQueue.ts';
import type { Connection, OpenFile } from './connection.ts';
import type { FoundProgram } from './findProgram.ts';
import { newProblems, type Problem } from './problems.ts';
import { type ProcessPorts, type ServerProcess, startServer } from './serverProcess.ts';
import { extensionOf, type ServerRow } from './serverTable.ts';

export interface ServerLimits {
  readonly startMs: number;
  /** For each list of problems. */
  readonly answerMs: number;
  /** Files kept open in the server. */
  readonly openFiles: number;
}

interface ServerOptions {
  readonly row: ServerRow;
  readonly found: FoundProgram;
  readonly root: string;
  readonly version: string;
  readonly ports: ProcessPorts;
  readonly limits: ServerLimits;
}

interface Checked extends OpenFile {
  readonly problems: readonly Problem[];
}

interface Waiting {
  before: string | undefined;
  after: string;
  readonly result: Promise<readonly Problem[]>;
}

export class LanguageServer {
  readonly #options: ServerOptions;
  #state: LanguageServerState = { type: 'idle' };
  #process: ServerProcess | undefined;
  #connection: Promise<Connection> | undefined;
  readonly #enqueue = createWorkQueue();
  readonly #waiting = new Map<string, Waiting>();
  /** By path; the file edited last is the last one. */
  readonly #files = new Map<string, Checked>();
  #isStopped = false;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  state(): LanguageServerState {
    return this.#state;
  }

  log(): string {
    return this.#process?.log() ?? '';
  }

  /** Resolves to the problems that the edit has added, which may take long. Rejects if the server fails. */
  check({ path, before, after }: FileEdit): Promise<readonly Problem[]> {
    const earlier = this.#waiting.get(path);
    if (earlier !== undefined) {
      earlier.after = after;
      return earlier.result;
    }
    const run = async (): Promise<readonly Problem[]> => {
      const edit = this.#waiting.get(path);
      this.#waiting.delete(path);
      return this.#check({ path, before: edit?.before, after: edit?.after ?? after });
    };
    const result = this.#enqueue(run);
    this.#waiting.set(path, { before, after, result });
    return result;
  }

  stop(): void {
    this.#isStopped = true;
    this.#process?.stop('It was stopped.');
  }

  async #check({ path, before, after }: FileEdit): Promise<readonly Problem[]> {
    this.#connection ??= this.#start();
    const connection = await this.#connection;
    this.#process?.refill();
    try {
      const known = await this.#before(connection, path, before);
      const file = await this.#show(connection, path, after);
      const problems = await connection.problems(file, this.#options.limits.answerMs);
      await this.#keep(connection, { ...file, problems });
      const { ignoredCodes = [] } = this.#options.row;
      return newProblems(known, problems).filter(({ code }) => !ignoredCodes.includes(code));
    } catch (error) {
      // Its knowledge of the file is uncertain now.
      this.#files.delete(path);
      await connection.close(path).catch(() => undefined);
      throw error;
    }
  }

  /** Returns the problems before the edit. */
  async #before(
    connection: Connection,
    path: string,
    before: string | undefined,
  ): Promise<readonly Problem[]> {
    if (before === undefined) return [];
    const known = this.#files.get(path);
    // Commands may have changed the file, or others that it depends on, but that is rarely worth another check.
    if (known?.text === before) return known.problems;
    const file = await this.#show(connection, path, before);
    return connection.problems(file, this.#options.limits.answerMs);
  }

  /** Gives the server this text of the file. */
  async #show(connection: Connection, path: string, text: string): Promise<OpenFile> {
    const known = this.#files.get(path);
    const languageId = this.#options.row.languageIds[extensionOf(path)] ?? 'plaintext';
    const file = { path, languageId, version: (known?.version ?? 0) + 1, text };
    await (known === undefined ? connection.open(file) : connection.change(file));
    this.#files.set(path, { ...file, problems: [] });
    return file;
  }

  async #keep(connection: Connection, file: Checked): Promise<void> {
    this.#files.delete(file.path);
    this.#files.set(file.path, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size <= this.#options.limits.openFiles || oldest === undefined) return;
    this.#files.delete(oldest);
    await connection.close(oldest);
  }

  async #start(): Promise<Connection> {
    const { row, found, root, ports, limits } = this.#options;
    this.#state = { type: 'starting' };
    try {
      const { connect } = await import('./connection.ts');
      const { program, candidate } = found;
      const child = await startServer(
        { program, args: candidate.args, cwd: root },
        { ...ports, env: { ...ports.env, ...row.env } },
      );
      this.#process = child;
      if (this.#isStopped) child.stop('It was stopped.');
      const ended = child.ended.then((reason): never => {
        this.#state = { type: 'failed', reason };
        throw new Error(reason);
      });
      ended.catch(() => undefined);
      const connection = await Promise.race([
        connect(child, { ...this.#options, timeoutMs: limits.startMs }),
        ended,
      ]);
      this.#state = { type: 'running', isConfined: child.isConfined };
      return connection;
    } catch (error) {
      const reason = (error as Error).message;
      this.#process?.stop(reason);
      this.#state = { type: 'failed', reason };
      throw error;
    }
  }
}
