/** Sends a signal to a process group. `leader`: its first process. 0 only checks. False if the group is gone. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return leader !== undefined && process.kill(-leader, signal);
  } catch {
    return false;
  }
}
