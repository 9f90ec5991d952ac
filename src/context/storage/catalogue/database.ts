/**
 * The index file. All its data is derived from the logs: if it is unusable it is rebuilt, and if that is impossible the
 * index is kept in memory.
 */
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createPrivately } from '../../../disk/fileLock.ts';
import { loadSqlite, SQLITE_BUSY, SQLITE_LOCKED, sqliteCode } from '../../../disk/sqlite.ts';

export interface IndexFile {
  readonly database: DatabaseSync;
  /** False if the index cannot be stored on disk. */
  readonly isDurable: boolean;
}

/** Readers are used for the screen and must not wait. */
const readerBusyMs = 5;

export function indexFileIn(dataRoot: string): string {
  return join(dataRoot, 'index', 'sessions.db');
}

/**
 * Opens the index for writing; creates it if there is none or it is unusable. Never throws. `busyMs`: maximum wait for
 * another process, which never writes for longer than a batch.
 */
export function openIndex(file: string, busyMs: number): IndexFile {
  for (const attempt of ['existing', 'new'] as const) {
    try {
      if (attempt === 'new') removeIndex(file);
      return { database: openFile(file, busyMs), isDurable: true };
    } catch (error) {
      // Not a database, damaged, another version, or a read-only folder. If another process is just creating it, do not
      // remove it.
      if (isBusy(error)) break;
    }
  }
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  return { database, isDurable: false };
}

/** Opens the index read-only; undefined if there is no usable one. Never throws. */
export function openIndexReader(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    const { DatabaseSync } = loadSqlite();
    database = new DatabaseSync(file, { readOnly: true });
    database.exec(`PRAGMA busy_timeout = ${readerBusyMs}`);
    if (versionOf(database) === schemaVersion) return database;
  } catch {
    // The writing process will rebuild it.
  }
  closeQuietly(database);
  return undefined;
}

/** Removes the index if possible; all its data is also in the logs. */
export function tryRemoveIndex(file: string): void {
  try {
    removeIndex(file);
  } catch {
    // Then it is opened unchanged or not used.
  }
}

function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    rmSync(`${file}${suffix}`, { force: true, recursive: true });
}

/** True for a temporary error: another process is writing. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

export function closeQuietly(database: DatabaseSync | undefined): void {
  try {
    database?.close();
  } catch {
    // It was already closed.
  }
}

function openFile(file: string, busyMs: number): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite creates its other files with the mode of this one.
  createPrivately(file);
  // SQLite also opens a read-only file, and fails only on the first write.
  accessSync(file, constants.R_OK | constants.W_OK);
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file);
  try {
    database.exec(
      `PRAGMA busy_timeout = ${busyMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;` +
        'PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16000000; PRAGMA secure_delete = ON;',
    );
    migrate(database);
    return database;
  } catch (error) {
    closeQuietly(database);
    throw error;
  }
}

/** Runs in a transaction, since another process may do the same. Throws for another version. */
function migrate(database: DatabaseSync): void {
  if (versionOf(database) === schemaVersion) return;
  database.exec('BEGIN IMMEDIATE');
  const found = versionOf(database);
  if (found === 0) database.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`);
  database.exec('COMMIT');
  if (found !== 0 && found !== schemaVersion) throw new Error(`The index is of version ${found}.`);
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/** Version of the schema below. Increase it with every change: an index of another version is rebuilt. */
const schemaVersion = 1;

/**
 * `session`: one row per log. `size`, `mtime` and `ino` describe its file when it was last checked; `indexed` is the
 * number of bytes of the (unpacked) log that were read; `mark` is a hash of the line before that offset, to distinguish
 * a log that was continued from one that was replaced. `whole` is 1 if the log was indexed to its end; until then
 * `state` has the facts so far, and `facts` those from both ends of the file. `heading` is the text for filters.
 *
 * `said`: one row per searchable text, with the place of its line. `blob` is set if the text is in an original next to
 * the log. `words` has the same row ids but no text, which is in the log. Word positions are not stored
 * (`detail=none`): they would triple the size of the index, and are only needed for phrases, which are checked in the
 * text.
 */
const schema = `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    archived INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime REAL NOT NULL,
    ino INTEGER NOT NULL,
    indexed INTEGER NOT NULL DEFAULT 0,
    mark TEXT NOT NULL DEFAULT '',
    whole INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT '',
    updated INTEGER NOT NULL DEFAULT 0,
    prompts INTEGER NOT NULL DEFAULT 0,
    heading TEXT NOT NULL DEFAULT '',
    facts TEXT NOT NULL DEFAULT '',
    UNIQUE (project, name)
  ) STRICT;
  CREATE INDEX session_by_time ON session (updated DESC, id) WHERE prompts > 0;
  CREATE INDEX session_by_project ON session (project, updated DESC, id) WHERE prompts > 0;
  CREATE TABLE said (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    blob TEXT
  ) STRICT;
  CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 categories 'L* N* Co M*'"
  );
  INSERT INTO words (words, rank) VALUES ('hashsize', 16000000)`;

// Removes sessions from the index.

/** `ids`: row ids of `session`. Throws SQLite's errors. */
export function removeSessions(database: DatabaseSync, ids: readonly number[]): void {
  if (ids.length === 0) return;
  const list = JSON.stringify(ids);
  database.exec('BEGIN IMMEDIATE');
  try {
    removeWords(database, list);
    database.prepare('DELETE FROM session WHERE id IN (SELECT value FROM json_each(?))').run(list);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Removes the words of these sessions; must run in a transaction. `list` is a JSON array of row ids of `session`. */
export function removeWords(database: DatabaseSync, list: string): void {
  const those = 'session IN (SELECT value FROM json_each(?))';
  database.prepare(`DELETE FROM words WHERE rowid IN (SELECT id FROM said WHERE ${those})`).run(list);
  database.prepare(`DELETE FROM said WHERE ${those}`).run(list);
}

/** Pages per merge step, which takes tens of milliseconds. */
const mergePages = 200;

/**
 * Physically removes the words of removed sessions, which searches do not find in any case. Works in steps and yields
 * between them. Throws SQLite's errors.
 */
export async function scrubWords(database: DatabaseSync, signal: AbortSignal): Promise<void> {
  const merge = database.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)");
  const changes = database.prepare('SELECT total_changes() AS n');
  for (let pages = -mergePages; !signal.aborted; pages = mergePages) {
    const before = Number(changes.get()?.n);
    merge.run(pages);
    // SQLite's documentation: fewer than two changes mean that nothing was left to merge.
    if (Number(changes.get()?.n) - before < 2) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!signal.aborted) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
