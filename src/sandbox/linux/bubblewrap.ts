/** A plan in the words of bubblewrap (`man bwrap`): mounts are laid over each other in the order of the arguments. Pure. */
import { join } from 'node:path';
import { depthOf, isInside } from '../../disk/realPath.ts';
import type { PlannedTemporary, SandboxPlan } from '../plan.ts';

/**
 * Of /proc, what changes the whole machine. The files belong to root, so a sandbox that root starts could write them even
 * without capabilities: bubblewrap covers only folders that say they are writable, and `/proc/sys` does not.
 */
const kernelSettings = ['/proc/sys', '/proc/fs', '/proc/acpi', '/proc/scsi', '/proc/driver', '/proc/mtrr'];

/** One mount of a plan. Absolute paths without links. */
export interface PlannedMount {
  readonly path: string;
  /** What is seen there; absent = an empty folder. */
  readonly source?: string;
  readonly isWritable: boolean;
  /** Where the source may be gone by now. */
  readonly isOptional?: boolean;
}

export interface BubblewrapOptions {
  /** Number of the descriptor that holds the seccomp filter. */
  readonly filter?: number | undefined;
  /** Number of the descriptor that the process in the sandbox is told on, and of the one that it then waits for. */
  readonly gate?: { readonly info: number; readonly block: number };
  /** Mounts of this machine that are made read-only before anything is mounted inside writable folders; see `sealed`. */
  readonly sealed?: readonly string[];
}

/** Arguments before the program. */
export function bubblewrapArguments(
  plan: SandboxPlan,
  { filter, gate, sealed = [] }: BubblewrapOptions = {},
): readonly string[] {
  return [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-cgroup-try',
    ...(plan.network === 'none' ? ['--unshare-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    // Before the rest, also where it may be written: it shows the machine's own devices and processes.
    ...(plan.writable.includes('/')
      ? ['--bind', '/', '/', '--ro-bind-try', '/sys', '/sys']
      : ['--ro-bind', '/', '/']),
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    ...kernelSettings.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(sealed.length === 0 ? plannedMounts(plan).flatMap(wordsOf) : sealedMounts(plan, sealed)),
    ...plan.hidden.flatMap(({ path, isDirectory }) => (isDirectory ? ['--remount-ro', path] : [])),
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...(gate === undefined ? [] : ['--info-fd', String(gate.info), '--block-fd', String(gate.block)]),
    ...['--chdir', plan.cwd],
    '--',
  ];
}

/** The mounts below `/`, the outer ones first: a bind shows again what an earlier mount hid below it. */
export function plannedMounts(plan: SandboxPlan): readonly PlannedMount[] {
  const mounts: readonly PlannedMount[] = [
    ...plan.temporary.flatMap(temporaryMounts),
    ...plan.readable.map((path) => ({ path, source: path, isWritable: false, isOptional: true })),
    ...plan.writable.filter((path) => path !== '/').map((path) => ({ path, source: path, isWritable: true })),
    ...plan.pinned.map((path) => ({ path, source: path, isWritable: true })),
    ...plan.protected.map((path) => ({ path, source: path, isWritable: false, isOptional: true })),
    ...(plan.scratchParent === undefined || plan.temporary.some(({ parent }) => parent === plan.scratchParent)
      ? []
      : [{ path: plan.scratchParent, isWritable: true }]),
    { path: plan.scratch, source: plan.scratch, isWritable: true },
    ...plan.hidden.map(({ path, isDirectory }) =>
      isDirectory ? { path, isWritable: true } : { path, source: '/dev/null', isWritable: false },
    ),
  ];
  // Sorting keeps the order of those at the same depth.
  return [...mounts].sort((a, b) => depthOf(a.path) - depthOf(b.path));
}

/** The session's own folder in the place of the shared one, under both of its paths. */
function temporaryMounts({
  shared,
  parent,
  own,
  outside,
  mounted,
}: PlannedTemporary): readonly PlannedMount[] {
  return [
    { path: shared, source: own, isWritable: true },
    ...mounted
      .map((name) => join(shared, name))
      .map((path) => ({ path, source: path, isWritable: false, isOptional: true })),
    { path: parent, isWritable: true },
    { path: own, source: own, isWritable: true },
    { path: outside, source: shared, isWritable: false },
  ];
}

/**
 * bubblewrap makes mount points that are missing, follows links on the way to them, and empties a file that it finds at the
 * last moment. So another process that exchanges folders of the workspace for links meanwhile could have it do so anywhere:
 * through `/oldroot`, where it has the whole machine. Hence what cannot be exchanged is mounted first, then the machine is
 * made read-only there, then comes what lies in writable folders; what stays writable among that is mounted from where it
 * is already seen. Versions that resolve paths inside the new root need none of this, and refuse it: `sealingProbe` tells.
 */
function sealedMounts(plan: SandboxPlan, sealed: readonly string[]): readonly string[] {
  const all = plannedMounts(plan);
  const fixed = new Set([
    ...[plan.scratch, plan.scratchParent],
    ...plan.temporary.flatMap(({ shared, parent, own, outside }) => [shared, parent, own, outside]),
  ]);
  const inWritable = (path: string): boolean =>
    plan.writable.some((folder) => folder !== path && isInside(path, folder));
  const named = plan.temporary.flatMap(({ shared, mounted }) => mounted.map((name) => join(shared, name)));
  // One that holds other mounts has to come before them.
  const isAlone = (path: string): boolean =>
    !all.some((other) => other.path !== path && isInside(other.path, path));
  const isLate = ({ path }: PlannedMount): boolean =>
    !fixed.has(path) && (inWritable(path) || (named.includes(path) && isAlone(path)));
  return [
    ...all.filter((mount) => !isLate(mount)).flatMap(wordsOf),
    ...sealed.flatMap(sealingWords),
    ...all.filter(isLate).flatMap((mount) => {
      const isSeen = mount.isWritable && mount.source !== undefined;
      // "Try" keeps bubblewrap from looking for the path on the machine.
      return isSeen ? ['--bind-try', `/../newroot${mount.source}`, mount.path] : wordsOf(mount);
    }),
  ];
}

/** `join` would take the dots for what they say. */
const sealingWords = (point: string): readonly string[] => [
  '--remount-ro',
  `/../oldroot${point === '/' ? '' : point}`,
];

/** Succeeds, with these mounts of the machine, where mounts can be sealed: see `sealedMounts`. Before the program. */
export const sealingProbe = (sealed: readonly string[]): readonly string[] => [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--dir', '/tmp/a'],
  ...sealed.flatMap(sealingWords),
  ...['--bind-try', '/../newroot/tmp/a', '/tmp/b', '--', '/bin/sh', '-c', ': > /tmp/a/x && [ -e /tmp/b/x ]'],
];

function wordsOf({ path, source, isWritable, isOptional }: PlannedMount): readonly string[] {
  if (source === undefined) return ['--tmpfs', path];
  if (isWritable) return ['--bind', source, path];
  return [isOptional ? '--ro-bind-try' : '--ro-bind', source, path];
}
