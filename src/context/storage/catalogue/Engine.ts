/**
 * The part of the catalogue that writes and searches the index, in its own thread if there is one. It owns the
 * connection. If the index fails it is rebuilt; the logs are never changed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { createRest } from '../../../disk/slices.ts';
import type { SessionQuery } from '../../../protocol/sessions.ts';
import { createWorkQueue } from '../../../protocol/workQueue.ts';
import { folderOfLog } from '../logBytes.ts';
import { parseLine } from '../logReader.ts';
import { compareLogs } from './compareLogs.ts';
import {
  closeQuietly,
  type IndexFile,
  indexFileIn,
  isBusy,
  openIndex,
  removeSessions,
  scrubWords,
  tryRemoveIndex,
} from './database.ts';
import { noFacts } from './facts.ts';
import { indexLogs } from './indexLogs.ts';
import { type LogFile, listLogFiles, logLines } from './logFiles.ts';
import { findRows, listRows, type SessionRow, toRow } from './rows.ts';
import { type FoundRow, type SearchOptions, searchIndex } from './searchIndex.ts';
import { fold, indexedText, matches, parseQuery, type Query, readOriginal, snippetOf } from './words.ts';

export interface RefreshOptions {
  /** Maximum bytes of logs to index; absent = no limit. */
  readonly maxBytes?: number | undefined;
  /** Only the folder of this project. */
  readonly project?: string | undefined;
  /** With `project`: only this session. */
  readonly session?: string | undefined;
}

export interface RefreshReport {
  readonly sessions: number;
  /** Bytes of logs that were indexed. */
  readonly indexedBytes: number;
  /** False if another process was writing or the limit was reached. */
  readonly isComplete: boolean;
  /** False if the index cannot be stored on disk. */
  readonly isDurable: boolean;
}

export interface SearchRequest {
  readonly text: string;
  readonly projects?: readonly string[] | undefined;
  readonly limit: number;
}

interface EngineOptions {
  readonly dataRoot: string;
  /** Maximum wait in milliseconds for another process that writes; 0 if nothing may block. */
  readonly busyMs: number;
}

/** Milliseconds after which the list of log files is read again. */
const lookEveryMs = 2000;

export class Engine {
  readonly #options: EngineOptions;
  #index: IndexFile | undefined;
  #logs: { readonly at: number; readonly files: readonly LogFile[] } | undefined;
  /** Runs all writes one after the other: there is one connection with one transaction. */
  readonly #write = createWorkQueue();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Updates the index. `onChange` is called when a list may have changed. */
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
      await this.#withRepair(async ({ database }) => {
        const pending = await compareLogs(database, files, { project, session, onNoted: onChange, signal });
        indexedBytes = await indexLogs(database, pending, { maxBytes, signal, onIndexed: onChange });
        isComplete = !signal.aborted && (maxBytes === undefined || indexedBytes < maxBytes);
      });
      return { sessions: files.length, indexedBytes, isComplete, isDurable: this.#open().isDurable };
    });
  }

  /** Returns the newest hits first. */
  async search({ text, projects, limit }: SearchRequest, signal: AbortSignal): Promise<readonly FoundRow[]> {
    const query = parseQuery(text);
    if (query === undefined || limit < 1) return [];
    const options = { projects, limit, signal };
    const recent = this.#logs !== undefined && performance.now() - this.#logs.at < lookEveryMs;
    const files = recent ? (this.#logs?.files ?? []) : await this.#look(undefined);
    const found = new Map<string, FoundRow>();
    await this.#withRepair(async ({ database }) => {
      const indexed = await searchIndex(database, this.#options.dataRoot, query, options);
      const tails = await searchTails(database, files, query, indexed.length, options);
      for (const hit of [...tails, ...indexed])
        found.set(`${hit.session.project}/${hit.session.id}/${hit.seq}`, hit);
    });
    return [...found.values()].sort((a, b) => b.time - a.time || b.seq - a.seq).slice(0, limit);
  }

  /** Removes a session and its words from the index. */
  forget(project: string, id: string, signal: AbortSignal): Promise<void> {
    return this.#write(() =>
      this.#withRepair(async ({ database }) => {
        const row = database
          .prepare('SELECT id FROM session WHERE project = ? AND name = ?')
          .get(project, id);
        if (row === undefined) return;
        removeSessions(database, [Number(row.id)]);
        await scrubWords(database, signal);
      }),
    );
  }

  /** For an index that is only in this engine's memory, so that no reader can open it. */
  async list(query: SessionQuery): Promise<readonly SessionRow[]> {
    let rows: readonly SessionRow[] = [];
    await this.#withRepair(async ({ database }) => {
      rows = listRows(database, query);
    });
    return rows;
  }

  async find(prefix: string, projects: readonly string[] | undefined): Promise<readonly SessionRow[]> {
    let rows: readonly SessionRow[] = [];
    await this.#withRepair(async ({ database }) => {
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
    // A list of one project does not update the list of all.
    this.#logs = project === undefined ? { at: performance.now(), files } : undefined;
    return files;
  }

  #open(): IndexFile {
    this.#index ??= openIndex(indexFileIn(this.#options.dataRoot), this.#options.busyMs);
    return this.#index;
  }

  /** Ignores that another process is writing. After any other failure the index is rebuilt, once. */
  async #withRepair(work: (index: IndexFile) => Promise<void>): Promise<void> {
    try {
      await work(this.#open());
    } catch (error) {
      if (isBusy(error)) return;
      this.close();
      tryRemoveIndex(indexFileIn(this.#options.dataRoot));
      await work(this.#open()).catch(() => undefined);
    }
  }
}

// Searches the parts of logs that are not indexed yet, newest first, for a limited time.

/** Maximum time in milliseconds for all of them, and while there are no hits at all. */
const tailsMs = 100;
const emptyTailsMs = 3000;

/**
 * `logs`: the logs on disk; `hits`: number of hits from the index. Prefers the newest hits of each log. Throws SQLite's
 * errors.
 */
async function searchTails(
  database: DatabaseSync,
  logs: readonly LogFile[],
  query: Query,
  hits: number,
  { projects, limit, signal }: SearchOptions,
): Promise<FoundRow[]> {
  const started = performance.now();
  const found: FoundRow[] = [];
  const isTime = (): boolean => {
    const patienceMs = hits + found.length > 0 ? tailsMs : emptyTailsMs;
    return signal.aborted || performance.now() - started > patienceMs;
  };
  for (const { log, session, indexed } of unindexedTails(database, logs, projects)) {
    if (found.length >= limit || isTime()) break;
    found.push(...(await searchLog(log, session, indexed, query, isTime)).slice(-limit));
  }
  return found;
}

interface UnindexedTail {
  readonly log: LogFile;
  readonly session: SessionRow;
  readonly indexed: number;
}

function unindexedTails(
  database: DatabaseSync,
  logs: readonly LogFile[],
  projects: readonly string[] | undefined,
): readonly UnindexedTail[] {
  const known = new Map<
    string,
    { readonly size: number; readonly indexed: number; readonly whole: boolean }
  >();
  for (const row of database.prepare('SELECT project, name, size, indexed, whole FROM session').iterate())
    known.set(`${row.project}/${row.name}`, {
      size: Number(row.size),
      indexed: Number(row.indexed),
      whole: row.whole === 1,
    });
  const select = database.prepare(
    'SELECT project, name, archived, size, mtime, facts FROM session WHERE project = ? AND name = ?',
  );
  return logs
    .flatMap((log) => {
      const row = known.get(`${log.project}/${log.id}`);
      if (projects?.includes(log.project) === false) return [];
      if (row?.whole === true && row.size === log.size) return [];
      const session = row && select.get(log.project, log.id);
      return [{ log, session: session ? toRow(session) : rowOf(log), indexed: row?.indexed ?? 0 }];
    })
    .sort((a, b) => b.log.mtimeMs - a.log.mtimeMs);
}

async function searchLog(
  log: LogFile,
  session: SessionRow,
  start: number,
  query: Query,
  isTime: () => boolean,
): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  const rest = createRest();
  try {
    for await (const { bytes } of logLines(log.file, start <= log.size || log.isArchived ? start : 0)) {
      for (const entry of parseLine(bytes).entries) {
        const indexed = indexedText(entry);
        const hash = entry.toolResult?.original?.hash;
        const texts = [
          indexed?.text,
          hash === undefined ? undefined : readOriginal(folderOfLog(log.file), hash),
        ];
        for (const text of texts) {
          const folded = text === undefined ? '' : fold(text);
          if (text === undefined || !matches(query, folded)) continue;
          const who = indexed?.who ?? entry.toolResult?.name ?? 'tool';
          const time = Date.parse(entry.timestamp) || 0;
          found.push({ session, seq: entry.seq, time, who, ...snippetOf(query, text, folded) });
          break;
        }
      }
      if (isTime()) break;
      await rest();
    }
  } catch {
    // The log is gone or cannot be read: no hits in it.
  }
  return found;
}

/** The row of a log that is not in the index yet. */
function rowOf({ project, id, isArchived, size, mtimeMs }: LogFile): SessionRow {
  return { project, id, isArchived, bytes: size, mtimeMs, facts: { ...noFacts, updatedAt: mtimeMs } };
}
