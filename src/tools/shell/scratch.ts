/**
 * The private folder of a running command: its pipe, script and final directory. A killed process cannot remove it, so
 * the next process that runs a command does.
 */
import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../../disk/isRunning.ts';

/**
 * Minimum age of a dead process's folder before it is removed: its pid may belong to a process that this one cannot
 * see.
 */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

let hasCleanedUp = false;

/**
 * Contains the scratch folders of all running commands of this user, so that a sandbox can hide the others in one
 * place.
 */
export const SCRATCH_NAME = `clawdcode-${process.getuid?.() ?? 'commands'}`;

/**
 * Creates a folder in `temporary`, named after this process. Rejects with a system error if that fails. On the first
 * call, also removes folders that killed processes left there, in the background.
 */
export async function makeScratch(temporary: string): Promise<string> {
  const parent = await ownFolder(join(temporary, SCRATCH_NAME)).catch(() => temporary);
  if (!hasCleanedUp) void Promise.all([...new Set([temporary, parent])].map(removeLeftovers));
  hasCleanedUp = true;
  return mkdtemp(join(parent, `clawdcode-${process.pid}-`));
}

/**
 * Creates the parent folder. Anyone may create folders in the temporary directory, so this rejects if the folder
 * belongs to another user or is accessible to others.
 */
async function ownFolder(folder: string): Promise<string> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder);
  const isOwn = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOwn) throw new Error(`${folder} is not private to this user`);
  return folder;
}

/** Removes folders of this user's dead processes that are at least an hour old. Never rejects. */
async function removeLeftovers(parent: string): Promise<void> {
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
