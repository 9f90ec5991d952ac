/**
 * One writer per session. The lock is SQLite's own on an empty database file: the system frees it the
 * moment its holder is gone, kill -9 included, and no process waits. A note next to it says which process holds it.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { LockHolder } from './errors.ts';
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
 * Takes the lock or says at once who has it: within some milliseconds, or, if no holder is known, within
 * `patienceMs`. `file` is the lock's own, not the session's.
 */
export async function acquireSessionLock(file: string, now: Date = new Date()): Promise<LockResult> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const taken = tryToLock(file, now);
    if (taken !== undefined) return taken;
    const holder = readHolder(noteOf(file));
    if (holder !== undefined || performance.now() > deadline) return { ok: false, holder };
    // The holder has not written its note yet, or several asked at the same moment and none got it.
    await wait(1 + 4 * Math.random());
  }
}

const patienceMs = 30;

/** Undefined if another process has it. */
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
      // The lock file stays: a process that is opening it now must not end up with a lock on a deleted file.
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

// The note of who holds a lock. The lock holds without it; and a holder that was killed leaves one behind, so it is
// believed only while the process that it names is alive, and is the one that wrote it.

const noteSchema = z.object({
  pid: z.number(),
  host: z.string(),
  since: z.string(),
  /** When the process began, in the system's own words; tells it from a later one with the same number. */
  process: z.string().optional(),
});

type LockNote = z.infer<typeof noteSchema>;

export const noteOf = (lockFile: string): string => `${lockFile}.json`;

function thisProcess(now: Date): LockNote {
  const began = beginningOf(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    since: now.toISOString(),
    ...(began === undefined ? {} : { process: began }),
  };
}

/** Never throws: if it cannot be written, no holder is named. */
function writeHolder(note: string, holder: LockNote): void {
  try {
    writeFileSync(note, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    // The note is a courtesy.
  }
}

/** Undefined when there is no note, or one that is not true. */
function readHolder(note: string): LockHolder | undefined {
  try {
    const { process: began, ...holder } = noteSchema.parse(JSON.parse(readFileSync(note, 'utf8')));
    // Of another machine, on a shared folder, nothing can be known.
    return holder.host !== hostname() || isAlive(holder.pid, began) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number, began: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is alive too.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = beginningOf(pid);
  return began === undefined || now === undefined || began === now;
}

/** Clock ticks between the start of the system and that of the process; undefined where there is no /proc. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything; the 22nd field is the 20th behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
