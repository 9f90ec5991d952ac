/** Sends signals to a command and everything it started. Each command leads its own process group. */
import { readdirSync, readFileSync } from 'node:fs';

/** Time after SIGTERM before a process gets SIGKILL. */
const TERM_GRACE_MS = 500;
const POLL_MS = 25;

/** True if any process of the group still runs. */
export function groupAlive(leader: number): boolean {
  return signalGroup(leader, 0) && (process.platform !== 'linux' || hasLivingMember(leader));
}

/**
 * Sends SIGTERM to the group and, after a grace period, SIGKILL. Resolves when the group is gone or SIGKILL was sent.
 * In a sandbox SIGTERM goes only to the processes inside it: signalling bubblewrap's own two processes would kill
 * everything at once.
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

/** Signal 0 only checks. False if the group is gone, zombies included. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Signals the group without its leader, bubblewrap, and the leader's child, the first process in the sandbox. */
function signalInside(leader: number, signal: NodeJS.Signals): void {
  for (const name of processNames()) {
    const [, parent, group] = fieldsAfterName(`/proc/${name}/stat`);
    if (Number(group) !== leader || Number(name) === leader || Number(parent) === leader) continue;
    try {
      process.kill(Number(name), signal);
    } catch {
      // It exited in the meantime.
    }
  }
}

/** In a container whose init process reaps late or never, zombies still accept signals, so this checks /proc. */
function hasLivingMember(leader: number): boolean {
  for (const name of processNames()) {
    const [state, , group] = fieldsAfterName(`/proc/${name}/stat`);
    if (Number(group) === leader && state !== 'Z' && state !== 'X') return true;
  }
  return false;
}

const processNames = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/** State, parent, group and so on; the program's name before them may contain spaces and parentheses. */
function fieldsAfterName(path: string): string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It exited in the meantime.
    return [];
  }
}
