/**
 * Converts a plan to arguments of bubblewrap (`man bwrap`): mounts cover each other in the order of the arguments.
 * Pure.
 */
import { join } from 'node:path';
import { depthOf, isInside } from '../../disk/paths.ts';
import type { HiddenPlace } from '../places/homeElsewhere.ts';
import type { PlannedTemporary, SandboxPlan } from '../plan.ts';

/**
 * Parts of /proc that change the entire machine. The files belong to root, so a sandbox started by root could write
 * them even without capabilities: bubblewrap covers only folders with write permission, and `/proc/sys` has none.
 */
const kernelSettings = ['/proc/sys', '/proc/fs', '/proc/acpi', '/proc/scsi', '/proc/driver', '/proc/mtrr'];

/** One mount of a plan. Absolute paths without links. */
interface PlannedMount {
  readonly path: string;
  /** The mounted file or folder; absent = an empty folder. */
  readonly source?: string;
  readonly isWritable: boolean;
  /** The source may have disappeared by now. */
  readonly isOptional?: boolean;
  /** It is made read-only at the end, after what stays writable in it has been mounted. */
  readonly endsReadOnly?: boolean;
  /** The empty folder cannot be entered. */
  readonly isClosed?: boolean;
  /** The source is a device that can be used there. */
  readonly isDevice?: boolean;
}

interface BubblewrapOptions {
  /** Number of the descriptor with the seccomp filter. */
  readonly filter?: number | undefined;
  /**
   * Numbers of the descriptor on which bubblewrap reports the process in the sandbox, and of the one on which that
   * process waits.
   */
  readonly gate?: { readonly info: number; readonly block: number };
  /**
   * Mounts of this machine to make read-only before anything is mounted inside writable folders; see `sealedMounts`.
   */
  readonly sealed?: readonly string[];
  /** Adds `--disable-userns`. */
  readonly disablesUserns?: boolean;
}

/** Returns the arguments before the program. */
export function bubblewrapArguments(
  plan: SandboxPlan,
  { filter, gate, sealed = [], disablesUserns = false }: BubblewrapOptions = {},
): readonly string[] {
  return [
    '--unshare-user',
    // In its own user namespace, a command could open protected files again: mounts hold only in the one they are in.
    ...(disablesUserns ? ['--disable-userns'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-cgroup-try',
    ...(plan.network === 'none' ? ['--unshare-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    // First, and even if it is writable: it contains the machine's own devices and processes.
    ...(plan.writable.includes('/')
      ? ['--bind', '/', '/', '--ro-bind-try', '/sys', '/sys']
      : ['--ro-bind', '/', '/']),
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    ...kernelSettings.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(sealed.length === 0 ? plannedMounts(plan).flatMap(wordsOf) : sealedMounts(plan, sealed)),
    ...plannedMounts(plan).flatMap(({ path, endsReadOnly }) => (endsReadOnly ? ['--remount-ro', path] : [])),
    ...plan.hidden.flatMap(({ path, isDirectory }) => (isDirectory ? ['--remount-ro', path] : [])),
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...(gate === undefined ? [] : ['--info-fd', String(gate.info), '--block-fd', String(gate.block)]),
    ...['--chdir', plan.cwd],
    '--',
  ];
}

/** The mounts below `/`, outer ones first: a bind makes visible again what an earlier mount hid in it. */
export function plannedMounts(plan: SandboxPlan): readonly PlannedMount[] {
  const mounts: readonly PlannedMount[] = [
    ...plan.temporary.flatMap(temporaryMounts),
    ...plan.readable.map((path) => ({ path, source: path, isWritable: false, isOptional: true })),
    ...plan.writable.filter((path) => path !== '/').map((path) => ({ path, source: path, isWritable: true })),
    ...plan.pinned.map((path) => ({ path, source: path, isWritable: true })),
    ...plan.protected.map((path) =>
      plan.writable.some((folder) => folder !== path && isInside(folder, path))
        ? { path, source: path, isWritable: true, endsReadOnly: true }
        : { path, source: path, isWritable: false, isOptional: true },
    ),
    ...(plan.scratchParent === undefined || plan.temporary.some(({ parent }) => parent === plan.scratchParent)
      ? []
      : [{ path: plan.scratchParent, isWritable: true }]),
    { path: plan.scratch, source: plan.scratch, isWritable: true },
    ...plan.hidden.map((place) => hidingMount(place, plan.emptyFile)),
  ];
  // A stable sort keeps the order of mounts at the same depth.
  return [...mounts].sort((a, b) => depthOf(a.path) - depthOf(b.path));
}

/** Hides a place. A device can be opened only if it is mounted as one. */
function hidingMount(
  { path, isDirectory, isClosed = false, isEmpty = false }: HiddenPlace,
  emptyFile: string | undefined,
): PlannedMount {
  if (isDirectory) return { path, isWritable: true, isClosed };
  if (isEmpty && emptyFile !== undefined) return { path, source: emptyFile, isWritable: false };
  return { path, source: '/dev/null', isWritable: isEmpty, isDevice: isEmpty };
}

/** Mounts the session's own folder over the shared one, under both of its paths. */
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
 * bubblewrap creates missing mount points, follows links on the way to them, and truncates a file that it finds there
 * at the last moment. Another process that replaces folders of the workspace with links in the meantime could redirect
 * this anywhere through `/oldroot`, which contains the entire machine. So this first mounts what cannot be replaced,
 * then makes the machine read-only there, then mounts what is inside writable folders; mounts among those that stay
 * writable are bound from where they are already visible. bubblewrap versions that resolve paths inside the new root do
 * not need this and reject it; `sealingProbe` detects the version.
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
  // A mount that contains other mounts has to come before them.
  const isAlone = (path: string): boolean =>
    !all.some((other) => other.path !== path && isInside(other.path, path));
  const isLate = ({ path }: PlannedMount): boolean =>
    !fixed.has(path) && (inWritable(path) || (named.includes(path) && isAlone(path)));
  return [
    ...all.filter((mount) => !isLate(mount)).flatMap(wordsOf),
    ...sealed.flatMap(sealingWords),
    ...all.filter(isLate).flatMap((mount) => {
      const isSeen = mount.isWritable && mount.source !== undefined && mount.isDevice !== true;
      // "Try" keeps bubblewrap from looking up the path on the machine.
      return isSeen ? ['--bind-try', `/../newroot${mount.source}`, mount.path] : wordsOf(mount);
    }),
  ];
}

/** `join` would resolve the dots. */
const sealingWords = (point: string): readonly string[] => [
  '--remount-ro',
  `/../oldroot${point === '/' ? '' : point}`,
];

/**
 * A probe to run: succeeds if bubblewrap can do what commands need, seal these mounts of the machine (see
 * `sealedMounts`), and disable user namespaces. The arguments include the program.
 */
export const probeArguments = ({
  sealed,
  disablesUserns,
}: Required<Pick<BubblewrapOptions, 'sealed' | 'disablesUserns'>>): readonly string[] => [
  ...['--unshare-user', ...(disablesUserns ? ['--disable-userns'] : [])],
  ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...(sealed.length === 0
    ? ['--', '/bin/sh', '-c', ':']
    : [
        ...['--tmpfs', '/tmp', '--dir', '/tmp/a', ...sealed.flatMap(sealingWords)],
        ...['--bind-try', '/../newroot/tmp/a', '/tmp/b'],
        ...['--', '/bin/sh', '-c', ': > /tmp/a/x && [ -e /tmp/b/x ]'],
      ]),
];

function wordsOf(mount: PlannedMount): readonly string[] {
  const { path, source, isWritable, isOptional, isClosed, isDevice } = mount;
  if (source === undefined) return [...(isClosed ? ['--perms', '0000'] : []), '--tmpfs', path];
  if (isDevice) return ['--dev-bind', source, path];
  if (isWritable) return ['--bind', source, path];
  return [isOptional ? '--ro-bind-try' : '--ro-bind', source, path];
}
