import { readFileSync } from 'node:fs';

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
