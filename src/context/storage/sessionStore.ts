/**
 * The storage port of ContextManager. PersistentStore implements it on disk; another implementation has to pass the
 * tests in `test/context/storePort.ts`.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import type { HistoryManager } from '../history/HistoryManager.ts';
import type { Live } from '../history/liveEntries.ts';
import type { SeenLog } from '../recall/seenLog.ts';
import type { DamagedLine } from './repair/damage.ts';
import type { SessionSummary } from './sessionSummary.ts';

/** A storage problem as a message for the user. */
export interface StorageProblem {
  readonly message: string;
  /** True if the message reports the end of an earlier problem. */
  readonly recovered?: boolean;
}

/** The port to the redaction of secrets before text is stored. Idempotent: redacted text does not change again. */
export interface Redaction {
  /** Replaces each secret with a mark. */
  text(text: string): string;
  /** Redacts every string in a JSON value; returns the same value if there was nothing to redact. */
  value<T>(value: T): T;
  /** For text in pieces: `write` returns the part that is safe to store by now, `flush` the rest. */
  open(): { write(piece: string): string; flush(): string };
}

/** The sessions of one project. */
export interface SessionStore {
  /**
   * Creates a session, with a new id by default. Throws `InvalidSessionIdError`, `SessionExistsError` or
   * `SessionLockedError`.
   */
  createSession(sessionId?: string): Promise<OpenLog>;
  /** Opens a session. Throws `InvalidSessionIdError`, `SessionNotFoundError` or `SessionLockedError`. */
  openSession(sessionId: string): Promise<OpenLog>;
  /**
   * Resolves an id, or a unique prefix of one, to the id. Throws `SessionNotFoundError` or `AmbiguousSessionIdError`.
   */
  resolveSessionId(prefixOrId: string): Promise<string>;
  /**
   * Creates a session that begins with these entries, unchanged except for the session id, and returns the new id.
   * `from`: the session of this project that they belong to; their file changes stay the user's own. Without it, they
   * count as foreign.
   */
  forkSession(entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>, from?: string): Promise<string>;
  /** The sessions with at least one prompt, newest first. */
  listSessions(): Promise<SessionSummary[]>;
}

/** The log of one open session and its only writer. */
export interface OpenLog {
  readonly sessionId: string;
  /** Path of the log, for messages. */
  readonly filePath: string;
  readonly blobs: Blobs;
  /** Lines that could not be read when the session was opened. */
  readonly damaged: readonly DamagedLine[];
  /** Folder with a copy of them; undefined if there is none. */
  readonly quarantine: string | undefined;
  /** True if `append` rejects with `SessionReadOnlyError`. */
  readonly isReadOnly: boolean;
  /** History of the entries in memory. */
  readonly history: Pick<HistoryManager, 'view'>;
  /** Working directory that is recorded with entries. */
  readonly cwd: string;
  setCwd(directory: string): void;
  /**
   * Entries in memory, oldest first: at least those that requests need. The array never changes; a new one replaces it.
   */
  entries(): readonly JSONLEntry[];
  /** The entries that are in effect. */
  live(): Live;
  /** All entries of the session, in memory or not. */
  seen(): SeenLog;
  /** True if the user's own program recorded the file changes that the entry names, in this session; see `ChangeSigner`. */
  isOwn(entry: JSONLEntry): boolean;
  /** Loads all entries from `floor` on into memory. Rejects if they cannot be read. */
  reach(floor: number): Promise<void>;
  /**
   * Appends the entries as one batch: after a crash the log has all of them or none. The order is that of the calls.
   * Rejects for a malformed entry and after `close`; disk errors are reported to `onProblem` instead.
   */
  append(entries: readonly NewEntry[]): Promise<readonly JSONLEntry[]>;
  /** A value as it would be stored, without secrets. */
  clean<T>(value: T): T;
  /** Calls the listener when the log cannot be written, and when it can again. Returns a function to unsubscribe. */
  onProblem(listener: (problem: StorageProblem) => void): () => void;
  /** Resolves when everything is durable; problems are reported to `onProblem`. */
  sync(): Promise<void>;
  /** Writes pending entries, then releases the lock. */
  close(): Promise<void>;
}

/** Large contents, each stored once under the SHA-256 of its bytes. */
export interface Blobs {
  put(data: Uint8Array | string): Promise<BlobRef>;
  /** The content, or a part of it; undefined if it is missing. */
  read(
    ref: Pick<BlobRef, 'hash'> & Partial<Pick<BlobRef, 'bytes'>>,
    range?: { readonly start?: number; readonly end?: number },
  ): Promise<Buffer | undefined>;
  /** Path of the content, for messages. */
  pathOf(hash: string): string;
  /** Opens a sink for content that arrives in pieces. */
  openSink(): BlobSink;
  /** A text as it would be stored, without secrets. */
  redact(text: string): string;
  /** The same store without redaction. */
  verbatim(): Pick<Blobs, 'put' | 'read'>;
}

// Expected errors of sessions; each has its own class and a message for the user.

/** The process that has a session open. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** The id is not a valid file name for a session. */
export class InvalidSessionIdError extends Error {
  override readonly name = 'InvalidSessionIdError';
  constructor(sessionId: string) {
    super(
      `${JSON.stringify(sessionId)} is not a session id: use letters, digits, ".", "_" and "-" ` +
        '(at most 128, the first a letter or digit).',
    );
  }
}

/** The project has no session with this id. */
export class SessionNotFoundError extends Error {
  override readonly name = 'SessionNotFoundError';
  constructor(sessionId: string) {
    super(
      `No session ${JSON.stringify(sessionId)} in this project. /resume, or "clawdcode session", lists the existing ones.`,
    );
  }
}

/** The prefix matches several sessions. */
export class AmbiguousSessionIdError extends Error {
  override readonly name = 'AmbiguousSessionIdError';
  readonly matches: readonly string[];
  constructor(prefix: string, matches: readonly string[]) {
    super(
      `${matches.length} sessions begin with ${JSON.stringify(prefix)}: ${matches.join(', ')}. Type more of the id.`,
    );
    this.matches = matches;
  }
}

/** The id of a new session is already in use. */
export class SessionExistsError extends Error {
  override readonly name = 'SessionExistsError';
  constructor(sessionId: string) {
    super(`Session ${JSON.stringify(sessionId)} already exists: resume it, or choose another id.`);
  }
}

/** Another process, or another part of this one, has the session open. */
export class SessionLockedError extends Error {
  override readonly name = 'SessionLockedError';
  readonly sessionId: string;
  readonly holder: LockHolder | undefined;
  constructor(sessionId: string, holder: LockHolder | undefined) {
    const who = holder ? ` (process ${holder.pid} on ${holder.host}, since ${holder.since})` : '';
    super(`Session ${JSON.stringify(sessionId)} is open in another clawdcode${who}. Close it there first.`);
    this.sessionId = sessionId;
    this.holder = holder;
  }
}

/** The session was opened read-only and cannot be written to. */
export class SessionReadOnlyError extends Error {
  override readonly name = 'SessionReadOnlyError';
  constructor(sessionId: string) {
    super(
      `Session ${JSON.stringify(sessionId)} is open read-only. Fork it to continue from here; the original stays as it is.`,
    );
  }
}

/**
 * The id among `ids` that is `prefixOrId`, or the only one that begins with it. Throws `SessionNotFoundError` or
 * `AmbiguousSessionIdError`.
 */
export function idIn(ids: readonly string[], prefixOrId: string): string {
  if (ids.includes(prefixOrId)) return prefixOrId;
  const matches = prefixOrId === '' ? [] : ids.filter((id) => id.startsWith(prefixOrId));
  if (matches.length > 1) throw new AmbiguousSessionIdError(prefixOrId, matches.sort());
  if (matches[0] === undefined) throw new SessionNotFoundError(prefixOrId);
  return matches[0];
}
