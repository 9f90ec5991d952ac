/**
 * The port to storage: what a ContextManager needs of it. PersistentStore implements it on the disk; whatever passes the
 * suite in `test/context/storePort.ts` can take its place.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import type { HistoryManager } from '../history/HistoryManager.ts';
import type { Live } from '../history/liveEntries.ts';
import type { SeenLog } from '../recall/seenLog.ts';
import type { DamagedLine } from './repair/damage.ts';
import type { SessionSummary } from './sessionSummary.ts';

/** Something about storage that the user must know; ready to show. */
export interface StorageProblem {
  readonly message: string;
  /** True when it tells the end of an earlier problem. */
  readonly recovered?: boolean;
}

/** The sessions of one project. */
export interface SessionStore {
  /**
   * A new session; without an id it gets a new one. Throws `InvalidSessionIdError`, `SessionExistsError` or
   * `SessionLockedError`.
   */
  createSession(sessionId?: string): Promise<OpenLog>;
  /** Throws `InvalidSessionIdError`, `SessionNotFoundError` or `SessionLockedError`. */
  openSession(sessionId: string): Promise<OpenLog>;
  /**
   * The id that a text means: an id, or the beginning of exactly one. Throws `SessionNotFoundError` or
   * `AmbiguousSessionIdError`.
   */
  resolveSessionId(prefixOrId: string): Promise<string>;
  /** A new session that begins with these entries, as they are but for its id; returns that. */
  forkSession(entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>): Promise<string>;
  /** The sessions in which something was asked, newest first. */
  listSessions(): Promise<SessionSummary[]>;
}

/** The log of one open session; its only writer. */
export interface OpenLog {
  readonly sessionId: string;
  /** Where the log lies, for messages. */
  readonly filePath: string;
  readonly blobs: Blobs;
  /** What could not be read when the session was opened. */
  readonly damaged: readonly DamagedLine[];
  /** Where a copy of it is kept; undefined when there is none. */
  readonly quarantine: string | undefined;
  /** True when `append` rejects with `SessionReadOnlyError`. */
  readonly isReadOnly: boolean;
  /** The entries in memory, and what they make. */
  readonly history: Pick<HistoryManager, 'view'>;
  /** The working directory that entries are recorded with. */
  readonly cwd: string;
  setCwd(directory: string): void;
  /** The entries in memory, oldest first: at least what requests need. Never changed, replaced when the log grows. */
  entries(): readonly JSONLEntry[];
  /** Which of them count. */
  live(): Live;
  /** Everything that the session has ever seen, in memory or not. */
  seen(): SeenLog;
  /** Takes everything from this position on into memory. Rejects when it cannot be read. */
  reach(floor: number): Promise<void>;
  /**
   * Adds the entries as one batch: a crash leaves all of them or none. Order is the order of the calls. Rejects for a
   * malformed entry and after `close`; a failing disk is reported to `onProblem` instead.
   */
  append(entries: readonly NewEntry[]): Promise<readonly JSONLEntry[]>;
  /** A value as it would be stored, without secrets. */
  clean<T>(value: T): T;
  /** Is called when the log cannot be written, and when it can again. Returns the unsubscriber. */
  onProblem(listener: (problem: StorageProblem) => void): () => void;
  /** Resolves when everything is durable; problems go to `onProblem`. */
  sync(): Promise<void>;
  /** Writes what is left, then lets others open the session. */
  close(): Promise<void>;
}

/** Large contents, each stored once, by the SHA-256 of its bytes. */
export interface Blobs {
  put(data: Uint8Array | string): Promise<BlobRef>;
  /** The content, or a part of it; undefined when it is gone. */
  read(
    ref: Pick<BlobRef, 'hash'> & Partial<Pick<BlobRef, 'bytes'>>,
    range?: { readonly start?: number; readonly end?: number },
  ): Promise<Buffer | undefined>;
  /** Where the content lies, for messages. */
  pathOf(hash: string): string;
  /** For content that arrives in pieces. */
  openSink(): BlobSink;
  /** A text as it would be stored, without secrets. */
  textOf(text: string): string;
  /** The same contents, stored with their secrets. */
  verbatim(): Pick<Blobs, 'put' | 'read'>;
}
