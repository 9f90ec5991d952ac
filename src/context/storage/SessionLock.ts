/**
 * One writer per session. The lock is SQLite's own on an empty database file: the system frees it the
 * moment its holder is gone, kill -9 included, and nobody waits. Beside it lies a note of who holds it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { LockHolder } from './errors.ts';
import { noteOf, readHolder, thisProcess, writeHolder } from './lockNote.ts';
import { loadSqlite, SQLITE_BUSY, sqliteCode } from './sqlite.ts';

export type LockResult =
  | {
      readonly ok: true;
      release(): void;
      /** Set where locking is impossible (a read-only folder): the session is open, but unguarded. */
      readonly problem?: string;
    }
  | { readonly ok: false; readonly holder: LockHolder | undefined };

/**
 * Takes the lock or says at once who has it: within some milliseconds, or, where nobody can be named, within
 * `patienceMs`. `file` is the lock's own, not the session's.
 */
export async function acquireSessionLock(file: string, now: Date = new Date()): Promise<LockResult> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const taken = tryToLock(file, now);
    if (taken !== undefined) return taken;
    const holder = readHolder(noteOf(file));
    if (holder !== undefined || performance.now() > deadline) return { ok: false, holder };
    // Whoever holds it has not said so yet, or several asked in the same moment and nobody got it.
    await wait(1 + 4 * Math.random());
  }
}

const patienceMs = 30;

/** Undefined when somebody else has it. */
function tryToLock(file: string, now: Date): LockResult | undefined {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createPrivately(file);
    const { DatabaseSync } = loadSqlite();
    database = new DatabaseSync(file);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (sqliteCode(error) === SQLITE_BUSY) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ok: true,
      release: () => {},
      problem: `The session could not be locked (${reason}): do not open it in a second clawdcode.`,
    };
  }
  const held = database;
  writeHolder(noteOf(file), thisProcess(now));
  return {
    ok: true,
    release: () => {
      if (!held.isOpen) return;
      // The lock file stays: whoever is opening it now must not end up with a lock on a deleted file.
      rmSync(noteOf(file), { force: true });
      held.close();
    },
  };
}

/**
 * Creates the file 0600 unless it exists. It must never be opened and closed here when it does: by the
 * rules of POSIX locks that would drop a lock that this very process holds.
 */
function createPrivately(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
