/** Signals to a command and everything it started. Each command leads a process group of its own. */
import { readdirSync, readFileSync } from 'node:fs';

/** How long a process may take to end after SIGTERM before it gets SIGKILL. */
const TERM_GRACE_MS = 500;
const POLL_MS = 25;

/** Whether anything of the group still runs. */
export function groupAlive(leader: number): boolean {
  return signalGroup(leader, 0) && (process.platform !== 'linux' || hasLivingMember(leader));
}

/**
 * Asks the group to end and, after a grace, ends it. Resolves when nothing of it is left or SIGKILL was sent. Of a
 * sandbox only what runs in it is asked: with its own two processes everything in it would be killed at once.
 */
export async function endGroup(leader: number, isSandbox = false): Promise<void> {
  if (isSandbox) signalInside(leader, 'SIGTERM');
  else if (!signalGroup(leader, 'SIGTERM')) return;
  const deadline = performance.now() + TERM_GRACE_MS;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!groupAlive(leader)) return;
  }
  signalGroup(leader, 'SIGKILL');
}

/** Signal 0 only asks. False when nothing of the group is left, not even zombies. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** The group without its leader, bubblewrap, and the leader's child, which is the first process in the sandbox. */
function signalInside(leader: number, signal: NodeJS.Signals): void {
  for (const name of processNames()) {
    const [, parent, group] = fieldsAfterName(`/proc/${name}/stat`);
    if (Number(group) !== leader || Number(name) === leader || Number(parent) === leader) continue;
    try {
      process.kill(Number(name), signal);
    } catch {
      // It ended while we looked.
    }
  }
}

/** In a container whose first process reaps late or never, the dead still answer to signals: ask /proc. */
function hasLivingMember(leader: number): boolean {
  for (const name of processNames()) {
    const [state, , group] = fieldsAfterName(`/proc/${name}/stat`);
    if (Number(group) === leader && state !== 'Z' && state !== 'X') return true;
  }
  return false;
}

const processNames = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/** State, parent, group and so on; the program's name before them may hold spaces and brackets. */
function fieldsAfterName(path: string): string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It ended while we looked.
    return [];
  }
}
