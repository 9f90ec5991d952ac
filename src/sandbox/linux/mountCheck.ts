/**
 * Compares the mounts of a sandbox with its plan before the command in it begins. bubblewrap takes paths and follows links,
 * so what another process exchanges in the workspace while it works (another session, another agent) could open or
 * leave open something else. The kernel's table of mounts says what there really is, whatever paths lead to by then.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lstatOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/realPath.ts';
import type { LaunchPipe } from '../../protocol/sandbox.ts';
import type { SandboxPlan } from '../plan.ts';
import { plannedMounts } from './bubblewrap.ts';
import { type Mount, mountLookup, pathInFileSystem, readMounts } from './mounts.ts';

/** bubblewrap needs about 10 ms; a machine that is this slow runs nothing else either. */
const BUILD_TIMEOUT_MS = 60_000;
const POLL_MS = 1;
/** bubblewrap reads twice. */
const GO = 'go';

/** What the table of mounts in the sandbox has to show at a path. */
interface ExpectedMount {
  readonly path: string;
  /** Absent = an empty folder. */
  readonly from?: { readonly device: string; readonly path: string };
  readonly isReadOnly: boolean;
}

/** The mounts of this machine as this process sees them; empty where it has no such table. */
export function mountsNow(): readonly Mount[] {
  try {
    return mountsOf('self');
  } catch {
    // Only Linux has it.
    return [];
  }
}

const mountsOf = (process: number | 'self'): readonly Mount[] =>
  readMounts(readFileSync(`/proc/${process}/mountinfo`, 'utf8'));

/**
 * What the sandbox of a plan has to show, of this machine as it is; of several mounts at one path the last. `real` resolves
 * a path that no command can exchange, as that of a linked file of the home.
 */
export function expectedMounts(
  plan: SandboxPlan,
  machine: readonly Mount[],
  real: (path: string) => string,
): readonly ExpectedMount[] {
  const mountAt = mountLookup(machine);
  const emptied = new Set(plan.hidden.filter(({ isDirectory }) => isDirectory).map(({ path }) => path));
  const writable = [...plan.writable, ...plan.temporary.map(({ shared }) => shared)];
  const expected = plannedMounts(plan).map(({ path, source, isWritable }): ExpectedMount => {
    const isReadOnly = !isWritable || emptied.has(path);
    if (source === undefined) return { path, isReadOnly };
    const from = writable.some((folder) => isInside(source, folder)) ? source : real(source);
    const mount = mountAt(from);
    // Without a table of its own nothing agrees.
    return {
      path,
      isReadOnly,
      from: { device: mount?.device ?? '', path: mount ? pathInFileSystem(from, mount) : '' },
    };
  });
  return [...new Map(expected.map((mount) => [mount.path, mount])).values()];
}

/** The first path at which a table shows something else than expected. Pure. */
export function unexpectedMount(
  expected: readonly ExpectedMount[],
  mounts: readonly Mount[],
): string | undefined {
  const mountAt = mountLookup(mounts);
  return expected.find(({ path, from, isReadOnly }) => {
    const found = mountAt(path);
    if (found?.point !== path || (isReadOnly && !found.isReadOnly)) return true;
    if (from === undefined) return found.type !== 'tmpfs' || found.root !== '/';
    return found.device !== from.device || found.root !== from.path;
  })?.path;
}

/**
 * Lets a sandbox go that waits with its mounts complete. Resolves with why it was ended instead, for the user. `landmark`:
 * a path of the plan that is mounted in no other. `group`: the number of the process group of bubblewrap.
 */
export async function admit(
  expected: readonly ExpectedMount[],
  landmark: string,
  group: number,
  [info, block]: readonly LaunchPipe[],
): Promise<string | undefined> {
  if (info === undefined || block === undefined) return undefined;
  // It is gone before it reads, and has said why.
  block.on('error', () => undefined);
  const pid = await processIn(info);
  if (pid === undefined) return undefined;
  try {
    for (const deadline = Date.now() + BUILD_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
      // Until it is the root of the process and nothing lies on it, the new tree has other paths.
      if (mountLookup(mountsOf(pid))(landmark)?.point !== landmark) continue;
      // Read again: the kernel hands a table over in pieces, and the first may have been an earlier one's.
      const path = unexpectedMount(expected, mountsOf(pid));
      if (path !== undefined) return end(group, `${path} was exchanged meanwhile by another program`);
      block.end(GO);
      return undefined;
    }
    return end(group, 'it took too long');
  } catch (error) {
    // A process that has ended has no mounts; bubblewrap has said why.
    const { code = '' } = error as NodeJS.ErrnoException;
    return /^(?:EACCES|EPERM)$/.test(code) ? end(group, 'its mounts cannot be read') : undefined;
  }
}

function end(group: number, why: string): string {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It is gone.
  }
  return `the sandbox was not built as planned, so nothing was run: ${why}. Try it again`;
}

/** The number of the process in the sandbox, which bubblewrap writes as JSON; undefined where it ended before. */
function processIn(info: LaunchPipe): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = '';
    info.on('data', (chunk) => {
      text += String(chunk);
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    for (const event of ['close', 'error', 'end'] as const) info.on(event, () => resolve(undefined));
  });
}

/** Kinds of file systems on disks and in memory: what can be written there stays, and looking at it never hangs. */
const local =
  /^(?:ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|jfs|reiserfs|vfat|exfat|ntfs3?|tmpfs|ramfs|overlay|fuse-overlayfs)$/;

/** Of this machine's mounts those with files that this user might write, the outer ones first. */
export function writableMounts(machine: readonly Mount[]): readonly string[] {
  const mountAt = mountLookup(machine);
  return machine.flatMap(({ id, point, type, isReadOnly }) => {
    // Not one that another covers, or that this user cannot reach.
    const isReached = mountAt(point)?.id === id && (point === '/' || local.test(type));
    return !isReadOnly && isReached && lstatOf(point) !== undefined ? [point] : [];
  });
}
