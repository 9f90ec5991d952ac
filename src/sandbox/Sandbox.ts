/** Confines the commands of one session with the means of this machine: bubblewrap on Linux, seatbelt on macOS. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { lstatOf, resolved } from '../disk/fileLookups.ts';
import { isInside, realpath } from '../disk/paths.ts';
import type { SandboxRecord } from '../protocol/entries/fields.ts';
import type {
  CommandRequest,
  CommandSandbox,
  CommandStep,
  Confinement,
  GitUse,
  Launch,
} from '../protocol/sandbox.ts';
import { whyBlocked, whyGitBlocked, whyHidden, whySharedBlocked } from './blocked.ts';
import { BYTECODE_CACHE, type EnvironmentRules, englishMessages, withoutTokens } from './environment.ts';
import { bubblewrapArguments } from './linux/bubblewrap.ts';
import { admit, expectedMounts, mountsNow } from './linux/mountCheck.ts';
import { guardsOf, type MountWatch, mountWith, watchMounts } from './linux/mountWatch.ts';
import { socketFilter } from './linux/seccomp.ts';
import {
  allowsHost,
  connectTo,
  HostRefusedError,
  MAX_NAMED,
  type NetworkRules,
  openProxyRoute,
  type ProxyRoute,
  proxyVariables,
  type RunningRequest,
} from './network/commandNetwork.ts';
import { createProxy } from './network/proxy.ts';
import { createCompletedGitFolders } from './places/completedGitFolders.ts';
import { dangersIn, REPLACES_LINK } from './places/dangers.ts';
import {
  findPlaces,
  gitFoldersToClose,
  type PlaceOptions,
  workspaceNow,
  writableFolders,
} from './places/findPlaces.ts';
import { ownGitFolders, protectedInGit } from './places/gitFolders.ts';
import { createHardLinkSearch } from './places/hardLinks.ts';
import { createInterruptedCommands } from './places/interruptedCommands.ts';
import { createLinkGuard } from './places/linkGuard.ts';
import { createPipeSearch } from './places/namedPipes.ts';
import { createPathNotes } from './places/pathNotes.ts';
import { createProjectScan, createSecretsScan } from './places/projectScan.ts';
import { createCaches, createSharedFolders, type SharedFolders } from './places/sharedFolders.ts';
import { createTrackedNotes } from './places/trackedNotes.ts';
import { hiddenNeed, planCommand, type SandboxPlan } from './plan.ts';
import {
  closeInheritedFiles,
  find,
  type ProbedMachine,
  type ProbeOptions,
  probeMachine,
  SEATBELT,
} from './probe.ts';
import { createQuarantine, type ProtectedChanges, watchProtected } from './protectedChanges.ts';
import { seatbeltProfile } from './seatbelt.ts';
import { createTemporaryFolders, type TemporaryOptions } from './temporary/temporaryFolders.ts';

/** What rules deny reading. */
export interface DeniedPlaces {
  /** Files and folders to hide, absolute. */
  readonly paths: readonly string[];
  /** Folders among them that are hidden although rules may cover only a part of them. */
  readonly whole: readonly string[];
  /** Why no command can run, as for `Confinement`. */
  readonly refusal?: string;
}

export interface SandboxOptions extends ProbeOptions {
  /** Tests what this machine supports; `probeMachine` unless it was tested before. */
  readonly probe?: (options: ProbeOptions) => Promise<ProbedMachine>;
  /** The Node binary that runs this program, absolute. */
  readonly node: string;
  /** Called for each command, since directories may be added. */
  readonly places: () => Omit<
    PlaceOptions,
    | 'denyWrite'
    | 'scratchParent'
    | 'repositories'
    | 'projectSecrets'
    | 'privateTemporary'
    | 'closedGitFolders'
  >;
  /** What rules deny editing at the moment: paths in writable places, absolute. */
  readonly denyWrite?: () => Promise<readonly string[]>;
  /** What rules deny reading at the moment; hidden in addition to `denyRead` of `places`. */
  readonly denied?: () => Promise<DeniedPlaces>;
  /** The session's private folders that replace shared temporary ones. */
  readonly temporary: TemporaryOptions;
  /** The folder that contains the scratch folders of all commands. */
  readonly scratchParent: (scratch: string) => string | undefined;
  readonly environment: EnvironmentRules;
  /** Folder in which sessions note the git folders they have completed; commands cannot write to it. */
  readonly gitNotes: string;
  /** File in which sessions note the repositories found in projects; commands cannot write to it. */
  readonly repositoryNotes: string;
  /** File in which sessions note the files with secrets that git tracks; commands cannot write to it. */
  readonly secretNotes: string;
  /** Folder in which sessions note submodules they have renamed and not yet reported; commands cannot write to it. */
  readonly setAsideNotes: string;
  /** Folder in which sessions note commands that may change git folders, while these run; commands cannot write to it. */
  readonly commandNotes: string;
  /** Variables that move caches of package managers to a folder that commands may write to. */
  readonly caches: Readonly<Record<string, string>>;
  readonly network: NetworkRules;
  /** Limits for each command; null = none. */
  readonly limits: { readonly memoryBytes: number | null; readonly processes: number | null };
  /** Managed settings confine commands: no approval of the user runs one outside. */
  readonly isBinding: boolean;
  /** True if the user's settings run this command outside the sandbox. */
  readonly isExcluded: (command: string) => boolean | Promise<boolean>;
  /** Whether a command, run in a folder, may change git folders. */
  readonly gitUse: (command: string, cwd: string) => GitUse | Promise<GitUse>;
  /** True if a command does nothing but install or remove dependencies: it replaces files rather than writing into them. */
  readonly installs: (command: string, cwd: string) => boolean | Promise<boolean>;
  /** See `CommandSandbox.steps`. */
  readonly steps: (command: string, cwd: string) => Promise<readonly CommandStep[]>;
  /** True if the settings of the repository in this folder would make git start programs. */
  readonly gitRunsPrograms: (folder: string) => boolean;
}

export function createCommandSandbox(options: SandboxOptions): CommandSandbox {
  const { network } = options;
  let opened: Promise<ProxyRoute | undefined> | undefined;
  const running = new Map<string, RunningRequest>();
  let tests: Pick<PlaceOptions, 'isReadOnlyForCommands' | 'isSensitive'> | undefined;
  /** The same for all commands, so the walks need not ask for all places again for each file. */
  const testsOfFiles = () => {
    tests ??= options.places();
    return tests;
  };
  const walk = createProjectScan({
    isReadOnlyForCommands: (path) => testsOfFiles().isReadOnlyForCommands(path),
    gitRunsPrograms: options.gitRunsPrograms,
    mayWrite: (folder) => writableNow(options.places()).some((place) => isInside(folder, place)),
    notes: createPathNotes(options.repositoryNotes),
  });
  const findSecrets = createSecretsScan(
    (path) => testsOfFiles().isSensitive(path),
    createTrackedNotes(options.secretNotes),
  );
  const findOtherNames = createHardLinkSearch();
  const findShared = createSharedFolders();
  const findPipes = createPipeSearch();
  const gitFolders = createCompletedGitFolders(options.gitNotes);
  const temporary = createTemporaryFolders(options.temporary);
  const quarantine = createQuarantine(options.setAsideNotes);
  const interrupted = createInterruptedCommands(options.commandNotes);
  const links = createLinkGuard((path) => quarantine.move(path, { reason: REPLACES_LINK }));
  /** Files that the session's tools have created or changed since the last command. */
  const changed: { readonly path: string; readonly kind: 'created' | 'modified' }[] = [];
  /** Folders of `DeniedPlaces.whole` that were reported. */
  const told = new Set<string>();
  /** Changes by commands that ended before they were reported. */
  const unreported: string[] = [];

  /**
   * Only this session's commands can connect: if a single one is running, the connection is its own even without a
   * token.
   */
  const asking = (token: string | undefined): RunningRequest | undefined => {
    const [only] = running.values();
    return running.get(token ?? '') ?? (running.size === 1 ? only : undefined);
  };

  const proxy = createProxy({
    knows: (token) => asking(token) !== undefined,
    allows: (host, port, token) => allowsHost(host, port, asking(token), network),
    connect: async (host, port, token) => {
      try {
        return await connectTo(host, port, network);
      } catch (error) {
        const problems = asking(token)?.problems;
        if (error instanceof HostRefusedError && problems !== undefined && problems.size < MAX_NAMED)
          problems.add(error.message);
        throw error;
      }
    },
    onMismatch: (host, port, token) => {
      const { refused, problems } = asking(token) ?? {};
      if (refused !== undefined && refused.size < MAX_NAMED) refused.add(`${host}:${port}`);
      if (problems !== undefined && problems.size < MAX_NAMED)
        problems.add(`what it sent to ${host}:${port} asked for another host, or hid which one`);
    },
  });

  /** Dependencies that the command must not write: their files are also those of other projects. */
  const sharedIn = async (
    dependencies: readonly string[],
    { command, cwd }: CommandRequest,
  ): Promise<SharedFolders> => {
    const before = await findShared(dependencies);
    if (before.folders.length === 0) return before;
    if (await options.installs(command, cwd)) return { folders: [], open: [] };
    before.folders.forEach(createCaches);
    return findShared(dependencies);
  };

  const open = (): Promise<ProxyRoute | undefined> => {
    opened ??= openProxyRoute(proxy, options).catch(() => undefined);
    return opened;
  };

  // Once: every command is confined by the same program, or nothing runs.
  let probed: Promise<ProbedMachine> | undefined;
  const probe = (): Promise<ProbedMachine> => {
    if (probed === undefined && options.platform === 'linux') closeInheritedFiles();
    probed ??= (options.probe ?? probeMachine)(options);
    return probed;
  };

  let isDisposed = false;
  return {
    state: async () => (await probe()).state,
    closesGit: options.enabled && options.mode === 'workspace-write',
    prepare: () =>
      void probe().then(({ state: found }) => {
        const needsNetwork = found.type === 'on' && found.mode === 'workspace-write';
        if (needsNetwork && !isDisposed) void open();
      }),
    isExcluded: async (command) => options.isExcluded(command),
    async steps({ command, cwd, grant }) {
      const whole = [{ command, isConditional: false }];
      const { state: found } = await probe();
      const isWritable = found.type === 'on' && found.mode === 'workspace-write';
      if (!isWritable || grant.basis === 'own' || grant.basis === 'read-only') return whole;
      // A quick test first: dividing a line takes a look at the disk.
      if (!/[;&\n]/.test(command)) return whole;
      if (await options.isExcluded(command)) return whole;
      return options.steps(command, cwd);
    },
    async confine(request) {
      const { state: found, bwrap, sealed } = await probe();
      if (request.grant.basis === 'own') return unconfined('typed by the user', request.env);
      const env = withoutTokens(request.env, options.environment);
      if (found.type !== 'on') return unconfined(found.reason, found.type === 'off' ? request.env : env);
      const mayLeave = request.grant.basis !== 'read-only' && request.isKeptInside !== true;
      if (mayLeave && (await options.isExcluded(request.command)))
        return unconfined('excluded by the settings', request.env);
      const denied = (await options.denied?.()) ?? { paths: [], whole: [] };
      if (denied.refusal !== undefined) return refused(denied.refusal, env);
      const ofSettings = options.places();
      const denyWrite = (await options.denyWrite?.()) ?? [];
      const given = { ...ofSettings, denyWrite, denyRead: [...ofSettings.denyRead, ...denied.paths] };
      const isReadOnly = found.mode === 'read-only' || request.grant.basis === 'read-only';
      const gitUse = isReadOnly ? 'none' : await options.gitUse(request.command, request.cwd);
      const workspace = workspaceNow(given.workspace);
      const roots = isReadOnly ? [] : workspace;
      const walked = await inOrder(roots, walk.inSlices);
      const secrets = isReadOnly ? (await inOrder(workspace, findSecrets.inSlices)).flat() : [];
      const repositories = walked.flatMap((one) => one.repositories);
      const writable = isReadOnly ? [] : writableFolders(given);
      // Before something is created in the place of a link that a running command has removed.
      unreported.push(...links.restore().map(({ path, note }) => `${path}${note}`));
      const closed = isReadOnly || gitUse === 'only' ? [] : gitFoldersToClose(given, repositories);
      const followed = gitFolders.completeAll([...new Set([...roots, ...repositories, ...writable])], {
        writable,
        closed,
        home: given.home,
      });
      const named = findPlaces({
        ...given,
        repositories,
        closedGitFolders: closed,
        projectSecrets: secrets,
        namedPipes: await findPipes(given.home, given.temporary),
        // macOS profiles cannot replace one folder with another.
        ...(options.platform === 'linux' ? { privateTemporary: (shared) => temporary.open(shared) } : {}),
        scratchParent: options.scratchParent(request.scratch),
      });
      const others = isReadOnly
        ? { found: [], open: [] }
        : await findOtherNames(
            [...named.protected, ...closed.flatMap((folder) => protectedInGit(folder, given.home))].filter(
              (path) => !closed.includes(path),
            ),
            writable,
          );
      const shared = await sharedIn(
        walked.flatMap((one) => one.dependencies),
        request,
      );
      const places = {
        ...named,
        protected: [...named.protected, ...others.found, ...shared.folders],
        writable: [...named.writable, ...shared.open],
      };
      const scratch = realpathSync(request.scratch);
      const where = { cwd: request.cwd, scratch };
      const refusal = hiddenNeed(places, {
        ...where,
        root: workspace[0] ?? request.cwd,
        cwd: realpath(request.cwd),
      });
      if (refusal !== undefined) return refused(refusal, env);
      if (!isReadOnly) for (const { path, kind } of changed.splice(0)) temporary.adopt(path, kind);
      const plan = planCommand(found.mode, request.grant.basis, where, places, {
        isOwn: temporary.isOwn,
        named: (folder) => temporary.named(folder, request.command),
      });
      temporary.showFiles();
      const linked = plan.temporary.map((folder) => temporary.link(folder, folder.mounted, request.command));
      const onBuilt = (): void => {
        for (const done of linked) done();
      };
      // On Linux even without a network: mounts can be added later only to what runs in the session's user namespace. Entering
      // it takes as long as starting a program.
      const mayEnd = isReadOnly && request.isBrief === true;
      const isEntered = plan.network === 'session' || (options.platform === 'linux' && !mayEnd);
      const entry = isEntered ? await open() : undefined;
      const route = plan.network === 'session' ? entry : undefined;
      const token = randomBytes(9).toString('base64url');
      const own: RunningRequest = {
        request,
        hosts: new Set(),
        refused: new Set(),
        problems: new Set(),
        answers: new Map(),
      };
      const before = walked.map((one) => one.protectedFiles);
      const dangers = dangersIn(before.flatMap((one) => [...one]));
      const left = isReadOnly ? new Set<string>() : interrupted.take(roots, dangers);
      const protectedChanges = watchProtected(
        before.map((one) => new Map([...one].filter(([path]) => !left.has(path)))),
        {
          now: () => roots.map((root) => walk(root).protectedFiles),
          inSlices: async () => (await inOrder(roots, walk.inSlices)).map((one) => one.protectedFiles),
        },
        {
          kept: [...plan.protected, ...plan.hidden.map(({ path }) => path)].filter(
            (path) => !others.open.some((file) => isInside(file, path)),
          ),
          roots,
          disable: quarantine.move,
          restoreLinks: links.restore,
        },
      );
      // What a killed session has left must not wait for this command to end.
      if (left.size > 0) await protectedChanges.check();
      const mayChangeGit = [...roots, ...repositories]
        .flatMap(ownGitFolders)
        .some((folder) => !isReadOnly && !closed.some((place) => isInside(folder, place)));
      const ended = mayChangeGit ? interrupted.begin(roots, dangers) : () => undefined;
      const stopChecking = roots.length === 0 ? () => undefined : checkRepeatedly(protectedChanges.check);
      const letGo = links.hold(followed);
      const onRelease = (): void => {
        letGo();
        ended();
        stopChecking();
        onBuilt();
        running.delete(token);
      };
      const share = (): Promise<void> => temporary.share();
      const hasTemporary = [...plan.temporary, ...places.temporary].length > 0;
      const changes = reported(protectedChanges, unreported, quarantine.reported);
      const confinement = confined({
        plan,
        gitUse,
        shared: shared.folders,
        hasTemporary,
        env,
        bwrap,
        sealed,
        entry,
        route,
        token,
        asking: own,
        options,
        changes,
        // A large index takes more than a frame to read; in a closed git folder it stays as it is.
        looks: roots.length > 0 && closed.length === 0 ? protectedChanges.check : undefined,
        whole: denied.whole.filter((path) => plan.denied.includes(path)),
        told,
        share,
        onBuilt,
        onRelease,
      });
      if (plan.network === 'session') running.set(token, own);
      return confinement;
    },
    adopt: (path, kind) => void changed.push({ path, kind }),
    privatePlace: temporary.privatePlace,
    outside: (request, reason) => unconfined(reason, request.env),
    dispose() {
      isDisposed = true;
      proxy.close();
      proxy.closeAllConnections();
      void opened?.then((one) => one?.close());
      gitFolders.release();
      return temporary.release();
    },
  };
}

/** The folders in which commands create files, as the user sees them. */
const writableNow = (places: ReturnType<SandboxOptions['places']>): readonly string[] => [
  ...writableFolders(places),
  ...places.temporary.map(realpath),
];

async function inOrder<T>(
  folders: readonly string[],
  search: (folder: string) => Promise<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (const folder of folders) found.push(await search(folder));
  return found;
}

const CHECK_MS = 1000;
/** A check takes at most this share of the time. */
const CHECK_SHARE = 0.1;

/** Calls a function while a command runs, at least every second if it is quick. Returns a function that ends this. */
function checkRepeatedly(check: () => Promise<void>): () => void {
  let isOver = false;
  const next = (ms: number): NodeJS.Timeout =>
    setTimeout(async () => {
      const startedAt = performance.now();
      // It reads files, so it does not reject.
      await check();
      if (!isOver) timer = next(Math.max(CHECK_MS, (performance.now() - startedAt) / CHECK_SHARE));
    }, ms).unref();
  let timer = next(CHECK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function unconfined(reason: string, env: Readonly<Record<string, string>>): Confinement {
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

/** Launches nothing, even for a caller that ignores `refusal`. */
function refused(refusal: string, env: Readonly<Record<string, string>>): Confinement {
  return {
    ...unconfined('refused', env),
    isBinding: true,
    refusal,
    launch() {
      throw new Error(`${refusal}.`);
    },
  };
}

interface ReportedChanges {
  take(): readonly string[];
  replaced(): readonly string[];
  /** Call when the command and all its processes are gone. */
  end(): void;
}

/** Changes made after the command's own result are reported with the next command. */
function reported(
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
  /** Folders with files of other projects that are read-only for the command. */
  readonly shared: readonly string[];
  /** True if the command may write to a temporary folder other than its scratch folder. */
  readonly hasTemporary: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; empty if there is none. */
  readonly bwrap: string;
  /** See `BubblewrapOptions`. */
  readonly sealed: readonly string[];
  /** Leads into the session's namespaces. */
  readonly entry: ProxyRoute | undefined;
  /** The same, if the command has a network. */
  readonly route: ProxyRoute | undefined;
  readonly token: string;
  readonly asking: RunningRequest;
  readonly options: SandboxOptions;
  readonly changes: ReportedChanges;
  /** See `Confinement.lookForChanges`. */
  readonly looks: (() => Promise<void>) | undefined;
  /** See `DeniedPlaces`. */
  readonly whole: readonly string[];
  /** Those reported by earlier commands; extended here. */
  readonly told: Set<string>;
  readonly share: () => Promise<void>;
  /** Call when the sandbox is built, or will not be. */
  readonly onBuilt: () => void;
  readonly onRelease: () => void;
}

function confined({
  plan,
  gitUse,
  shared,
  hasTemporary,
  env,
  bwrap,
  sealed,
  entry,
  route,
  token,
  asking,
  options,
  changes,
  looks,
  whole,
  told,
  share,
  onBuilt,
  onRelease,
}: ConfinedParts): Confinement {
  const descriptors: number[] = [];
  const caches = withBytecode(options.caches, shared);
  /** Those already reported. */
  const exposed = new Set<string>();
  let kept: number | undefined;
  let watch: MountWatch | undefined;
  let isReleased = false;
  const shown = (path: string): string => (isInside(path, plan.cwd) ? relative(plan.cwd, path) : path);
  const release = (): void => {
    isReleased = true;
    watch?.stop();
    changes.end();
    if (kept !== undefined) route?.forwarder?.unwatch(kept);
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
    onRelease();
  };
  const isolated =
    route === undefined && plan.network === 'session' ? { ...plan, network: 'none' as const } : plan;
  // Seatbelt can protect paths that do not exist; bubblewrap cannot.
  const onLinux = (): SandboxPlan => ({
    ...isolated,
    protected: isolated.protected.filter((path) => lstatOf(path) !== undefined),
  });
  return {
    isConfined: true,
    isBinding: options.isBinding,
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
      const bytes = options.allowUnixSockets ? undefined : socketFilter(options.machine);
      if (bytes !== undefined) descriptors.push(openFilter(bytes, plan.scratch));
      const machine = mountsNow();
      const present = onLinux();
      const first = 3 + descriptors.length;
      const words = [
        ...(entry?.enter() ?? []),
        bwrap,
        ...bubblewrapArguments(present, {
          filter: bytes === undefined ? undefined : 3,
          gate: { info: first, block: first + 1 },
          // Without mounts that have disappeared since.
          sealed: sealed.filter((point) => machine.some((mount) => mount.point === point)),
        }),
        program,
        ...withLimits(args, options.limits),
      ];
      const expected = expectedMounts(present, machine, (path) => resolved(path)[0] ?? path);
      return {
        program: words[0] ?? bwrap,
        args: words.slice(1),
        inherit: [...descriptors, 'pipe', 'pipe'],
        env: own,
        admit: (group, pipes) =>
          admit(expected, plan.scratch, group, pipes, (pid) => {
            if (isReleased) return;
            const mount = mountWith((of) => entry?.enterMounts?.(of), find('mount', options.path));
            watch = watchMounts({ guards: guardsOf(present, expected), pid, group, mount });
          }).finally(onBuilt),
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
    whyStopped() {
      const path = watch?.fatal();
      return path === undefined
        ? undefined
        : `another program replaced ${shown(path)}, and the new file could not be kept from the command. Run it again`;
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
 * Adds limits for the command and everything it starts, set by its own shell before anything else: the last argument is
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

function openFilter(bytes: Uint8Array, scratch: string): number {
  const file = join(scratch, 'filter');
  writeFileSync(file, bytes, { mode: 0o600 });
  const descriptor = openSync(file, 'r');
  unlinkSync(file);
  return descriptor;
}
