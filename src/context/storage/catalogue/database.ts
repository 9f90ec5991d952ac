/**
 * The index's file. Everything in it is derived from the logs: whatever is wrong with it, it is rebuilt, and where
 * that is impossible it is kept in memory.
 */
import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite, SQLITE_BUSY, SQLITE_LOCKED, sqliteCode } from '../sqlite.ts';

export interface IndexFile {
  readonly database: DatabaseSync;
  /** False where nothing can be kept on disk. */
  readonly isDurable: boolean;
}

/** A reader on the way to the screen does not wait. */
const readerBusyMs = 5;

export function indexFileIn(dataRoot: string): string {
  return join(dataRoot, 'index', 'sessions.db');
}

/**
 * Opens the index for writing, making it where there is none or none that can be used. Never throws. `busyMs`: how
 * long to wait for another process, which never writes for longer than a batch.
 */
export function openIndex(file: string, busyMs: number): IndexFile {
  for (const attempt of ['as it is', 'anew'] as const) {
    try {
      if (attempt === 'anew') removeIndex(file);
      return { database: openFile(file, busyMs), isDurable: true };
    } catch (error) {
      // A file that is no database, damaged, of another version, or a folder that cannot be written. One that
      // another process is just making is none of these.
      if (isBusy(error)) break;
    }
  }
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  return { database, isDurable: false };
}

/** Opens the index for reading only; undefined where there is none that can be used as it is. Never throws. */
export function openIndexReader(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    const { DatabaseSync } = loadSqlite();
    database = new DatabaseSync(file, { readOnly: true });
    database.exec(`PRAGMA busy_timeout = ${readerBusyMs}`);
    if (versionOf(database) === schemaVersion) return database;
  } catch {
    // Later: the process that writes rebuilds it.
  }
  closeQuietly(database);
  return undefined;
}

/** Removes the index, if the disk lets it; what it knew is in the logs. */
export function tryRemoveIndex(file: string): void {
  try {
    removeIndex(file);
  } catch {
    // Then it is opened as it is, or done without.
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
    // It was closed.
  }
}

function openFile(file: string, busyMs: number): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createPrivately(file);
  // SQLite opens a file that it may not write as well, and says so only when it has to.
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

/** In one transaction, since another process may be at the same. Throws for another version. */
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

/** SQLite gives its other files the mode of this one. */
function createPrivately(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** What the index holds. A change here needs another version: an index of any other version is rebuilt. */
const schemaVersion = 1;

/**
 * `session`: one row a log, or what became of it. `size`, `mtime` and `ino` are what its file was when it was last
 * looked at, `indexed` how many bytes of the (unpacked) log have been read, `mark` the hash of the line before that
 * place, which tells a log that was continued from one that was replaced. `whole` says that this was to the end;
 * until then `state` holds the facts so far, and `facts` what both ends of the file tell. `heading` is what a filter
 * looks at.
 *
 * `said`: one row for each thing that was said, and where its line is. `blob` is set where the words are in an original
 * next to the log. `words` has the same row ids and no text: the text is in the log. Positions of words are not kept
 * (`detail=none`): they would make the index three times as large, and only a phrase needs them, for which the text is
 * looked at.
 */
export const schema = `
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

// Takes sessions out of the index.

/** `ids`: rows of `session`. Throws what SQLite throws. */
export function forgetSessions(database: DatabaseSync, ids: readonly number[]): void {
  if (ids.length === 0) return;
  const list = JSON.stringify(ids);
  database.exec('BEGIN IMMEDIATE');
  try {
    forgetWords(database, list);
    database.prepare('DELETE FROM session WHERE id IN (SELECT value FROM json_each(?))').run(list);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** What these sessions said; inside a transaction. `list` is a JSON array of rows of `session`. */
export function forgetWords(database: DatabaseSync, list: string): void {
  const those = 'session IN (SELECT value FROM json_each(?))';
  database.prepare(`DELETE FROM words WHERE rowid IN (SELECT id FROM said WHERE ${those})`).run(list);
  database.prepare(`DELETE FROM said WHERE ${those}`).run(list);
}

/** Pages merged at a time: some tens of milliseconds. */
const mergePages = 200;

/**
 * Rewrites the index without the words of what was taken out, which no search finds even before. Step by step, with
 * room for others in between. Throws what SQLite throws.
 */
export async function scrubWords(database: DatabaseSync, signal: AbortSignal): Promise<void> {
  const merge = database.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)");
  const changes = database.prepare('SELECT total_changes() AS n');
  for (let pages = -mergePages; !signal.aborted; pages = mergePages) {
    const before = Number(changes.get()?.n);
    merge.run(pages);
    // Its own documentation: fewer than two changes mean that nothing was left to merge.
    if (Number(changes.get()?.n) - before < 2) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!signal.aborted) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
