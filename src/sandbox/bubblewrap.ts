/** A plan in the words of bubblewrap (`man bwrap`): mounts are laid over each other in the order of the arguments. Pure. */
import { join } from 'node:path';
import { depthOf, type PlannedTemporary, type SandboxPlan } from './plan.ts';

/**
 * Of /proc, what changes the whole machine. The files belong to root, so a sandbox that root starts could write them even
 * without capabilities: bubblewrap covers only folders that say they are writable, and `/proc/sys` does not.
 */
const kernelSettings = ['/proc/sys', '/proc/fs', '/proc/acpi', '/proc/scsi', '/proc/driver', '/proc/mtrr'];

/** Arguments before the program. `filter`: number of the descriptor that holds the seccomp filter. */
export function bubblewrapArguments(plan: SandboxPlan, filter: number | undefined): readonly string[] {
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
    ...mountsOf(plan),
    ...plan.hidden.flatMap(({ path, isDirectory }) => (isDirectory ? ['--remount-ro', path] : [])),
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...['--chdir', plan.cwd],
    '--',
  ];
}

/** The mounts below `/`, the outer ones first: a bind shows again what an earlier mount hid below it. */
function mountsOf(plan: SandboxPlan): readonly string[] {
  const mounts: readonly (readonly [path: string, words: readonly string[]])[] = [
    ...plan.temporary.flatMap(temporaryMounts),
    ...plan.readable.map((path) => [path, ['--ro-bind-try', path, path]] as const),
    ...plan.writable.filter((path) => path !== '/').map((path) => [path, ['--bind', path, path]] as const),
    ...plan.anchored.map((path) => [path, ['--bind', path, path]] as const),
    ...plan.protected.map((path) => [path, ['--ro-bind-try', path, path]] as const),
    ...(plan.scratchParent === undefined || plan.temporary.some(({ parent }) => parent === plan.scratchParent)
      ? []
      : [[plan.scratchParent, ['--tmpfs', plan.scratchParent]] as const]),
    [plan.scratch, ['--bind', plan.scratch, plan.scratch]],
    ...plan.hidden.map(
      ({ path, isDirectory }) =>
        [path, isDirectory ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]] as const,
    ),
  ];
  // Sorting keeps the order of those at the same depth.
  return [...mounts].sort(([a], [b]) => depthOf(a) - depthOf(b)).flatMap(([, words]) => words);
}

/** The session's own folder in the place of the shared one, under both of its paths. */
function temporaryMounts({ shared, parent, own, outside, mounted }: PlannedTemporary) {
  return [
    [shared, ['--bind', own, shared]],
    ...mounted
      .map((name) => join(shared, name))
      .map((path) => [path, ['--ro-bind-try', path, path]] as const),
    [parent, ['--tmpfs', parent]],
    [own, ['--bind', own, own]],
    [outside, ['--ro-bind', shared, outside]],
  ] as const;
}
