/** A plan in the words of bubblewrap (`man bwrap`): mounts are laid over each other in the order of the arguments. Pure. */
import type { SandboxPlan } from './plan.ts';

/**
 * Of /proc, what changes the whole machine. The files belong to root, so a sandbox that root starts could write them even
 * without capabilities: bubblewrap covers only folders that say they are writable, and `/proc/sys` does not.
 */
const kernelSettings = ['/proc/sys', '/proc/fs', '/proc/acpi', '/proc/scsi', '/proc/driver', '/proc/mtrr'];

/** Arguments before the program. `filter`: number of the descriptor that holds the seccomp filter. */
export function bubblewrapArguments(plan: SandboxPlan, filter: number | undefined): readonly string[] {
  const isHidden = (path: string): boolean =>
    plan.hidden.some((hidden) => hidden.isDirectory && path.startsWith(`${hidden.path}/`));
  return [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-cgroup-try',
    ...(plan.network === 'none' ? ['--unshare-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    ...kernelSettings.flatMap((path) => ['--ro-bind-try', path, path]),
    ...plan.writable.filter((path) => !isHidden(path)).flatMap((path) => ['--bind', path, path]),
    ...plan.anchored.flatMap((path) => ['--bind', path, path]),
    ...plan.protected.flatMap((path) => ['--ro-bind', path, path]),
    ...(plan.scratchParent === undefined ? [] : ['--tmpfs', plan.scratchParent]),
    ...['--bind', plan.scratch, plan.scratch],
    // Last: a bind shows again what an earlier mount hid below it.
    ...plan.hidden.flatMap(({ path, isDirectory }) =>
      isDirectory ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...plan.writable.filter(isHidden).flatMap((path) => ['--bind', path, path]),
    ...plan.readable.flatMap((path) => ['--ro-bind-try', path, path]),
    ...plan.hidden.flatMap(({ path, isDirectory }) => (isDirectory ? ['--remount-ro', path] : [])),
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...['--chdir', plan.cwd],
    '--',
  ];
}
