/** Signals to a command and everything it started. Each command leads a process group of its own. */

/** How long a process may take to end after SIGTERM before it gets SIGKILL. */
export const TERM_GRACE_MS = 500;

/** Sends a signal to the group; false when nothing of it is left. Signal 0 only asks. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Asks the group to end and, after a grace, ends it. Resolves when nothing of it is left or SIGKILL was sent. */
export async function endGroup(leader: number): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return;
  const deadline = performance.now() + TERM_GRACE_MS;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, 'SIGKILL');
}
