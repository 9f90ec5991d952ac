/**
 * Compares the mounts of a sandbox with its plan before the command in it starts. bubblewrap resolves paths and follows
 * links, so another process (another session, another agent) that replaces something in the workspace meanwhile could
 * make it expose, or leave exposed, something else. The kernel's mount table shows what is really mounted, wherever the
 * paths lead by then.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lstatOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import type { LaunchPipe } from '../../protocol/sandbox.ts';
import type { SandboxPlan } from '../plan.ts';
import { plannedMounts } from './bubblewrap.ts';
import { type Mount, mountLookup, pathInFileSystem, readMounts } from './mounts.ts';

/** bubblewrap needs about 10 ms; a machine this slow runs nothing else either. */
const BUILD_TIMEOUT_MS = 60_000;
const POLL_MS = 1;
/** Two bytes, since bubblewrap reads twice. */
const GO = 'go';

/** An entry that the mount table in the sandbox must contain. */
interface ExpectedMount {
  readonly path: string;
  /** Absent = an empty folder. */
  readonly from?: { readonly device: string; readonly path: string };
  readonly isReadOnly: boolean;
}

/** The mounts of this machine as this process sees them; empty if there is no mount table. */
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
 * The mounts that the sandbox of a plan must show on this machine; the last one if several share a path. `real`
 * resolves a path that no command can replace, such as that of a linked file in the home.
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
    // A source without a mount matches nothing.
    return {
      path,
      isReadOnly,
      from: { device: mount?.device ?? '', path: mount ? pathInFileSystem(from, mount) : '' },
    };
  });
  return [...new Map(expected.map((mount) => [mount.path, mount])).values()];
}

/** The first path at which a mount table differs from what is expected. Pure. */
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
 * Starts the command of a waiting sandbox once its mounts are complete. Resolves with the reason, for the user, if it
 * was killed instead. `landmark`: a path that only this plan mounts. `group`: the process group of bubblewrap.
 */
export async function admit(
  expected: readonly ExpectedMount[],
  landmark: string,
  group: number,
  [info, block]: readonly LaunchPipe[],
): Promise<string | undefined> {
  if (info === undefined || block === undefined) return undefined;
  // bubblewrap exited before reading, and has reported why.
  block.on('error', () => undefined);
  const pid = await processIn(info);
  if (pid === undefined) return undefined;
  try {
    for (const deadline = Date.now() + BUILD_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
      // Until the new tree is the root of the process, its paths are different.
      if (mountLookup(mountsOf(pid))(landmark)?.point !== landmark) continue;
      // Read again: the kernel returns a table in pieces, and the first may be from an earlier state.
      const path = unexpectedMount(expected, mountsOf(pid));
      if (path !== undefined) return end(group, `${path} was replaced meanwhile by another program`);
      block.end(GO);
      return undefined;
    }
    return end(group, 'it took too long');
  } catch (error) {
    // A process that has exited has no mounts; bubblewrap has reported why.
    const { code = '' } = error as NodeJS.ErrnoException;
    return /^(?:EACCES|EPERM)$/.test(code) ? end(group, 'its mounts cannot be read') : undefined;
  }
}

function end(group: number, why: string): string {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has exited.
  }
  return `the sandbox was not built as planned, so nothing was run: ${why}. Try it again`;
}

/** The pid in the sandbox, which bubblewrap reports as JSON; undefined if it exited before. */
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

/** File systems on disks and in memory: written data persists, and accessing them never hangs. */
const local =
  /^(?:ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|jfs|reiserfs|vfat|exfat|ntfs3?|tmpfs|ramfs|overlay|fuse-overlayfs)$/;

/** The mounts of this machine with files that this user could write, outer ones first. */
export function writableMounts(machine: readonly Mount[]): readonly string[] {
  const mountAt = mountLookup(machine);
  return machine.flatMap(({ id, point, type, isReadOnly }) => {
    // Without mounts that are covered by another or that this user cannot reach.
    const isReached = mountAt(point)?.id === id && (point === '/' || local.test(type));
    return !isReadOnly && isReached && lstatOf(point) !== undefined ? [point] : [];
  });
}
