/**
 * The catalogue of all sessions in a data root, for the picker, the command line and the agent. Lists are read directly
 * from the index; writes and searches run in a thread if there is one. Without a usable index, lists come from the logs
 * themselves.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import type { Usage } from '../../../protocol/messages.ts';
import type { SearchHit, SessionQuery, SessionRecord } from '../../../protocol/sessions.ts';
import { projectFolderIn } from '../pathUtils.ts';
import { archiveSession, type Stored, unarchiveSession } from './archiveSession.ts';
import { closeQuietly, indexFileIn, openIndexReader } from './database.ts';
import { deleteSessionFiles } from './deleteSession.ts';
import { Engine, type RefreshOptions, type RefreshReport } from './Engine.ts';
import { type EnginePort, EngineThread } from './EngineThread.ts';
import { listLogFiles } from './logFiles.ts';
import { type ProjectFolders, projectFolders } from './projectFolders.ts';
import {
  countRows,
  createRecords,
  findRows,
  listRows,
  partialRows,
  type Records,
  rowOf,
  type SessionRow,
} from './rows.ts';

interface CatalogueOptions {
  /** From `getStorageRoot`. */
  readonly dataRoot: string;
  /** Price of a model's tokens in US dollars; undefined if it is unknown. */
  readonly costUsd?: (model: string, usage: Usage) => number | undefined;
  /**
   * Starts a thread from `worker.ts` with `workerData: { dataRoot }`. Without it, or if it fails, the engine runs in
   * this thread, in slices.
   */
  readonly startWorker?: () => Worker;
  /** Maximum milliseconds that the engine in this thread blocks while another process writes; 0 by default. */
  readonly busyMs?: number;
}

/** Identifies a session. */
type SessionKey = Pick<SessionRecord, 'project' | 'id'>;

interface SearchLimits {
  readonly project?: string | readonly string[];
  /** Maximum hits; 50 by default. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export function openCatalogue(options: CatalogueOptions): SessionCatalogue {
  return new SessionCatalogue(options);
}

/** Rows per page, so that no page takes longer than a frame. */
const pageRows = 250;
const noSignal = new AbortController().signal;

export class SessionCatalogue {
  readonly #dataRoot: string;
  readonly #records: Records;
  readonly #startWorker: (() => Worker) | undefined;
  readonly #busyMs: number;
  #engine: EnginePort | undefined;
  #reader: { readonly database: DatabaseSync; readonly ino: number } | undefined;
  /** True if the index cannot be stored on disk: then only the engine can read it. */
  #isInMemory = false;

  constructor({ dataRoot, costUsd, startWorker, busyMs = 0 }: CatalogueOptions) {
    this.#dataRoot = dataRoot;
    this.#records = createRecords(dataRoot, costUsd ?? (() => undefined));
    this.#startWorker = startWorker;
    this.#busyMs = busyMs;
  }

  /** Sessions, newest first. Answers immediately from the index; `refresh` updates it. */
  async list(query: SessionQuery = {}): Promise<readonly SessionRecord[]> {
    const records: SessionRecord[] = [];
    const offset = query.offset ?? 0;
    const end = offset + (query.limit ?? Number.POSITIVE_INFINITY);
    for (let at = offset; at < end; at += pageRows) {
      const limit = Math.min(pageRows, end - at);
      const rows = await this.#rows({ ...query, offset: at, limit });
      if (rows === undefined) return this.#records.of(await partialRows(this.#dataRoot, query));
      records.push(...(await this.#records.of(rows)));
      if (rows.length < limit) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return records;
  }

  /** Number of sessions; undefined without an index. */
  async count(): Promise<number | undefined> {
    return this.#read((database) => countRows(database));
  }

  /** The session with this id or, if there is none, those whose id begins with it, newest first. */
  async find(idOrPrefix: string, project?: string | readonly string[]): Promise<readonly SessionRecord[]> {
    const projects = typeof project === 'string' ? [project] : project;
    const known = this.#isInMemory
      ? await this.#ask((engine) => engine.find(idOrPrefix, projects))
      : this.#read((database) => findRows(database, idOrPrefix, projects));
    if (known?.some(({ id }) => id === idOrPrefix)) return this.#records.of(known);
    // The session is newer than the index, or there is no index.
    const logs = (await listLogFiles(this.#dataRoot)).filter(
      (log) => log.id.startsWith(idOrPrefix) && projects?.includes(log.project) !== false,
    );
    const exact = logs.filter(({ id }) => id === idOrPrefix);
    const among = (exact.length > 0 ? exact : logs).sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, 100);
    return this.#records.of(await Promise.all(among.map(rowOf)));
  }

  /**
   * Indexes what has changed on disk. `onChange` is called whenever `list` may return something new. Never rejects:
   * `isComplete` is false if something is not indexed yet.
   */
  async refresh(
    onChange: () => void = () => {},
    { signal = noSignal, ...options }: RefreshOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<RefreshReport> {
    const tell = (): void => {
      this.#records.forget();
      onChange();
    };
    const report = await this.#ask((engine) => engine.refresh(options, tell, signal));
    this.#isInMemory = report?.isDurable === false;
    return report ?? { sessions: 0, indexedBytes: 0, isComplete: false, isDurable: true };
  }

  /**
   * Searches prompts, replies, reasoning, calls, results, summaries, `!commands` and the first 2 MiB of originals;
   * newest hits first. All words must occur; `"a phrase"` and `prefix*` are supported. Logs that are not indexed yet
   * are searched for a tenth of a second or, while there are no hits, for up to three. Any text is a valid query.
   */
  async search(
    text: string,
    { project, limit = 50, signal = noSignal }: SearchLimits = {},
  ): Promise<readonly SearchHit[]> {
    const projects = typeof project === 'string' ? [project] : project;
    const found = (await this.#ask((engine) => engine.search({ text, projects, limit }, signal))) ?? [];
    const sessions = await this.#records.of(found.map(({ session }) => session));
    return found.flatMap(({ seq, time, who, snippet, marks }, index) => {
      const session = sessions[index];
      return session === undefined ? [] : [{ session, seq, timestamp: new Date(time), who, snippet, marks }];
    });
  }

  /** The folders with the sessions of the project at this root: its own, and those from before it was moved. */
  projectsOf(root: string): Promise<ProjectFolders> {
    return projectFolders(this.#dataRoot, root, (project) => {
      const facts = this.#read((database) => listRows(database, { project, limit: 1 })[0])?.facts;
      if (facts?.root === undefined) return undefined;
      return { root: facts.root, ...(facts.gitRemote === undefined ? {} : { gitRemote: facts.gitRemote }) };
    });
  }

  /** Packs the session, unless it is open; it stays listed and searchable. */
  archive({ project, id }: SessionKey): Promise<Stored> {
    return this.#afterwards({ project, id }, archiveSession(this.#folder(project), id));
  }

  /** Restores an archived session byte for byte; needed before it can be opened. */
  unarchive({ project, id }: SessionKey): Promise<Stored> {
    return this.#afterwards({ project, id }, unarchiveSession(this.#folder(project), id));
  }

  /**
   * Permanently deletes a session and the originals that no other session of the project refers to. Only on request.
   */
  async remove({ project, id }: SessionKey): Promise<Stored> {
    const stored = await deleteSessionFiles(this.#dataRoot, project, id);
    if (stored.type === 'done' || stored.type === 'missing')
      await this.#ask((engine) => engine.forget(project, id, noSignal));
    this.#records.forget();
    return stored;
  }

  async close(): Promise<void> {
    this.#closeReader();
    await this.#engine?.close();
    this.#engine = undefined;
  }

  #folder(project: string): string {
    return projectFolderIn(this.#dataRoot, project);
  }

  /** Updates the session's state in the index before the next list, without indexing any text, so that it is fast. */
  async #afterwards({ project, id }: SessionKey, storing: Promise<Stored>): Promise<Stored> {
    const stored = await storing;
    if (stored.type === 'done') await this.refresh(undefined, { project, session: id, maxBytes: 0 });
    return stored;
  }

  async #rows(query: SessionQuery): Promise<readonly SessionRow[] | undefined> {
    if (this.#isInMemory) return this.#ask((engine) => engine.list(query));
    const rows = this.#read((database) => listRows(database, query));
    // An index without any session has not been filled yet.
    const isEmpty = rows?.length === 0 && this.#read((database) => countRows(database)) === 0;
    return isEmpty ? undefined : rows;
  }

  /** Undefined if there is no readable index. */
  #read<T>(work: (database: DatabaseSync) => T): T | undefined {
    if (this.#isInMemory) return undefined;
    try {
      const reader = this.#openReader();
      return reader && work(reader);
    } catch {
      // The index is damaged: the next refresh rebuilds it.
      this.#closeReader();
      return undefined;
    }
  }

  /** A rebuilt index is a new file: reopen it, or the old one would be read forever. */
  #openReader(): DatabaseSync | undefined {
    const file = indexFileIn(this.#dataRoot);
    const ino = statSync(file, { throwIfNoEntry: false })?.ino;
    if (this.#reader !== undefined && this.#reader.ino === ino) return this.#reader.database;
    this.#closeReader();
    const database = ino === undefined ? undefined : openIndexReader(file);
    if (database !== undefined && ino !== undefined) this.#reader = { database, ino };
    return database;
  }

  #closeReader(): void {
    closeQuietly(this.#reader?.database);
    this.#reader = undefined;
  }

  /** Undefined on failure; a thread that died is replaced by an engine in this thread. */
  async #ask<T>(question: (engine: EnginePort) => Promise<T>): Promise<T | undefined> {
    const asked = this.#engine ?? this.#newEngine(this.#startWorker);
    this.#engine = asked;
    try {
      return await question(asked);
    } catch {
      if (!(asked instanceof EngineThread) || this.#engine !== asked) return undefined;
      const here = this.#newEngine(undefined);
      this.#engine = here;
      return question(here).catch(() => undefined);
    }
  }

  #newEngine(startWorker: (() => Worker) | undefined): EnginePort {
    if (startWorker !== undefined) return new EngineThread(startWorker);
    return new Engine({ dataRoot: this.#dataRoot, busyMs: this.#busyMs });
  }
}
