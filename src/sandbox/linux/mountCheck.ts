/**
 * Compares the mounts of a sandbox with its plan before the command in it starts. bubblewrap resolves paths and follows
 * links, so another process (another session, another agent) that replaces something in the workspace in the meantime
 * could make it expose the wrong files. The kernel's mount table shows what is really mounted, wherever the paths lead
 * by then.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lstatOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import { signalGroup } from '../../disk/signalGroup.ts';
import type { LaunchPipe } from '../../protocol/sandbox.ts';
import type { SandboxPlan } from '../plan.ts';
import { plannedMounts } from './bubblewrap.ts';

/** bubblewrap needs about 10 ms; a machine this slow runs nothing else either. */
const BUILD_TIMEOUT_MS = 60_000;
const POLL_MS = 1;
/** Two bytes, since bubblewrap reads twice. */
const GO = 'go';

/** An entry that the mount table in the sandbox must contain. */
export interface ExpectedMount {
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

const mountsOf = (process: number | 'self'): readonly Mount[] => readMounts(mountTableOf(process));

/** The mount table that a process sees; throws if the process has exited. */
export const mountTableOf = (process: number | 'self'): string =>
  readFileSync(`/proc/${process}/mountinfo`, 'utf8');

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
  const expected = plannedMounts(plan).map(({ path, source, isWritable, endsReadOnly }): ExpectedMount => {
    const isReadOnly = !isWritable || endsReadOnly === true || emptied.has(path);
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
export const unexpectedMount = (
  expected: readonly ExpectedMount[],
  mounts: readonly Mount[],
): string | undefined => unexpectedMounts(expected, mounts)[0]?.path;

/** Everything that is missing from a mount table or differs from what is expected. Pure. */
export function unexpectedMounts(
  expected: readonly ExpectedMount[],
  mounts: readonly Mount[],
): readonly ExpectedMount[] {
  const mountAt = mountLookup(mounts);
  return expected.filter(({ path, from, isReadOnly }) => {
    const found = mountAt(path);
    if (found?.point !== path || (isReadOnly && !found.isReadOnly)) return true;
    if (from === undefined) return found.type !== 'tmpfs' || found.root !== '/';
    return found.device !== from.device || found.root !== from.path;
  });
}

/**
 * Starts the command of a waiting sandbox once its mounts are complete. Resolves with the reason, for the user, if it
 * was killed instead. `landmark`: a path that only this plan mounts. `group`: the process group of bubblewrap.
 * `onStart` gets a process in the sandbox.
 */
export async function admit(
  expected: readonly ExpectedMount[],
  landmark: string,
  group: number,
  [info, block]: readonly LaunchPipe[],
  onStart: (pid: number) => void,
): Promise<string | undefined> {
  if (info === undefined || block === undefined) return undefined;
  // bubblewrap exited before reading, and has reported why.
  block.on('error', () => undefined);
  const pid = await processIn(info);
  if (pid === undefined) return undefined;
  const mark = ` ${escaped(landmark)} `;
  try {
    for (const deadline = Date.now() + BUILD_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) {
      // Until the new tree is the root of the process, its paths are different. A quick test first: parsing takes longer.
      const table = mountTableOf(pid);
      if (!table.includes(mark) || mountLookup(readMounts(table))(landmark)?.point !== landmark) continue;
      // Read again: the kernel returns a table in pieces, and the first may be from an earlier state.
      const path = unexpectedMount(expected, mountsOf(pid));
      if (path !== undefined) return end(group, `another program replaced ${path} in the meantime`);
      block.end(GO);
      onStart(pid);
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
  signalGroup(group, 'SIGKILL');
  return `the sandbox was not built as planned, so nothing was run: ${why}. Try again`;
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

/** Parses a mount table in the format of `/proc/self/mountinfo`. Source: proc_pid_mountinfo(5). Pure. */

export interface Mount {
  readonly id: string;
  /** Id of the mount on which this one is mounted. */
  readonly parent: string;
  /** Device of the file system, as major:minor. */
  readonly device: string;
  /** The folder of the file system that is mounted here. */
  readonly root: string;
  readonly point: string;
  readonly isReadOnly: boolean;
  /** Options of this mount: `nosuid`, `relatime`, … */
  readonly options: readonly string[];
  /** Type of the file system: `ext4`, `tmpfs`, … */
  readonly type: string;
}

/** The mounts in order: a later one covers an earlier one at the same path. */
export function readMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [fields = '', source = ''] = line.split(' - ');
    const [id, parent, device, root, point, options] = fields.split(' ').map(unescaped);
    if (id === undefined || parent === undefined || device === undefined) return [];
    if (root === undefined || point === undefined) return [];
    const own = options?.split(',') ?? [];
    const isReadOnly = own.includes('ro');
    return [{ id, parent, device, root, point, isReadOnly, options: own, type: source.split(' ')[0] ?? '' }];
  });
}

/**
 * Returns a function that finds the mount of an absolute path without links, in the way the kernel does: from the root,
 * through every mount on the way. It returns undefined for a table without a root.
 */
export function mountLookup(mounts: readonly Mount[]): (path: string) => Mount | undefined {
  const ids = new Set(mounts.map(({ id }) => id));
  const onTop = new Map<string, Mount[]>();
  for (const mount of mounts) {
    const own = onTop.get(mount.parent);
    if (own === undefined) onTop.set(mount.parent, [mount]);
    else own.push(mount);
  }
  const root = mounts.findLast(
    ({ id, parent, point }) => point === '/' && (parent === id || !ids.has(parent)),
  );
  return (path) => {
    let at = root;
    while (at !== undefined) {
      const { id } = at;
      const [next] = (onTop.get(id) ?? [])
        .filter((mount) => mount.id !== id && below(path, mount.point) !== undefined)
        // The mount closest to the root comes first; of several at one path the last is on top.
        .reverse()
        .sort((a, b) => a.point.length - b.point.length);
      if (next === undefined) break;
      at = next;
    }
    return at;
  };
}

/** The path inside a mount's file system for an absolute path in that mount. */
const pathInFileSystem = (path: string, { root, point }: Mount): string =>
  joined(root, below(path, point) ?? '');

/**
 * Other paths to the same file as an absolute, resolved path: a folder may be mounted in several places, as Fedora's
 * immutable editions mount the homes in `/var` and `/sysroot`. Another mount may cover such a path.
 */
export function otherPaths(path: string, mounts: readonly Mount[]): readonly string[] {
  const first = mountLookup(mounts)(path);
  if (first === undefined) return [];
  const inside = pathInFileSystem(path, first);
  const others = mounts.flatMap(({ device, root, point }) => {
    const rest = device === first.device ? below(inside, root) : undefined;
    return rest === undefined ? [] : [joined(point, rest)];
  });
  return [...new Set(others)].filter((other) => other !== path);
}

/** The part of a path after a folder, with its slash; undefined if it is outside of it. */
function below(path: string, folder: string): string | undefined {
  if (folder === '/') return path === '/' ? '' : path;
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

const joined = (folder: string, rest: string): string => (folder === '/' ? rest || '/' : folder + rest);

/** Spaces, line feeds and backslashes are written as three octal digits. */
const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);

const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
