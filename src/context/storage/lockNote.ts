/**
 * The note of who holds a lock. The lock holds without it; and a holder that was killed leaves one behind, so it is
 * believed only while the process that it names is alive, and is the one that wrote it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';
import type { LockHolder } from './errors.ts';

const noteSchema = z.object({
  pid: z.number(),
  host: z.string(),
  since: z.string(),
  /** When the process began, in the system's own words; tells it from a later one with the same number. */
  process: z.string().optional(),
});

type LockNote = z.infer<typeof noteSchema>;

export const noteOf = (lockFile: string): string => `${lockFile}.json`;

export function thisProcess(now: Date): LockNote {
  const began = beginningOf(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    since: now.toISOString(),
    ...(began === undefined ? {} : { process: began }),
  };
}

/** Never throws: where it cannot be written, nobody is named. */
export function writeHolder(note: string, holder: LockNote): void {
  try {
    writeFileSync(note, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    // The note is a courtesy.
  }
}

/** Undefined when there is no note, or one that is not true. */
export function readHolder(note: string): LockHolder | undefined {
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
