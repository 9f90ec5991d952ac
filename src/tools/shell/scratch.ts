/**
 * The folder that a running command has for its own: its pipe, its script, where it ended. A process that is killed
 * cannot remove it, so the next one that runs a command does.
 */
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** How old a folder of a dead process has to be: its number may be that of a process that this one cannot see. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

let hasLooked = false;

/**
 * A new folder below `parent`, named after this process. Rejects with a system error where there is none to be had.
 * The first time, what killed processes left there is removed beside it.
 */
export async function makeScratch(parent: string): Promise<string> {
  if (!hasLooked) void removeLeft(parent);
  hasLooked = true;
  return mkdtemp(join(parent, `clawdcode-${process.pid}-`));
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
