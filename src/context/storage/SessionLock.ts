/** Ensures one writer per session, by a file lock. A note next to it names the holding process. */
import { closeSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { tryFileLock } from '../../disk/fileLock.ts';
import type { LockHolder } from './sessionStore.ts';
import { assertRealFolders, hasRealFolders, openStoredNow, StoredLinkError } from './storedFiles.ts';

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
 * the lock file, not the session file. Throws a `StoredLinkError` if it or its folder is a link.
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

/** The folder of the session: locks are in a folder of it. */
const folderOf = (file: string): string => dirname(dirname(file));

/** Undefined if another process holds the lock. */
function tryToLock(file: string, now: Date): LockResult | undefined {
  assertNoLink(file);
  const lock = tryFileLock(file);
  if (lock.type === 'busy') return undefined;
  if (lock.type === 'impossible')
    return {
      ok: true,
      release: () => {},
      problem: `The session could not be locked (${lock.reason}): do not open it in a second clawdcode.`,
    };
  writeHolder(noteOf(file), thisProcess(now));
  let isHeld = true;
  return {
    ok: true,
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      removeHolder(noteOf(file));
      lock.release();
    },
  };
}

function assertNoLink(file: string): void {
  let info: ReturnType<typeof lstatSync> | undefined;
  try {
    assertRealFolders(folderOf(file), dirname(file));
    info = lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // The lock reports what else is wrong.
    if (error instanceof StoredLinkError) throw error;
  }
  if (info?.isSymbolicLink() === true) throw new StoredLinkError(file);
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

/** Never throws: if the note cannot be written, the holder stays unnamed. Only the lock's holder writes it. */
function writeHolder(note: string, holder: LockNote): void {
  const unfinished = `${note}.new`;
  try {
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, `${JSON.stringify(holder)}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(unfinished, note);
  } catch {
    // The note is optional.
  }
}

function removeHolder(note: string): void {
  if (hasRealFolders(folderOf(note), dirname(note))) rmSync(note, { force: true });
}

/** Undefined if there is no valid note. */
function readHolder(note: string): LockHolder | undefined {
  try {
    const { process: began, ...holder } = noteSchema.parse(JSON.parse(readNote(note)));
    // For another machine (a shared folder) the process cannot be checked.
    return holder.host !== hostname() || isAlive(holder.pid, began) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function readNote(note: string): string {
  const descriptor = openStoredNow(note, folderOf(note));
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
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
