import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** True if a process is running; false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/**
 * Kills the processes whose working directory is in this folder: commands can outlive a killed program. Does nothing
 * except on Linux.
 */
export function endProcessesBelow(folder: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    try {
      if (`${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) process.kill(pid, 'SIGKILL');
    } catch {
      // The process has exited, or belongs to another user.
    }
  }
}

/** Processes whose command line contains this word: inside a sandbox, a process has a different id. */
export function processesWith(word: string): readonly number[] {
  if (process.platform !== 'linux') {
    const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
    return listed.filter((line) => line.split(/\s+/).includes(word)).map((line) => Number.parseInt(line, 10));
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && wordsOf(pid).includes(word) && isAlive(pid));
}

function wordsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // The process has exited.
    return [];
  }
}

/**
 * True if the process or one of its descendants is running or runnable right now, in any thread; undefined except on
 * Linux.
 */
export function isBusy(pid: number): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.some((thread) => {
      const folder = `/proc/${pid}/task/${thread}`;
      const stat = readFileSync(`${folder}/stat`, 'utf8');
      if (/^[RD]/.test(stat.slice(stat.lastIndexOf(')') + 2))) return true;
      return childrenOf(folder).some((child) => isBusy(child) === true);
    });
  } catch {
    // The process has exited.
    return false;
  }
}

function childrenOf(task: string): readonly number[] {
  try {
    return readFileSync(`${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // Not every kernel provides this list.
    return [];
  }
}
