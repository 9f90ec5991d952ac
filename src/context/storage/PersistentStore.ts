/**
 * The sessions of one project on disk: creates, opens, finds, lists and deletes them. A session that is
 * open is owned by its `SessionLog`; reading one needs no lock.
 */

import { lstat, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Redaction } from '../../protocol/redaction.ts';
import { atomEntries } from '../history/atoms.ts';
import { withoutHalfCompactions } from '../history/compactions.ts';
import { HistoryManager } from '../history/HistoryManager.ts';
import { BlobStore } from './BlobStore.ts';
import { archiveFileIn } from './catalogue/logFiles.ts';
import {
  AmbiguousSessionIdError,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
} from './errors.ts';
import { syncFolder } from './folders.ts';
import { isSafeSessionId, newSessionId } from './ids.ts';
import { JSONLStore } from './JSONLStore.ts';
import { loadLog, resumePointFile } from './loadLog.ts';
import type { LogContents } from './logReader.ts';
import { getProjectStoragePath, lockFileOf, sessionFileIn } from './pathUtils.ts';
import { quarantineDamage, quarantineFolder } from './repair/damage.ts';
import { acquireSessionLock } from './SessionLock.ts';
import { SessionLog } from './SessionLog.ts';
import type { SessionStore } from './sessionStore.ts';
import { type SessionSummary, summarizeSession } from './sessionSummary.ts';

export interface PersistentStoreOptions {
  /** From `getStorageRoot`. */
  readonly dataRoot: string;
  /** Absolute path of the project's root. */
  readonly projectRoot: string;
  /** Name of the folder below `projects/`, where it is not that root's own: of another project, or one that moved. */
  readonly project?: string;
  /** The program's version, recorded in every line. */
  readonly programVersion: string;
  readonly now?: () => Date;
  /** Logs up to this size, in bytes, are held in memory as a whole. */
  readonly wholeBytes?: number;
  /** Whatever is written has no secrets; absent = it is written as it is. */
  readonly redaction?: Redaction | undefined;
}

export class PersistentStore implements SessionStore {
  /** The project's folder: sessions, locks and blobs. */
  readonly folder: string;
  readonly blobs: BlobStore;
  readonly #options: PersistentStoreOptions & { readonly now: () => Date };

  constructor(options: PersistentStoreOptions) {
    this.#options = { now: () => new Date(), ...options };
    const { dataRoot, projectRoot, project } = options;
    const own = getProjectStoragePath(dataRoot, projectRoot);
    this.folder = project === undefined ? own : join(dirname(own), basename(project));
    this.blobs = new BlobStore(join(this.folder, 'blobs'), undefined, options.redaction);
  }

  /**
   * A new, empty session; its file appears with the first entry. Throws `InvalidSessionIdError`,
   * `SessionLockedError`, and `SessionExistsError` for an id that is taken, also by an archive.
   */
  async createSession(sessionId: string = newSessionId()): Promise<SessionLog> {
    const file = sessionFileIn(this.folder, sessionId);
    return this.#open(file, sessionId, async (store) => {
      const archive = new JSONLStore(archiveFileIn(this.folder, sessionId));
      if ((await store.exists()) || (await archive.exists())) throw new SessionExistsError(sessionId);
      return { entries: [], damaged: [] };
    });
  }

  /**
   * Opens the session for writing. Throws `InvalidSessionIdError`, `SessionNotFoundError` or
   * `SessionLockedError`; a damaged file opens, with what could not be read in `damaged`.
   */
  async openSession(sessionId: string): Promise<SessionLog> {
    const file = sessionFileIn(this.folder, sessionId);
    if (!(await isLog(file))) throw new SessionNotFoundError(sessionId);
    return this.#open(file, sessionId, async (store) => {
      // It may have been deleted while the lock was taken.
      if (await store.exists()) await store.hold();
      const contents = await this.loadSession(sessionId, store);
      if (contents === undefined) throw new SessionNotFoundError(sessionId);
      return contents;
    });
  }

  /**
   * Opens the session for reading only: without a lock, also while another program writes it. What that program
   * appends later is not seen. Throws `InvalidSessionIdError` or `SessionNotFoundError`.
   */
  async openReader(sessionId: string): Promise<SessionLog> {
    const { projectRoot, programVersion, now } = this.#options;
    const file = sessionFileIn(this.folder, sessionId);
    if (!(await isLog(file))) throw new SessionNotFoundError(sessionId);
    const store = new JSONLStore(file);
    return new SessionLog({
      sessionId,
      store,
      blobs: this.blobs,
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
   * A new session that begins with these entries of another, as they are: ids stay, so whatever refers to
   * them holds; originals are shared. Of any length: they are never all in memory. Rejects when the disk does. It has
   * its name once it is whole and on the disk: half a copy, of a program that was killed, would pass for one. Returns
   * its id.
   */
  async forkSession(
    entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
    sessionId: string = newSessionId(),
  ): Promise<string> {
    const unfinished = new JSONLStore(this.blobs.newTemporaryFile());
    const log = await this.createSession(sessionId);
    try {
      for await (const batch of forkedEntries(entries, sessionId)) await unfinished.append(batch);
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
   * Reads a session without opening it: a small one whole, of a large one what work on it needs. Undefined when there
   * is none of that id.
   */
  async loadSession(
    sessionId: string,
    store = new JSONLStore(sessionFileIn(this.folder, sessionId)),
  ): Promise<LogContents | undefined> {
    if (!(await store.exists())) return undefined;
    return store.readAll((path) => this.#load(path));
  }

  /** What the session's next request would be made from: the last summary, what it kept, and what followed. */
  async loadConversation(sessionId: string): Promise<readonly JSONLEntry[] | undefined> {
    const contents = await this.loadSession(sessionId);
    if (contents === undefined) return undefined;
    const history = new HistoryManager();
    history.append(...withoutHalfCompactions(contents.entries));
    const { summary, userMessages, atoms } = history.view();
    const quoted = userMessages.map(({ entry }) => entry);
    return [...(summary === undefined ? [] : [summary]), ...quoted, ...atoms.flatMap(atomEntries)];
  }

  /** The sessions in which something was asked, newest first. */
  async listSessions(): Promise<SessionSummary[]> {
    const ids = await this.#ids();
    const found: SessionSummary[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
        const summary = await summarizeSession(sessionFileIn(this.folder, id), id);
        if (summary !== undefined) found.push(summary);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    return found.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  /** The session in which something was said last; looks at as few files as that takes. */
  async latestSession(): Promise<SessionSummary | undefined> {
    const files = (await this.#ids()).map((id) => ({ id, file: sessionFileIn(this.folder, id) }));
    const dated = await Promise.all(
      files.map(async (one) => ({ ...one, time: (await stat(one.file).catch(unlessMissing))?.mtimeMs ?? 0 })),
    );
    let latest: SessionSummary | undefined;
    for (const { id, file, time } of dated.sort((a, b) => b.time - a.time)) {
      // A file is as new as its last entry, and newer where the session was only renamed since it was used.
      if (latest !== undefined && time < latest.updatedAt.getTime()) break;
      const summary = await summarizeSession(file, id);
      if (summary !== undefined && (latest === undefined || summary.updatedAt > latest.updatedAt))
        latest = summary;
    }
    return latest;
  }

  /**
   * The id that the text means: an id, or the beginning of exactly one. Throws `SessionNotFoundError` or
   * `AmbiguousSessionIdError`.
   */
  async resolveSessionId(prefixOrId: string): Promise<string> {
    const ids = await this.#ids();
    if (ids.includes(prefixOrId)) return prefixOrId;
    const matches = prefixOrId === '' ? [] : ids.filter((id) => id.startsWith(prefixOrId));
    if (matches.length > 1) throw new AmbiguousSessionIdError(prefixOrId, matches.sort());
    if (matches[0] === undefined) throw new SessionNotFoundError(prefixOrId);
    return matches[0];
  }

  /** Removes the session's log; one that is not there is no error. Throws `SessionLockedError`. */
  async deleteSession(sessionId: string): Promise<void> {
    const file = sessionFileIn(this.folder, sessionId);
    if ((await stat(file).catch(unlessMissing)) === undefined) return;
    const lock = await acquireSessionLock(lockFileOf(file), this.#options.now());
    if (!lock.ok) throw new SessionLockedError(sessionId, lock.holder);
    try {
      await unlink(file).catch(unlessMissing);
      await rm(quarantineFolder(file), { recursive: true, force: true });
      await rm(resumePointFile(file), { force: true });
      await rm(lockFileOf(file), { force: true });
    } finally {
      lock.release();
    }
  }

  async #open(
    file: string,
    sessionId: string,
    read: (store: JSONLStore) => Promise<LogContents>,
  ): Promise<SessionLog> {
    const { projectRoot, programVersion, now } = this.#options;
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
    const found = (await readdir(this.folder, { withFileTypes: true }).catch(unlessMissing)) ?? [];
    return found
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => name.slice(0, -'.jsonl'.length))
      .filter(isSafeSessionId);
  }
}

/** Whether something is there that is no link: what that leads to is not ours to write to. */
async function isLog(file: string): Promise<boolean> {
  return (await lstat(file).catch(unlessMissing))?.isSymbolicLink() === false;
}

/** A line that its writer has not finished yet is no damage. */
function withoutUnfinishedLine({ entries, damaged }: LogContents): LogContents {
  return { entries, damaged: damaged.filter(({ reason }) => reason !== 'cut short') };
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Entries that are written with one call. */
const BATCH = 200;

/** A session's entries as those of its copy, in batches; the first of them says of what it is one. */
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
