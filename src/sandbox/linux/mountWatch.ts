/**
 * Watches the mounts that protect or hide something in a running sandbox. The kernel drops a mount as soon as another
 * program replaces or renames the file under it, as editors and git do when they save: the new file is open to the
 * command, and so is the old one for the milliseconds until it loses its name. Such a mount is restored from outside; if
 * that fails, the command is stopped. The command, or another one of the session, may put a link in its place at any
 * moment, so the path is opened first and mounted by its descriptor.
 */
import { spawn } from 'node:child_process';
import { lstatOf } from '../../disk/fileLookups.ts';
import { signalGroup } from '../../disk/signalGroup.ts';
import { quoteWord } from '../../protocol/text/quoteWord.ts';
import type { SandboxPlan } from '../plan.ts';
import {
  type ExpectedMount,
  type Mount,
  mountLookup,
  mountTableOf,
  readMounts,
  unexpectedMounts,
} from './mountCheck.ts';

const CHECK_MS = 1000;
const MOUNT_TIMEOUT_MS = 5000;
const ATTEMPTS = 3;

/** A mount that keeps a command from something. */
interface Guard {
  readonly type: 'protects' | 'hides' | 'pins';
  readonly expected: ExpectedMount;
  /** Mode of an empty folder. */
  readonly mode?: string;
  /** A device may hide it as well, after another program has replaced it. */
  readonly mayBeDevice?: true;
}

export interface MountWatch {
  /** Files that were open to the command for a moment. */
  exposed(): readonly string[];
  /** The path that the command was stopped for. */
  fatal(): string | undefined;
  stop(): void;
}

interface WatchOptions {
  readonly guards: readonly Guard[];
  /** A process in the sandbox. */
  readonly pid: number;
  /** The process group of bubblewrap. */
  readonly group: number;
  readonly mount: MountInSandbox;
}

/** The mounts of a plan that must not be lost. */
export function guardsOf(plan: SandboxPlan, expected: readonly ExpectedMount[]): readonly Guard[] {
  const hidden = new Map(plan.hidden.map((place) => [place.path, place]));
  const pinned = new Set(plan.pinned);
  const kept = new Set(plan.protected);
  return expected.flatMap((one): readonly Guard[] => {
    const place = hidden.get(one.path);
    if (place !== undefined)
      return [
        {
          ...{ type: 'hides', expected: one, mode: place.isClosed === true ? '0000' : '0755' },
          ...(place.isEmpty === true && { mayBeDevice: true }),
        },
      ];
    if (kept.has(one.path)) return [{ type: 'protects', expected: one }];
    return pinned.has(one.path) ? [{ type: 'pins', expected: one }] : [];
  });
}

/** The guards that are needed but missing from a mount table. Pure, except for looking at the paths. */
export function lostGuards(
  guards: readonly Guard[],
  mounts: readonly Mount[],
  exists: (path: string) => boolean = (path) => lstatOf(path) !== undefined,
): readonly Guard[] {
  const lost = new Set(
    unexpectedMounts(
      guards.map(({ expected }) => expected),
      mounts,
    ),
  );
  const mountAt = mountLookup(mounts);
  return guards.filter(
    ({ type, expected, mayBeDevice }) =>
      lost.has(expected) &&
      !(mayBeDevice === true && isClosedDevice(expected.path, mountAt)) &&
      // If a parent folder was moved, its mounts moved with it, and the folder around it is read-only.
      (type === 'hides' || mountAt(expected.path)?.isReadOnly !== true) &&
      // It is protected as soon as it exists again.
      exists(expected.path),
  );
}

/** True if the null device is mounted at a path, and cannot be opened there. */
function isClosedDevice(path: string, mountAt: (path: string) => Mount | undefined): boolean {
  const [found, device] = [mountAt(path), mountAt(DEVICE)];
  if (found?.point !== path || device?.point !== DEVICE) return false;
  return found.isReadOnly && found.device === device.device && found.root === device.root;
}

/** Starts watching the mounts of a running sandbox. */
export function watchMounts({ guards, pid, group, mount }: WatchOptions): MountWatch {
  const exposed = new Set<string>();
  const expected = guards.map((guard) => guard.expected);
  let fatal: string | undefined;
  let isOver = guards.length === 0;
  /** The last table that contained everything. */
  let complete = '';
  const lostNow = (): readonly Guard[] => {
    const table = mountTableOf(pid);
    if (table === complete) return [];
    const mounts = readMounts(table);
    if (unexpectedMounts(expected, mounts).length === 0) complete = table;
    return lostGuards(guards, mounts);
  };
  const check = async (): Promise<void> => {
    if (isOver) return;
    try {
      const first = lostNow();
      let lost = first;
      // It may have been replaced again in the meantime.
      for (let left = ATTEMPTS; lost.length > 0 && left > 0; left -= 1) {
        // Outer ones first, as they are listed.
        for (const guard of lost) await mount(pid, lostMount(guard, readMounts(mountTableOf(pid))));
        lost = lostNow();
      }
      for (const guard of first) if (guard.type !== 'pins') exposed.add(guard.expected.path);
      const [still] = lost;
      if (still === undefined || isOver) return;
      fatal = still.expected.path;
      signalGroup(group, 'SIGKILL');
    } catch {
      // A process that has exited has no mounts.
    }
    isOver = true;
  };
  const next = (): NodeJS.Timeout =>
    setTimeout(async () => {
      await check();
      if (!isOver) timer = next();
    }, CHECK_MS).unref();
  let timer = next();
  return {
    exposed: () => [...exposed],
    fatal: () => fatal,
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Options of a mount that only its owner may drop. Source: mount_namespaces(7), "Restrictions on mount namespaces". */
const locked = new Set(['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime']);

/** A mount to restore. */
interface LostMount {
  readonly path: string;
  /** Words of mount(8) calls, without the target. */
  readonly calls: readonly (readonly string[])[];
}

/** Unlike the files of this program, commands can see it. */
const DEVICE = '/dev/null';
/** The path, opened, as seen from `/proc`. */
const OPENED = 'self/fd/3';

/** Returns the calls that restore a lost mount. Mounts inside the path stay. Pure. */
export function lostMount({ type, expected, mode = '0755' }: Guard, mounts: readonly Mount[]): LostMount {
  const { path, from } = expected;
  if (type === 'hides' && from === undefined)
    return { path, calls: [['-t', 'tmpfs', '-o', `ro,nosuid,nodev,mode=${mode}`, 'tmpfs']] };
  const source = type === 'hides' ? DEVICE : OPENED;
  const bind = ['-o', 'rbind', source];
  if (type === 'pins') return { path, calls: [bind] };
  const kept = mountLookup(mounts)(type === 'hides' ? source : path)?.options ?? [];
  const options = ['remount', 'bind', 'ro', ...kept.filter((option) => locked.has(option))];
  return { path, calls: [bind, ['-o', options.join(','), 'none']] };
}

/**
 * A shell script for the path `$1` and the program `$2`. A descriptor refers to the opened file whatever happens to its
 * path, and the kernel reports where that file is: elsewhere, if a link led there. It is opened before each call, since a
 * new mount covers it. Opening a named pipe would wait for a writer.
 */
const mountScript = (calls: LostMount['calls']): string =>
  [
    `opened() { [ ! -p "$1" ] && exec 3<"$1" && [ "$(readlink ${OPENED})" = "$1" ]; }`,
    calls
      .map((words) => `opened "$1" && "$2" -n -c ${words.map(quoteWord).join(' ')} ${OPENED}`)
      .join(' && '),
  ].join('\n');

/** Restores a mount in the sandbox of a process; the mount table shows whether it worked. Never rejects. */
type MountInSandbox = (pid: number, lost: LostMount) => Promise<void>;

/**
 * `words`: arguments to put before a program so that it runs in the mount namespace of a process, with the machine's
 * `/proc` as its working directory; undefined if that is not possible. `program`: mount(8).
 */
export const mountWith =
  (words: (pid: number) => readonly string[] | undefined, program: string | undefined): MountInSandbox =>
  async (pid, { path, calls }) => {
    const [first, ...more] = words(pid) ?? [];
    if (first === undefined || program === undefined) return;
    await new Promise<void>((resolve) => {
      const child = spawn(first, [...more, '/bin/sh', '-c', mountScript(calls), 'sh', path, program], {
        // Without the variable, newer versions of mount do not follow the descriptor.
        ...{ stdio: 'ignore', env: { PATH: '/usr/bin:/bin', LIBMOUNT_FORCE_MOUNT2: 'always' }, cwd: '/' },
        ...{ timeout: MOUNT_TIMEOUT_MS, killSignal: 'SIGKILL' },
      });
      child.on('error', () => resolve());
      child.on('exit', () => resolve());
    });
  };
