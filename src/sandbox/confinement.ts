import { basename, relative } from 'node:path';
import { lstatOf, resolved } from '../disk/fileLookups.ts';
import { isInside } from '../disk/paths.ts';
import type { SandboxRecord } from '../protocol/entries/fields.ts';
import type { Confinement, Exposure, GitUse, Launch } from '../protocol/sandbox.ts';
import { whyBlocked, whyGitBlocked, whyHidden, whySharedBlocked } from './blocked.ts';
import { BYTECODE_CACHE, englishMessages } from './environment.ts';
import { bubblewrapArguments } from './linux/bubblewrap.ts';
import { earlyStart } from './linux/earlyStart.ts';
import { admit, expectedMounts, mountsNow } from './linux/mountCheck.ts';
import { guardsOf, type MountWatch, mountWith, watchMounts } from './linux/mountWatch.ts';
import { callFilter } from './linux/seccomp.ts';
import { type ProxyRoute, proxyVariables, type RunningRequest } from './network/commandNetwork.ts';
import type { SandboxOptions } from './options.ts';
import type { HiddenFiles } from './places/hiddenFiles.ts';
import type { SandboxPlan } from './plan.ts';
import { find, type ProbedMachine, SEATBELT } from './probe.ts';
import type { ProtectedChanges } from './protectedChanges.ts';
import { seatbeltProfile } from './seatbelt.ts';

/** For a command that runs outside the sandbox. */
export function unconfined(reason: string, env: Readonly<Record<string, string>>): Confinement {
  return {
    isConfined: false,
    launch: (program, args) => ({ program, args, inherit: [], env }),
    record: () => ({ mode: 'none', reason }),
    blocked: () => undefined,
    changedProtectedFiles: () => [],
    share: async () => undefined,
    keep: () => undefined,
    release: () => undefined,
  };
}

/** For a command that may not run: launches nothing, even for a caller that ignores `refusal`. */
export function refused(refusal: string, env: Readonly<Record<string, string>>): Confinement {
  return {
    ...unconfined('refused', env),
    refusal,
    launch() {
      throw new Error(`${refusal}.`);
    },
  };
}

interface ReportedChanges {
  take(): readonly string[];
  replaced(): readonly string[];
  /** Call when the command and all its processes have ended. */
  end(): void;
}

/** Changes made after the command's own result are reported with the next command. */
export function reported(
  protectedChanges: ProtectedChanges,
  unreported: string[],
  onReported: () => void,
): ReportedChanges {
  let left: readonly string[] | undefined;
  return {
    take() {
      const own = left?.filter((change) => unreported.includes(change)) ?? protectedChanges.take();
      const earlier = unreported.splice(0).filter((change) => !own.includes(change));
      onReported();
      return [...earlier.map((change) => `${change} (by an earlier command)`), ...own];
    },
    replaced: protectedChanges.replaced,
    end() {
      if (left !== undefined) return;
      left = protectedChanges.take();
      unreported.push(...left);
    },
  };
}

interface ConfinedParts {
  readonly plan: SandboxPlan;
  readonly gitUse: GitUse;
  readonly stays: Confinement['stays'];
  /** Folders with files of other projects that are read-only for the command. */
  readonly shared: readonly string[];
  /** True if the command may write to a temporary folder other than its scratch folder. */
  readonly hasTemporary: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly probed: ProbedMachine;
  /** Leads into the session's namespaces. */
  readonly entry: ProxyRoute | undefined;
  /** False if the command runs in them only if it is started early. */
  readonly isEntered: boolean;
  /** The same, if the command has a network. */
  readonly route: ProxyRoute | undefined;
  readonly token: string;
  readonly asking: RunningRequest;
  readonly options: SandboxOptions;
  readonly changes: ReportedChanges;
  /** See `Confinement.lookForChanges`. */
  readonly looks: (() => Promise<void>) | undefined;
  /** Present if the command was allowed because of them. */
  readonly hiddenFiles: HiddenFiles | undefined;
  /** See `DeniedPlaces`. */
  readonly whole: readonly string[];
  /** Those reported by earlier commands; extended here. */
  readonly told: Set<string>;
  readonly share: () => Promise<void>;
  /** Call when the sandbox is built, or will not be. */
  readonly onBuilt: () => void;
  readonly onRelease: () => void;
}

/** Starts one command in its sandbox, and reports what the sandbox did. */
export function confined({
  plan,
  gitUse,
  stays,
  shared,
  hasTemporary,
  env,
  probed: { bwrap, sealed, disablesUserns },
  entry,
  isEntered,
  route,
  token,
  asking,
  options,
  changes,
  looks,
  hiddenFiles,
  whole,
  told,
  share,
  onBuilt,
  onRelease,
}: ConfinedParts): Confinement {
  const caches = withBytecode(options.caches, shared);
  /** Those already reported. */
  const exposed = new Set<string>();
  let kept: number | undefined;
  let watch: MountWatch | undefined;
  let firstProcess: number | undefined;
  let isReleased = false;
  let mounted: SandboxPlan | undefined;
  const shown = (path: string): string => (isInside(path, plan.cwd) ? relative(plan.cwd, path) : path);
  const exposure = hiddenFiles && createExposure(hiddenFiles, () => watch?.exposed() ?? [], shown);
  const release = (): void => {
    isReleased = true;
    exposure?.end();
    watch?.stop();
    changes.end();
    if (kept !== undefined) route?.forwarder?.unwatch(kept);
    onRelease();
  };
  const isolated =
    route === undefined && plan.network === 'session' ? { ...plan, network: 'none' as const } : plan;
  // Seatbelt can protect paths that do not exist; bubblewrap cannot.
  const onLinux = (): SandboxPlan => ({
    ...isolated,
    protected: isolated.protected.filter((path) => lstatOf(path) !== undefined),
    // One that has just been removed needs no hiding.
    hidden: isolated.hidden.filter(({ path, isEmpty }) => isEmpty !== true || lstatOf(path) !== undefined),
  });
  return {
    isConfined: true,
    stays,
    firstProcess: () => firstProcess,
    launch(program, args): Launch {
      const own = {
        ...env,
        ...englishMessages(env),
        // Bash also writes long here-documents to TMPDIR.
        ...(plan.mode === 'read-only' || !hasTemporary ? { TMPDIR: plan.scratch } : {}),
        ...(plan.mode === 'workspace-write' ? { ...caches, ...ownChoices(caches, env) } : {}),
        ...(route === undefined ? {} : proxyVariables(token, route.port)),
      };
      if (options.platform === 'darwin')
        return {
          program: SEATBELT,
          args: ['-p', seatbeltProfile(isolated), program, ...args],
          inherit: [],
          env: own,
        };
      const bytes = callFilter(options.machine, { anySocket: options.allowUnixSockets });
      const machine = mountsNow();
      const present = onLinux();
      mounted = present;
      const [filter, info, block] = bytes === undefined ? [undefined, 3, 4] : [3, 4, 5];
      const inherit = [...(filter === undefined ? [] : ['pipe' as const]), 'pipe' as const, 'pipe' as const];
      const enter = entry?.enter() ?? [];
      const words = bubblewrapArguments(present, {
        ...{ filter, disablesUserns, gate: { info, block } },
        // Without mounts that have disappeared since.
        sealed: sealed.filter((point) => machine.some((mount) => mount.point === point)),
      });
      const limited = withLimits(args, options.limits);
      const [first = bwrap, ...more] = [
        ...(isEntered ? enter : []),
        ...[bwrap, ...words, program, ...limited],
      ];
      const early =
        entry && earlyStart({ enter, bwrap, words, inherit, shell: program, args: limited, env: own });
      const expected = expectedMounts(present, machine, (path) => resolved(path)[0] ?? path);
      return {
        ...{ program: first, args: more, inherit, env: own },
        ...(early && { early }),
        admit(group, pipes) {
          if (bytes !== undefined) {
            // bubblewrap exited before reading, and has reported why.
            pipes[0]?.on('error', () => undefined);
            pipes[0]?.end(bytes);
          }
          const gate = bytes === undefined ? pipes : pipes.slice(1);
          return admit(expected, plan.scratch, group, gate, (pid) => {
            firstProcess = pid;
            if (isReleased) return;
            const mount = mountWith(
              (of) => (isEntered ? entry?.enterMounts?.(of) : undefined),
              find('mount', options.path),
            );
            watch = watchMounts({ guards: guardsOf(present, expected), pid, group, mount });
          }).finally(onBuilt);
        },
      };
    },
    record(): SandboxRecord {
      return {
        mode: plan.mode,
        ...(asking.hosts.size === 0 ? {} : { hosts: [...asking.hosts] }),
        ...(asking.refused.size === 0 ? {} : { refusedHosts: [...asking.refused] }),
      };
    },
    blocked(output, exitCode, declined) {
      // bubblewrap has reported why it could not build the sandbox.
      if (options.platform === 'linux' && firstProcess === undefined) return undefined;
      const hidden = whyHidden(output, exitCode, plan.denied, plan.cwd);
      if (hidden !== undefined) return { reason: hidden, isHidden: true };
      const ofGit = whyGitBlocked(output, exitCode, plan.closedGitFolders, gitUse);
      if (ofGit !== undefined) return ofGit;
      const ofShared = whySharedBlocked(output, exitCode, shared.map(shown));
      if (ofShared !== undefined) return { reason: ofShared };
      const refused = [...asking.refused].filter((host) => !declined.has(host));
      const reason = whyBlocked(output, exitCode, refused, [...asking.problems]);
      return reason === undefined ? undefined : { reason };
    },
    ...(looks === undefined ? {} : { lookForChanges: looks }),
    changedProtectedFiles: changes.take,
    hiddenFolders() {
      const fresh = whole.filter((path) => !told.has(path));
      for (const path of fresh) told.add(path);
      return fresh.map(shown);
    },
    exposedFiles() {
      const all = [...(watch?.exposed() ?? []), ...changes.replaced()];
      const fresh = [...new Set(all)].filter((path) => !exposed.has(path));
      for (const path of fresh) exposed.add(path);
      return fresh.map(shown);
    },
    ...(exposure && { exposure }),
    // bubblewrap needs a place for each mount. For other commands, a folder was replaced.
    mayRetry: () =>
      hiddenFiles !== undefined &&
      firstProcess === undefined &&
      mounted?.hidden.some(({ path }) => lstatOf(path) === undefined) === true,
    whyStopped() {
      const path = watch?.fatal();
      return path === undefined
        ? undefined
        : `another program replaced ${shown(path)}, and the new file could not be protected from the command. Run it again`;
    },
    share,
    keep(pid) {
      void share();
      if (route?.forwarder === undefined || !options.network.forwardPorts) return;
      kept = pid;
      route.forwarder.watch(pid);
    },
    release,
  };
}

/** `replaced`: files that lost their mounts. After `end`, changes no longer concern the command. */
function createExposure(
  files: HiddenFiles,
  replaced: () => readonly string[],
  shown: (path: string) => string,
): Exposure & { end(): void } {
  const found = new Set<string>();
  let last: Promise<readonly string[]> | undefined;
  const check = async (): Promise<readonly string[]> => {
    for (const path of [...replaced().filter(files.has), ...(await files.exposed())]) found.add(path);
    return [...found].map(shown);
  };
  return {
    isKnown: () => found.size > 0 || replaced().some(files.has),
    check: () => last ?? check(),
    end() {
      last ??= check();
      // Maybe no one asks.
      last.catch(() => undefined);
    },
  };
}

/** Python cannot leave compiled code next to read-only packages, and would compile them for each command. */
function withBytecode(caches: SandboxOptions['caches'], shared: readonly string[]): SandboxOptions['caches'] {
  const isNeeded = shared.some((folder) => basename(folder) === 'site-packages');
  return Object.fromEntries(Object.entries(caches).filter(([name]) => isNeeded || name !== BYTECODE_CACHE));
}

/** Variables that the user has set override ours. */
function ownChoices(caches: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name in caches));
}

/**
 * Limits the command and everything it starts: its own shell sets the limits before anything else. The last argument is
 * the script. Also makes the kernel kill it first when memory runs out.
 */
function withLimits(
  args: readonly string[],
  { memoryBytes, processes }: SandboxOptions['limits'],
): readonly string[] {
  const limits = [
    ...(memoryBytes === null ? [] : [`ulimit -d ${Math.floor(memoryBytes / 1024)}`]),
    ...(processes === null ? [] : [`ulimit -u ${processes}`]),
    'echo 500 >| /proc/self/oom_score_adj',
  ];
  return [...args.slice(0, -1), `{ ${limits.join('; ')}; } 2>/dev/null\n${args.at(-1) ?? ''}`];
}
