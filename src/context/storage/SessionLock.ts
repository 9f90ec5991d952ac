/**
 * One writer per session. The lock is SQLite's own on an empty database file: the system frees it the
 * moment its holder is gone, kill -9 included, and nobody waits. Beside it lies a note of who holds it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { LockHolder } from './errors.ts';

export type LockResult =
  | {
      readonly ok: true;
      release(): void;
      /** Set where locking is impossible (a read-only folder): the session is open, but unguarded. */
      readonly problem?: string;
    }
  | { readonly ok: false; readonly holder: LockHolder | undefined };

/** Takes the lock or says at once who has it. `file` is the lock's own, not the session's. */
export async function acquireSessionLock(file: string, now: Date = new Date()): Promise<LockResult> {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createPrivately(file);
    const { DatabaseSync } = loadSqlite();
    database = new DatabaseSync(file);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (isBusy(error)) return { ok: false, holder: readHolder(noteOf(file)) };
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ok: true,
      release: () => {},
      problem: `The session could not be locked (${reason}): do not open it in a second clawdcode.`,
    };
  }
  const held = database;
  writeHolder(noteOf(file), { pid: process.pid, host: hostname(), since: now.toISOString() });
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

/**
 * Loads `node:sqlite`, which older releases announce as experimental on standard error. The warning is
 * emitted while loading, synchronously; only for that moment is it kept back.
 */
function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const noteOf = (lockFile: string): string => `${lockFile}.json`;
const holderSchema = z.object({ pid: z.number(), host: z.string(), since: z.string() });

function writeHolder(note: string, holder: LockHolder): void {
  try {
    writeFileSync(note, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    // The note is a courtesy; the lock holds without it.
  }
}

function readHolder(note: string): LockHolder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(note, 'utf8')));
  } catch {
    return undefined;
  }
}
