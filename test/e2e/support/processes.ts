import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether a process still runs; one that has ended and only waits to be reaped does not. */
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

/** Ends what runs in this folder or below it: commands outlive a program that was killed. Elsewhere than on Linux nothing. */
export function endProcessesBelow(folder: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    try {
      if (`${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or is not ours.
    }
  }
}
