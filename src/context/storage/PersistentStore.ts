/**
 * The sessions of one project on disk: creates, opens, finds, lists and deletes them. The `SessionLog` of an open
 * session is its only writer; reading a session needs no lock.
 */
import { lstatSync } from 'node:fs';
import { readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { atomEntries } from '../history/atoms.ts';
import { withoutPartialCompactions } from '../history/compactions.ts';
import { HistoryManager } from '../history/HistoryManager.ts';
import { BlobStore } from './BlobStore.ts';
import { ChangeSigner, signedAgain } from './ChangeSigner.ts';
import { deleteSessionFiles } from './catalogue/deleteSession.ts';
import { archiveFileIn } from './catalogue/logFiles.ts';
import { JSONLStore } from './JSONLStore.ts';
import { loadLog } from './loadLog.ts';
import type { LogContents } from './logReader.ts';
import { isSafeSessionId, newSessionId } from './newEntries.ts';
import { agentsFolderIn, getProjectStoragePath, lockFileOf, sessionFileIn } from './pathUtils.ts';
import { quarantineDamage } from './repair/damage.ts';
import { acquireSessionLock } from './SessionLock.ts';
import { SessionLog } from './SessionLog.ts';
import {
  idIn,
  type Redaction,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  type SessionStore,
} from './sessionStore.ts';
import { lastUse, type SessionSummary, summarizeSession } from './sessionSummary.ts';
import { assertRealFolders, syncFolder, unlessMissing } from './storedFiles.ts';

interface PersistentStoreOptions {
  /** From `getStorageRoot`. */
  readonly dataRoot: string;
  /** Absolute path of the project's root. */
  readonly projectRoot: string;
  /** Folder name in `projects/`, if it is not derived from `projectRoot`: for another project or one that moved. */
  readonly project?: string;
  /** The id of a session whose subagents' sessions these are. Their blobs are the project's. */
  readonly agentsOf?: string;
  /** The program's version, recorded in every line. */
  readonly programVersion: string;
  readonly now?: () => Date;
  /** Logs up to this size, in bytes, are held in memory in full. */
  readonly wholeBytes?: number;
  /** Removes secrets from everything that is written; absent = nothing is redacted. */
  readonly redaction?: Redaction | undefined;
}

export class PersistentStore implements SessionStore {
  /** The project's folder: sessions, locks and blobs. */
  readonly folder: string;
  readonly blobs: BlobStore;
  readonly #signer: ChangeSigner;
  readonly #options: PersistentStoreOptions & { readonly now: () => Date };

  constructor(options: PersistentStoreOptions) {
    this.#options = { now: () => new Date(), ...options };
    const { dataRoot, projectRoot, project } = options;
    const own = getProjectStoragePath(dataRoot, projectRoot);
    const folder = project === undefined ? own : join(dirname(own), basename(project));
    this.folder = options.agentsOf === undefined ? folder : agentsFolderIn(folder, options.agentsOf);
    this.blobs = new BlobStore(join(folder, 'blobs'), undefined, options.redaction);
    this.#signer = new ChangeSigner({ dataRoot, projectRoot });
  }

  /**
   * Creates an empty session; its file is created with the first entry. Throws `InvalidSessionIdError`,
   * `SessionLockedError`, and `SessionExistsError` if a session or an archive already has the id.
   */
  async createSession(sessionId: string = newSessionId()): Promise<SessionLog> {
    const file = this.fileOf(sessionId);
    return this.#open(file, sessionId, async (store) => {
      const archive = new JSONLStore(archiveFileIn(this.folder, sessionId));
      if ((await store.exists()) || (await archive.exists())) throw new SessionExistsError(sessionId);
      return { entries: [], damaged: [] };
    });
  }

  /**
   * Opens the session for writing. Throws `InvalidSessionIdError`, `SessionNotFoundError` or `SessionLockedError`. A
   * damaged file can be opened; `damaged` lists the lines that could not be read.
   */
  async openSession(sessionId: string): Promise<SessionLog> {
    const file = this.fileOf(sessionId);
    this.#assertLog(file, sessionId);
    return this.#open(file, sessionId, async (store) => {
      // It may have been deleted while the lock was acquired.
      if (await store.exists()) await store.hold();
      const contents = await this.loadSession(sessionId, store);
      if (contents === undefined) throw new SessionNotFoundError(sessionId);
      return contents;
    });
  }

  /**
   * Opens the session read-only and without a lock, even while another process writes to it. Later entries of that
   * process are not visible. Throws `InvalidSessionIdError` or `SessionNotFoundError`.
   */
  async openReader(sessionId: string): Promise<SessionLog> {
    const { projectRoot, programVersion, now } = this.#options;
    const file = this.fileOf(sessionId);
    this.#assertLog(file, sessionId);
    const store = new JSONLStore(file);
    return new SessionLog({
      sessionId,
      store,
      blobs: this.blobs,
      signer: this.#signer,
      contents: withoutUnfinishedLine(
        (await this.loadSession(sessionId, store)) ?? { entries: [], damaged: [] },
      ),
      reload: (floor) => store.readAll((path) => this.#load(path, floor)),
      projectRoot,
      programVersion,
      now,
      release: () => {},
      isReadOnly: true,
    });
  }

  /**
   * Creates a session that begins with entries of another session and returns its id. Entries are copied unchanged, so
   * references by id stay valid; blobs are shared, and changes of files that are the user's own in `from` stay so. Entries are streamed, so any length is possible. Rejects on a disk
   * error. The file gets its name only when it is complete and on disk; otherwise a partial copy left by a killed
   * process would look like a complete session.
   */
  async forkSession(
    entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
    from?: string,
    sessionId: string = newSessionId(),
  ): Promise<string> {
    const unfinished = new JSONLStore(this.blobs.newTemporaryFile());
    const log = await this.createSession(sessionId);
    try {
      const signed = signedAgain(entries, this.#signer, from, sessionId);
      for await (const batch of forkedEntries(signed, sessionId)) await unfinished.append(batch);
      await unfinished.sync();
      await unfinished.close();
      if (await unfinished.exists()) await rename(unfinished.getFilePath(), log.filePath);
      await syncFolder(this.folder);
    } finally {
      await unfinished.delete().catch(() => undefined);
      await unfinished.close();
      await log.close();
    }
    return sessionId;
  }

  /**
   * Reads a session without opening it: a small one in full, a large one only as far as it is needed to continue it.
   * Undefined if there is no session with this id.
   */
  async loadSession(
    sessionId: string,
    store = new JSONLStore(this.fileOf(sessionId)),
  ): Promise<LogContents | undefined> {
    if (!(await store.exists())) return undefined;
    return store.readAll((path) => this.#load(path));
  }

  /**
   * Entries from which the session's next request would be built: the last summary, the entries it kept, and later
   * ones.
   */
  async loadConversation(sessionId: string): Promise<readonly JSONLEntry[] | undefined> {
    const contents = await this.loadSession(sessionId);
    if (contents === undefined) return undefined;
    const history = new HistoryManager();
    history.append(...withoutPartialCompactions(contents.entries));
    const { summary, userMessages, atoms } = history.view();
    const quoted = userMessages.map(({ entry }) => entry);
    return [...(summary === undefined ? [] : [summary]), ...quoted, ...atoms.flatMap(atomEntries)];
  }

  /** The sessions with at least one prompt, newest first. */
  async listSessions(): Promise<SessionSummary[]> {
    const ids = await this.#ids();
    const found: SessionSummary[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
        const summary = await summarizeSession(this.fileOf(id), id);
        if (summary !== undefined) found.push(summary);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    return found.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  /** The session with the latest activity; reads as little as possible. */
  async latestSession(): Promise<Pick<SessionSummary, 'id' | 'updatedAt'> | undefined> {
    const files = (await this.#ids()).map((id) => ({ id, file: this.fileOf(id) }));
    const dated = await Promise.all(
      files.map(async (one) => ({ ...one, time: (await stat(one.file).catch(unlessMissing))?.mtimeMs ?? 0 })),
    );
    let latest: Pick<SessionSummary, 'id' | 'updatedAt'> | undefined;
    for (const { id, file, time } of dated.sort((a, b) => b.time - a.time)) {
      // A file is at least as new as its last entry, and newer if the session was renamed after its last use.
      if (latest !== undefined && time < latest.updatedAt.getTime()) break;
      const updatedAt = await lastUse(file);
      if (updatedAt !== undefined && (latest === undefined || updatedAt > latest.updatedAt))
        latest = { id, updatedAt };
    }
    return latest;
  }

  /** Path of a session's log. Throws `InvalidSessionIdError`. */
  fileOf(sessionId: string): string {
    return sessionFileIn(this.folder, sessionId);
  }

  /** The sessions of a session's subagents. */
  forAgents(sessionId: string): PersistentStore {
    return new PersistentStore({ ...this.#options, agentsOf: sessionId });
  }

  /** The ids of all sessions, in no particular order. */
  sessionIds(): Promise<readonly string[]> {
    return this.#ids();
  }

  /**
   * Resolves an id, or a unique prefix of one, to the id. Throws `SessionNotFoundError` or `AmbiguousSessionIdError`.
   */
  async resolveSessionId(prefixOrId: string): Promise<string> {
    return idIn(await this.#ids(), prefixOrId);
  }

  /**
   * Deletes the session and everything that only it uses; does nothing if there is none. Throws `SessionLockedError`.
   */
  async deleteSession(sessionId: string): Promise<void> {
    const stored = await deleteSessionFiles(this.#options.dataRoot, basename(this.folder), sessionId);
    if (stored.type === 'open') throw new SessionLockedError(sessionId, stored.holder);
    if (stored.type === 'failed') throw new Error(stored.message);
  }

  /** Throws a `StoredLinkError` for a folder that is a link; a link in the place of the log is no session. */
  #assertLog(file: string, sessionId: string): void {
    assertRealFolders(this.folder);
    this.blobs.assertRealFolders();
    const info = lstatSync(file, { throwIfNoEntry: false });
    if (info === undefined || info.isSymbolicLink()) throw new SessionNotFoundError(sessionId);
  }

  async #open(
    file: string,
    sessionId: string,
    read: (store: JSONLStore) => Promise<LogContents>,
  ): Promise<SessionLog> {
    const { projectRoot, programVersion, now } = this.#options;
    this.blobs.assertRealFolders();
    const lock = await acquireSessionLock(lockFileOf(file), now());
    if (!lock.ok) throw new SessionLockedError(sessionId, lock.holder);
    try {
      const store = new JSONLStore(file);
      const contents = await read(store);
      const quarantine = await quarantineDamage(file, contents.damaged, now());
      const { damaged } = quarantine;
      const log = new SessionLog({
        sessionId,
        store,
        blobs: this.blobs,
        signer: this.#signer,
        contents: { ...contents, damaged: [...damaged] },
        wholeBytes: this.#options.wholeBytes,
        redaction: this.#options.redaction,
        reload: (floor) => store.readAll((path) => this.#load(path, floor)),
        projectRoot,
        programVersion,
        now,
        release: lock.release,
        problem: lock.problem,
        quarantine: quarantine.folder,
      });
      await log.ready();
      return log;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  #load(file: string, floor?: number): Promise<LogContents> {
    const { wholeBytes } = this.#options;
    return loadLog(file, {
      ...(floor === undefined ? {} : { floor }),
      ...(wholeBytes === undefined ? {} : { wholeBytes }),
    });
  }

  async #ids(): Promise<string[]> {
    assertRealFolders(this.folder);
    const found = (await readdir(this.folder, { withFileTypes: true }).catch(unlessMissing)) ?? [];
    return found
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => name.slice(0, -'.jsonl'.length))
      .filter(isSafeSessionId);
  }
}

/** A line that another process is still writing does not count as damage. */
function withoutUnfinishedLine({ entries, damaged }: LogContents): LogContents {
  return { entries, damaged: damaged.filter(({ reason }) => reason !== 'cut short') };
}

/** Entries per write. */
const BATCH = 200;

/** Yields the entries of a fork in batches; the header records the original session. */
async function* forkedEntries(
  entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
  sessionId: string,
): AsyncGenerator<readonly JSONLEntry[]> {
  let batch: JSONLEntry[] = [];
  for await (const entry of entries) {
    batch.push(forked(entry, sessionId));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function forked(entry: JSONLEntry, sessionId: string): JSONLEntry {
  if (entry.subtype !== 'session_start') return { ...entry, sessionId };
  return { ...entry, sessionId, data: { ...entry.data, forkedFrom: entry.sessionId } };
}
