/**
 * The index's file. Everything in it is derived from the logs: whatever is wrong with it, it is made anew, and where
 * that is impossible it is kept in memory.
 */
import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite, SQLITE_BUSY, SQLITE_LOCKED, sqliteCode } from '../sqlite.ts';
import { schema, schemaVersion } from './schema.ts';

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
    // Another time: whoever writes makes it anew.
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

/** True for an error that passes by itself: another process is writing. */
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
