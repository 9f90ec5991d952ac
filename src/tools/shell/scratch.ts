/**
 * The folder that a running command has for its own: its pipe, its script, where it ended. A process that is killed
 * cannot remove it, so the next one that runs a command does.
 */
import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** How old a folder of a dead process has to be: its number may be that of a process that this one cannot see. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

let hasLooked = false;

/** Holds the folders of all running commands of this user, so that a sandbox can hide the others' at one place. */
export const SCRATCH_NAME = `clawdcode-${process.getuid?.() ?? 'commands'}`;

/**
 * A new folder below `temporary`, named after this process. Rejects with a system error where there is none to be had.
 * The first time, what killed processes left there is removed beside it.
 */
export async function makeScratch(temporary: string): Promise<string> {
  const parent = await ownFolder(join(temporary, SCRATCH_NAME)).catch(() => temporary);
  if (!hasLooked) void Promise.all([...new Set([temporary, parent])].map(removeLeft));
  hasLooked = true;
  return mkdtemp(join(parent, `clawdcode-${process.pid}-`));
}

/** Anybody may make folders in the temporary one: rejects where this one is not the user's own, or open to others. */
async function ownFolder(folder: string): Promise<string> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder);
  const isOwn = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOwn) throw new Error(`${folder} is not a folder of this user alone`);
  return folder;
}

/** What processes of the same user that are gone have left an hour ago or more. Never rejects. */
async function removeLeft(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const owner = /^clawdcode-(\d+)-\w{6}$/.exec(name)?.[1];
    if (owner === undefined || isRunning(Number(owner))) continue;
    const folder = join(parent, name);
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    if (Date.now() - found.mtimeMs < LEFT_BEHIND_MS) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
