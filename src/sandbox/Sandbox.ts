/** Confines the commands of one session with what this machine has: bubblewrap on Linux, seatbelt on macOS. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { delimiter, isAbsolute, join } from 'node:path';
import { lstatOf, resolved } from '../disk/fileLookups.ts';
import type { SandboxRecord } from '../protocol/entries/fields.ts';
import type {
  CommandRequest,
  CommandSandbox,
  Confinement,
  Launch,
  SandboxMode,
  SandboxState,
} from '../protocol/sandbox.ts';
import { whyBlocked } from './blocked.ts';
import { type EnvironmentRules, withoutTokens } from './environment.ts';
import { closeInheritedFiles } from './inheritedFiles.ts';
import { bubblewrapArguments, sealingProbe } from './linux/bubblewrap.ts';
import { admit, expectedMounts, mountsNow, writableMounts } from './linux/mountCheck.ts';
import { socketFilter } from './linux/seccomp.ts';
import { PortForwarder } from './network/PortForwarder.ts';
import { createProxy } from './network/proxy.ts';
import { SessionNetwork } from './network/SessionNetwork.ts';
import { createCompletedGitFolders } from './places/completedGitFolders.ts';
import { findPlaces, type PlaceOptions, writableFolders } from './places/findPlaces.ts';
import { gitFoldersOf } from './places/gitFolders.ts';
import { createProjectWalk } from './places/projectScan.ts';
import { createSecretsWalk } from './places/projectSecrets.ts';
import { isInside, planCommand, type SandboxPlan } from './plan.ts';
import { type ObeyedChanges, watchObeyed } from './protectedChanges.ts';
import { createSetAside } from './quarantine.ts';
import { seatbeltProfile } from './seatbelt.ts';
import { createTemporaryFolders, type TemporaryOptions } from './temporary/temporaryFolders.ts';

const PROBE_TIMEOUT_MS = 5000;
const SEATBELT = '/usr/bin/sandbox-exec';

export interface SandboxOptions {
  readonly mode: SandboxMode;
  /** False = the user's settings want none. */
  readonly enabled: boolean;
  readonly platform: NodeJS.Platform;
  readonly machine: string;
  /** Where bubblewrap and nsenter are looked up: a PATH without folders that commands may write to. */
  readonly path: string;
  /** The Node that this program runs on, absolute. */
  readonly node: string;
  /** Looked at for each command: directories may be added. */
  readonly places: () => Omit<
    PlaceOptions,
    'scratchParent' | 'repositories' | 'projectSecrets' | 'privateTemporary'
  >;
  /** The session's own folders in the place of shared temporary ones. */
  readonly temporary: TemporaryOptions;
  /** Holds the scratch folders of all commands. */
  readonly scratchParent: (scratch: string) => string | undefined;
  readonly environment: EnvironmentRules;
  /** Where sessions note the git folders that they have completed; out of reach for commands. */
  readonly gitNotes: string;
  /** Where sessions note what they have set aside and not said yet; out of reach as well. */
  readonly setAsideNotes: string;
  /** Variables that lead caches of package managers to a folder that commands may write to. */
  readonly caches: Readonly<Record<string, string>>;
  readonly network: NetworkRules;
  /** Limits for each command; null = none. */
  readonly limits: { readonly memoryBytes: number | null; readonly processes: number | null };
  readonly allowUnixSockets: boolean;
  /** Managed settings say how commands are confined: no answer of the user lets one out. */
  readonly isBinding: boolean;
  /** Whether the user wants a command to run outside. */
  readonly isExcluded: (command: string) => boolean | Promise<boolean>;
  /** Whether git, only asked for a status in a folder, would start programs. */
  readonly gitRunsPrograms: (folder: string) => boolean;
}

/** A host that is allowed, but whose addresses are not. */
export class HostRefusedError extends Error {
  override readonly name = 'HostRefusedError';
}

/** `always ask`: in every mode, also in one that asks nothing else. */
export type HostVerdict = 'allow' | 'ask' | 'always ask' | 'deny';

export interface NetworkRules {
  readonly verdict: (host: string) => HostVerdict;
  /** The addresses of a host that may be connected to; rejects with a `HostRefusedError` where they may not. */
  readonly resolve: (host: string) => Promise<readonly { address: string; family: number }[]>;
  readonly localPorts: readonly number[];
  /** Whether servers in the background get their ports on this machine's loopback. */
  readonly forwardPorts: boolean;
  /** But for these: programs of the user send prompts, keys or their whole traffic there. */
  readonly reservedPorts: readonly number[];
  /** A connection through the user's own proxy; undefined where a host is reached without one. */
  readonly throughProxy?: (host: string, port: number) => Promise<Socket | undefined>;
}

export function createCommandSandbox(options: SandboxOptions): CommandSandbox {
  const { network } = options;
  let state: Promise<SandboxState> | undefined;
  let opened: Promise<WayOut | undefined> | undefined;
  const running = new Map<string, RunningRequest>();
  const walk = createProjectWalk({
    isObeyed: (path) => options.places().isObeyed(path),
    gitRunsPrograms: options.gitRunsPrograms,
  });
  const findSecrets = createSecretsWalk((path) => options.places().isSensitive(path));
  const gitFolders = createCompletedGitFolders(options.gitNotes);
  const temporary = createTemporaryFolders(options.temporary);
  const setAside = createSetAside(options.setAsideNotes);
  /** Files that tools of the session have made since the last command. */
  const created: string[] = [];
  /** What commands have done that ended before anybody asked. */
  const untold: string[] = [];

  /** Only commands of this session can connect: where one runs, it is the one, though it does not say so. */
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

  const open = (): Promise<WayOut | undefined> => {
    opened ??= openWayOut(proxy, options).catch(() => undefined);
    return opened;
  };

  // Looked up once: what confines one command is what confined the last, or nothing runs.
  let bwrap = '';
  let sealing: Promise<readonly string[]> = Promise.resolve([]);
  const look = (): Promise<SandboxState> => {
    if (state === undefined && options.platform === 'linux') {
      closeInheritedFiles();
      bwrap = find('bwrap', options.path) ?? '';
      sealing = sealable(bwrap);
    }
    state ??= probeSandbox(options);
    return state;
  };

  let isDisposed = false;
  return {
    state: look,
    prepare: () =>
      void look().then((found) => {
        const needsNetwork = found.type === 'on' && found.mode === 'workspace-write';
        if (needsNetwork && !isDisposed) void open();
      }),
    isExcluded: async (command) => options.isExcluded(command),
    async confine(request) {
      const found = await look();
      if (request.grant.basis === 'own') return unconfined('typed by the user', request.env);
      const env = withoutTokens(request.env, options.environment);
      if (found.type !== 'on') return unconfined(found.reason, found.type === 'off' ? request.env : env);
      if (request.grant.basis !== 'read-only' && (await options.isExcluded(request.command)))
        return unconfined('excluded by the settings', request.env);
      const given = options.places();
      const isLook = found.mode === 'read-only' || request.grant.basis === 'read-only';
      const workspace = given.workspace.flatMap(resolved);
      const roots = isLook ? [] : workspace;
      const walked = roots.map(walk);
      const repositories = walked.flatMap((one) => one.repositories);
      const writable = isLook ? [] : writableFolders(given);
      for (const folder of [...roots, ...repositories].flatMap(gitFoldersOf))
        if (writable.some((place) => isInside(folder, place))) gitFolders.complete(folder);
      const places = findPlaces({
        ...given,
        repositories,
        projectSecrets: isLook ? workspace.flatMap(findSecrets) : [],
        // Profiles of macOS cannot put one folder in the place of another.
        ...(options.platform === 'linux' ? { privateTemporary: (shared) => temporary.open(shared) } : {}),
        scratchParent: options.scratchParent(request.scratch),
      });
      if (!isLook) created.splice(0).forEach(temporary.adopt);
      const scratch = realpathSync(request.scratch);
      const where = { cwd: request.cwd, scratch };
      const plan = planCommand(found.mode, request.grant.basis, where, places, {
        isOwn: temporary.isOwn,
        named: (folder) => temporary.named(folder, request.command),
      });
      temporary.share();
      for (const folder of plan.temporary) temporary.link(folder, folder.mounted, request.command);
      const wayOut = plan.network === 'session' ? await open() : undefined;
      const token = randomBytes(9).toString('base64url');
      const own: RunningRequest = {
        request,
        hosts: new Set(),
        refused: new Set(),
        problems: new Set(),
        answers: new Map(),
      };
      const onRelease = (): void => void running.delete(token);
      const obeyed = watchObeyed(
        walked.map((one) => one.obeyed),
        () => roots.map((root) => walk(root).obeyed),
        {
          kept: [...plan.protected, ...plan.hidden.map(({ path }) => path)],
          root: roots[0] ?? '/',
          setAside: setAside.move,
        },
      );
      const share = (): void => temporary.share();
      const hasTemporary = [...plan.temporary, ...places.temporary].length > 0;
      const changes = reported(obeyed, untold, setAside.told);
      const confinement = confined({
        plan,
        hasTemporary,
        env,
        bwrap,
        sealed: await sealing,
        wayOut,
        token,
        asking: own,
        options,
        changes,
        share,
        onRelease,
      });
      if (plan.network === 'session') running.set(token, own);
      return confinement;
    },
    adopt: (path) => void created.push(path),
    outside: (request, reason) => unconfined(reason, request.env),
    dispose() {
      isDisposed = true;
      proxy.close();
      proxy.closeAllConnections();
      void opened?.then((one) => one?.close());
      gitFolders.release();
      temporary.release();
    },
  };
}

/** How confined commands reach the proxy. */
interface WayOut {
  readonly port: number;
  /** Goes before the program that is to run there. */
  enter(): readonly string[];
  close(): void;
  /** Servers of commands in the background, on this machine's loopback; where the network is another. */
  readonly forwarder?: PortForwarder;
}

/** Undefined where commands can have no network at all. */
async function openWayOut(
  proxy: Server,
  { platform, path, node, network }: SandboxOptions,
): Promise<WayOut | undefined> {
  if (platform === 'darwin') {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    if (address === null || typeof address === 'string') return undefined;
    return { port: address.port, enter: () => [], close: () => undefined };
  }
  const [bwrap, nsenter] = [find('bwrap', path), find('nsenter', path)];
  if (bwrap === undefined || nsenter === undefined) return undefined;
  const { localPorts, reservedPorts } = network;
  const joined = await SessionNetwork.open({ bwrap, nsenter, node, proxy, localPorts });
  const enter = (): readonly string[] => joined.enter();
  const forwarder = new PortForwarder({
    enter,
    node,
    ownPorts: [joined.port, ...localPorts, ...reservedPorts],
  });
  const close = (): void => {
    forwarder.close();
    joined.close();
  };
  return { port: joined.port, enter, close, forwarder };
}

/** What the proxy needs to know of a command that runs. */
interface RunningRequest {
  readonly request: CommandRequest;
  readonly hosts: Set<string>;
  readonly refused: Set<string>;
  /** Why a host that is allowed was not connected to. */
  readonly problems: Set<string>;
  readonly answers: Map<string, Promise<boolean>>;
}

/** Questions about hosts that one command can raise: a longer list would be confirmed without being read. */
const MAX_HOST_QUESTIONS = 10;
/** Hosts that the record of one command names. */
const MAX_NAMED = 100;

/** A host is asked about once for each command, however often it is connected to. */
async function allowsHost(
  host: string,
  port: number,
  asking: RunningRequest | undefined,
  { verdict }: NetworkRules,
): Promise<boolean> {
  const name = `${host}:${port}`;
  const said = verdict(host);
  const isAsked = said === 'ask' || said === 'always ask';
  const isAllowed = isAsked ? await askedAbout(host, port, said === 'always ask', asking) : said === 'allow';
  const named = isAllowed ? asking?.hosts : asking?.refused;
  if (named !== undefined && named.size < MAX_NAMED) named.add(name);
  return isAllowed;
}

async function askedAbout(
  host: string,
  port: number,
  isAlways: boolean,
  asking: RunningRequest | undefined,
): Promise<boolean> {
  const askHost = asking?.request.askHost;
  if (asking === undefined || askHost === undefined) return false;
  const { answers, problems } = asking;
  const name = `${host}:${port}`;
  const known = answers.get(name);
  if (known !== undefined) return known;
  if (answers.size >= MAX_HOST_QUESTIONS) {
    problems.add(`it wanted to reach more than ${MAX_HOST_QUESTIONS} hosts that no rule allows`);
    return false;
  }
  const answer = askHost(host, port, isAlways).catch(() => false);
  answers.set(name, answer);
  return answer;
}

async function connectTo(
  host: string,
  port: number,
  { resolve, throughProxy }: NetworkRules,
): Promise<Socket> {
  // The user's proxy resolves names itself; IP literals and localhost are checked here.
  const known = isIP(host) !== 0 || /(?:^|\.)localhost$/i.test(host) ? await resolve(host) : undefined;
  const joined = await throughProxy?.(host, port);
  if (joined !== undefined) return joined;
  const addresses = known ?? (await resolve(host));
  const socket = connect({
    host,
    port,
    autoSelectFamily: true,
    lookup: (_host, { all }, callback) => {
      const [first] = addresses;
      if (all) callback(null, [...addresses]);
      else callback(null, first?.address ?? '', first?.family);
    },
  });
  return new Promise((done, fail) => {
    socket.once('connect', () => done(socket));
    socket.once('error', (error) => fail(new Error(`${host} cannot be reached: ${error.message}`)));
  });
}

function unconfined(reason: string, env: Readonly<Record<string, string>>): Confinement {
  return {
    isConfined: false,
    launch: (program, args) => ({ program, args, inherit: [], env }),
    record: () => ({ mode: 'none', reason }),
    blocked: () => undefined,
    obeyedChanges: () => [],
    share: () => undefined,
    keep: () => undefined,
    release: () => undefined,
  };
}

interface ReportedChanges {
  take(): readonly string[];
  /** The command and all that it started are gone. */
  end(): void;
}

/** What a command changed until its end is said with the next one, where nobody asks about this one any more. */
function reported(obeyed: ObeyedChanges, untold: string[], onTold: () => void): ReportedChanges {
  let left: readonly string[] | undefined;
  return {
    take() {
      const own = left?.filter((change) => untold.includes(change)) ?? obeyed.take();
      const earlier = untold.splice(0).filter((change) => !own.includes(change));
      onTold();
      return [...earlier.map((change) => `${change} (by an earlier command)`), ...own];
    },
    end() {
      if (left !== undefined) return;
      left = obeyed.take();
      untold.push(...left);
    },
  };
}

interface ConfinedParts {
  readonly plan: SandboxPlan;
  /** Whether it may write to some temporary folder besides its own one. */
  readonly hasTemporary: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; where there is one. */
  readonly bwrap: string;
  /** See `BubblewrapOptions`. */
  readonly sealed: readonly string[];
  readonly wayOut: WayOut | undefined;
  readonly token: string;
  readonly asking: RunningRequest;
  readonly options: SandboxOptions;
  readonly changes: ReportedChanges;
  readonly share: () => void;
  readonly onRelease: () => void;
}

function confined({
  plan,
  hasTemporary,
  env,
  bwrap,
  sealed,
  wayOut,
  token,
  asking,
  options,
  changes,
  share,
  onRelease,
}: ConfinedParts): Confinement {
  const descriptors: number[] = [];
  let kept: number | undefined;
  const release = (): void => {
    changes.end();
    if (kept !== undefined) wayOut?.forwarder?.unwatch(kept);
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
    onRelease();
  };
  const isolated =
    wayOut === undefined && plan.network === 'session' ? { ...plan, network: 'none' as const } : plan;
  // Some are called protected wherever they are, as seatbelt can do.
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
        // What bash writes for a long here-document goes there, too.
        ...(plan.mode === 'read-only' || !hasTemporary ? { TMPDIR: plan.scratch } : {}),
        ...(plan.mode === 'workspace-write' ? { ...options.caches, ...ownChoices(options.caches, env) } : {}),
        ...(wayOut === undefined ? {} : proxyVariables(token, wayOut.port)),
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
        ...(wayOut?.enter() ?? []),
        bwrap,
        ...bubblewrapArguments(present, {
          filter: bytes === undefined ? undefined : 3,
          gate: { info: first, block: first + 1 },
          // Not one that is gone since.
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
        admit: (group, pipes) => admit(expected, plan.scratch, group, pipes),
      };
    },
    record(): SandboxRecord {
      return {
        mode: plan.mode,
        ...(asking.hosts.size === 0 ? {} : { hosts: [...asking.hosts] }),
        ...(asking.refused.size === 0 ? {} : { refusedHosts: [...asking.refused] }),
      };
    },
    blocked: (output, exitCode) => whyBlocked(output, exitCode, [...asking.refused], [...asking.problems]),
    obeyedChanges: changes.take,
    share,
    keep(pid) {
      share();
      if (wayOut?.forwarder === undefined || !options.network.forwardPorts) return;
      kept = pid;
      wayOut.forwarder.watch(pid);
    },
    release,
  };
}

/** A variable that the user has set stays theirs. */
function ownChoices(caches: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name in caches));
}

/** In the spelling of every program: some know only lower case, some only upper case. */
function proxyVariables(token: string, port: number): Record<string, string> {
  const proxy = `http://${token}:x@127.0.0.1:${port}`;
  const direct = 'localhost,127.0.0.1,::1';
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    no_proxy: direct,
    NO_PROXY: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}

/**
 * Limits that hold for the command and all that it starts, set by its own shell before anything else: the last argument
 * is the script. The kernel ends it first when memory runs out.
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

/** What decides whether there is a sandbox. */
export type ProbeOptions = Pick<
  SandboxOptions,
  'enabled' | 'mode' | 'platform' | 'path' | 'machine' | 'allowUnixSockets'
>;

/** Looks what this machine can do; takes the time of one command. Never rejects. */
export async function probeSandbox({
  enabled,
  mode,
  platform,
  path,
  machine,
  allowUnixSockets,
}: ProbeOptions): Promise<SandboxState> {
  if (mode === 'danger-full-access')
    return { type: 'off', reason: 'sandbox mode danger-full-access', isFullAccess: true };
  if (!enabled) return { type: 'off', reason: 'switched off in the settings (sandbox.enabled)' };
  if (platform === 'darwin') {
    return isExecutable(SEATBELT)
      ? { type: 'on', mode }
      : {
          type: 'unavailable',
          reason: `${SEATBELT} is missing`,
          fix: 'It comes with macOS; repair the system.',
        };
  }
  if (platform !== 'linux')
    return {
      type: 'unavailable',
      reason: `there is none for ${platform}`,
      fix: 'Run ClawdCode in WSL or a container.',
    };
  const bwrap = find('bwrap', path);
  if (bwrap === undefined)
    return {
      type: 'unavailable',
      reason: 'bubblewrap is not installed',
      fix: 'Install the package bubblewrap (apt, dnf, pacman, apk or zypper).',
    };
  if (!allowUnixSockets && socketFilter(machine) === undefined)
    return {
      type: 'unavailable',
      reason: `no socket filter for ${machine}`,
      fix: 'Set sandbox.network.allowUnixSockets.',
    };
  const problem = await problemOf(bwrap);
  if (problem === undefined) return { type: 'on', mode };
  return {
    type: 'unavailable',
    reason: `bubblewrap does not work here: ${problem}`,
    fix: 'It needs unprivileged user namespaces: see kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, or the options of the container.',
  };
}

const plainProbe = [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--', '/bin/sh', '-c', ':'],
];

/** The mounts of this machine that bubblewrap makes read-only while it works; none where it needs no help with that. */
async function sealable(bwrap: string): Promise<readonly string[]> {
  const mounts = writableMounts(mountsNow());
  return bwrap !== '' && (await problemOf(bwrap, sealingProbe(mounts))) === undefined ? mounts : [];
}

/** What bubblewrap says when it cannot do what commands need; undefined when all is well. */
function problemOf(bwrap: string, args: readonly string[] = plainProbe): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(bwrap, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {},
      timeout: PROBE_TIMEOUT_MS,
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, 300);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? undefined : said.trim() || `exit code ${code}`));
  });
}

function find(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
