/**
 * The half of the catalogue that writes and searches: in a thread of its own where there is one. It owns the
 * connection; whatever goes wrong with the index, it is rebuilt, and the logs are never touched.
 */
import type { SessionQuery } from '../../../protocol/sessions.ts';
import {
  closeQuietly,
  forgetSessions,
  type IndexFile,
  indexFileIn,
  isBusy,
  openIndex,
  scrubWords,
  tryRemoveIndex,
} from './database.ts';
import { indexLogs } from './indexLogs.ts';
import { type LogFile, listLogFiles } from './logFiles.ts';
import { noteFiles } from './noteFiles.ts';
import { findRows, listRows, type SessionRow } from './rows.ts';
import { type FoundRow, searchIndex } from './searchIndex.ts';
import { searchTails } from './searchTails.ts';
import { parseQuery } from './words.ts';

export interface RefreshOptions {
  /** Bytes of logs to index at most; without it everything. */
  readonly maxBytes?: number | undefined;
  /** Only the folder of this project. */
  readonly project?: string | undefined;
  /** With `project`: only this session. */
  readonly session?: string | undefined;
}

export interface RefreshReport {
  readonly sessions: number;
  /** Bytes of logs that were read into the index. */
  readonly indexedBytes: number;
  /** False when another process was at it, or when the budget was used up. */
  readonly isComplete: boolean;
  /** False where the index cannot be kept on disk. */
  readonly isDurable: boolean;
}

export interface SearchRequest {
  readonly text: string;
  readonly projects?: readonly string[] | undefined;
  readonly limit: number;
}

export interface EngineOptions {
  readonly dataRoot: string;
  /** How long to wait for another process that writes; 0 where nothing may block. */
  readonly busyMs: number;
}

/** What is on disk is looked at again when the last look is older than this. */
const lookEveryMs = 2000;

export class Engine {
  readonly #options: EngineOptions;
  #index: IndexFile | undefined;
  #logs: { readonly at: number; readonly files: readonly LogFile[] } | undefined;
  /** Everything that writes, one after the other: there is one connection, and one transaction on it. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Brings the index up to date. `onChange` is called when a list looks different now. */
  refresh(
    { maxBytes, project, session }: RefreshOptions,
    onChange: () => void,
    signal: AbortSignal,
  ): Promise<RefreshReport> {
    return this.#write(async () => {
      const all = await this.#look(project);
      const files = session === undefined ? all : all.filter(({ id }) => id === session);
      let indexedBytes = 0;
      let isComplete = false;
      await this.#mending(async ({ database }) => {
        const pending = await noteFiles(database, files, { project, session, onNoted: onChange, signal });
        indexedBytes = await indexLogs(database, pending, { maxBytes, signal, onIndexed: onChange });
        isComplete = !signal.aborted && (maxBytes === undefined || indexedBytes < maxBytes);
      });
      return { sessions: files.length, indexedBytes, isComplete, isDurable: this.#open().isDurable };
    });
  }

  /** The newest hits first. */
  async search({ text, projects, limit }: SearchRequest, signal: AbortSignal): Promise<readonly FoundRow[]> {
    const query = parseQuery(text);
    if (query === undefined || limit < 1) return [];
    const options = { projects, limit, signal };
    const recent = this.#logs !== undefined && performance.now() - this.#logs.at < lookEveryMs;
    const files = recent ? (this.#logs?.files ?? []) : await this.#look(undefined);
    const found = new Map<string, FoundRow>();
    await this.#mending(async ({ database }) => {
      const indexed = await searchIndex(database, this.#options.dataRoot, query, options);
      const tails = await searchTails(database, files, query, indexed.length, options);
      for (const hit of [...tails, ...indexed])
        found.set(`${hit.session.project}/${hit.session.id}/${hit.seq}`, hit);
    });
    return [...found.values()].sort((a, b) => b.time - a.time || b.seq - a.seq).slice(0, limit);
  }

  /** Takes a session out of the index, its words included. */
  forget(project: string, id: string, signal: AbortSignal): Promise<void> {
    return this.#write(() =>
      this.#mending(async ({ database }) => {
        const row = database
          .prepare('SELECT id FROM session WHERE project = ? AND name = ?')
          .get(project, id);
        if (row === undefined) return;
        forgetSessions(database, [Number(row.id)]);
        await scrubWords(database, signal);
      }),
    );
  }

  /** For where no reader can open the index: it is in memory, here. */
  async list(query: SessionQuery): Promise<readonly SessionRow[]> {
    let rows: readonly SessionRow[] = [];
    await this.#mending(async ({ database }) => {
      rows = listRows(database, query);
    });
    return rows;
  }

  async find(prefix: string, projects: readonly string[] | undefined): Promise<readonly SessionRow[]> {
    let rows: readonly SessionRow[] = [];
    await this.#mending(async ({ database }) => {
      rows = findRows(database, prefix, projects);
    });
    return rows;
  }

  close(): void {
    closeQuietly(this.#index?.database);
    this.#index = undefined;
  }

  async #look(project: string | undefined): Promise<readonly LogFile[]> {
    const files = await listLogFiles(this.#options.dataRoot, project);
    // A look at one project makes the last look at all of them old.
    this.#logs = project === undefined ? { at: performance.now(), files } : undefined;
    return files;
  }

  #open(): IndexFile {
    this.#index ??= openIndex(indexFileIn(this.#options.dataRoot), this.#options.busyMs);
    return this.#index;
  }

  /** Another process that is writing is no failure. An index that fails otherwise is rebuilt, once. */
  async #mending(work: (index: IndexFile) => Promise<void>): Promise<void> {
    try {
      await work(this.#open());
    } catch (error) {
      if (isBusy(error)) return;
      this.close();
      tryRemoveIndex(indexFileIn(this.#options.dataRoot));
      await work(this.#open()).catch(() => undefined);
    }
  }

  #write<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(work);
    this.#writing = result.catch(() => undefined);
    return result;
  }
}
