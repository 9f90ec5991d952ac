/**
 * Locks between processes. A lock is SQLite's lock on an empty database file: the operating system releases it as soon as
 * its holder exits, even after kill -9, and nothing blocks.
 */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite, SQLITE_BUSY, sqliteCode } from './sqlite.ts';

type FileLock =
  | { readonly type: 'taken'; release(): void }
  | { readonly type: 'busy' }
  /** Such as in a read-only folder. */
  | { readonly type: 'impossible'; readonly reason: string };

/** `file` is the lock file, not the file that it protects. */
export function tryFileLock(file: string): FileLock {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createPrivately(file);
    assertEmptyFile(file);
    const { DatabaseSync } = loadSqlite();
    database = new DatabaseSync(file);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (sqliteCode(error) === SQLITE_BUSY) return { type: 'busy' };
    return { type: 'impossible', reason: error instanceof Error ? error.message : String(error) };
  }
  const held = database;
  return {
    type: 'taken',
    // Keep the lock file: a process that is just opening it must not get a lock on a deleted file.
    release: () => {
      if (held.isOpen) held.close();
    },
  };
}

/** Anything but an empty file was put there by another program: SQLite would act on its contents and its journal. */
function assertEmptyFile(file: string): void {
  const info = lstatSync(file);
  if (!info.isFile() || info.size > 0) throw new Error(`${file} is not an empty file; remove it`);
}

/**
 * Creates the file with mode 0600 unless it exists. Must not open and close an existing file: under POSIX rules that
 * would release a lock held by this process.
 */
export function createPrivately(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
