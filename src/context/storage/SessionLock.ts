/**
 * Ensures one writer per session. The lock is SQLite's lock on an empty database file: the operating system releases it
 * as soon as its holder exits, even after kill -9, and nothing blocks. A note next to it names the holding process.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { LockHolder } from './sessionStore.ts';
import { loadSqlite, SQLITE_BUSY, sqliteCode } from './sqlite.ts';

type LockResult =
  | {
      readonly ok: true;
      release(): void;
      /** Set if locking is impossible (a read-only folder): the session is open but not protected. */
      readonly problem?: string;
    }
  | { readonly ok: false; readonly holder: LockHolder | undefined };

/**
 * Acquires the lock or returns its holder: within milliseconds, or within `patienceMs` if no holder is known. `file` is
 * the lock file, not the session file.
 */
export async function acquireSessionLock(file: string, now: Date = new Date()): Promise<LockResult> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const taken = tryToLock(file, now);
    if (taken !== undefined) return taken;
    const holder = readHolder(noteOf(file));
    if (holder !== undefined || performance.now() > deadline) return { ok: false, holder };
    // The holder has not written its note yet, or several processes tried at the same time and none succeeded.
    await wait(1 + 4 * Math.random());
  }
}

const patienceMs = 30;

/** Undefined if another process holds the lock. */
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
      // Keep the lock file: a process that is just opening it must not get a lock on a deleted file.
      rmSync(noteOf(file), { force: true });
      held.close();
    },
  };
}

/**
 * Creates the file with mode 0600 unless it exists. Must not open and close an existing file: under POSIX rules that
 * would release a lock held by this process.
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

// The note that names the lock's holder. The lock does not depend on it. A killed holder leaves its note behind, so the
// note is used only while that process is alive and is the one that wrote it.

const noteSchema = z.object({
  pid: z.number(),
  host: z.string(),
  since: z.string(),
  /** Start time of the process as the system reports it; distinguishes it from a later process with the same pid. */
  process: z.string().optional(),
});

type LockNote = z.infer<typeof noteSchema>;

const noteOf = (lockFile: string): string => `${lockFile}.json`;

function thisProcess(now: Date): LockNote {
  const began = beginningOf(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    since: now.toISOString(),
    ...(began === undefined ? {} : { process: began }),
  };
}

/** Never throws: if the note cannot be written, the holder stays unnamed. */
function writeHolder(note: string, holder: LockNote): void {
  try {
    writeFileSync(note, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    // The note is optional.
  }
}

/** Undefined if there is no valid note. */
function readHolder(note: string): LockHolder | undefined {
  try {
    const { process: began, ...holder } = noteSchema.parse(JSON.parse(readFileSync(note, 'utf8')));
    // For another machine (a shared folder) the process cannot be checked.
    return holder.host !== hostname() || isAlive(holder.pid, began) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number, began: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = beginningOf(pid);
  return began === undefined || now === undefined || began === now;
}

/** Clock ticks between system start and process start; undefined without /proc. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name in parentheses may contain anything; field 22 is the 20th after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
