/** Connects the sandbox with the settings, paths and rules of one session. */

import { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { arch, platform, totalmem } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { Agent } from '../agent/types.ts';
import { derivedFrom } from '../config/addedDirectories.ts';
import { isManaged } from '../config/managed.ts';
import type { LoadedSettings } from '../config/types.ts';
import { getProjectStoragePath, signingKeyFile } from '../context/index.ts';
import { pathOutside } from '../disk/ownPrograms.ts';
import { isInside, realpath, temporaryFolders } from '../disk/paths.ts';
import { absolutePath, pathsInWorktree, resolveSettingsPath, unmoved } from '../disk/settingsPaths.ts';
import { proxyAmong, readProxies } from '../model/http/proxies.ts';
import {
  isReadOnlyForCommands,
  type ProtectionPlace,
  protectionPlace,
} from '../permissions/files/protectedNames.ts';
import { isSensitive } from '../permissions/files/sensitive.ts';
import { gitSettingsRunPrograms } from '../permissions/lookups/gitPrograms.ts';
import { createHomeLinks } from '../permissions/lookups/homeLinks.ts';
import { parseRule, type SourcedRule } from '../permissions/rules/rules.ts';
import { coversDomain } from '../permissions/webDecision.ts';
import type { CommandSandbox, SandboxMode } from '../protocol/sandbox.ts';
import { cacheVariables } from '../sandbox/environment.ts';
import { HostRefusedError, type NetworkRules } from '../sandbox/network/commandNetwork.ts';
import { portNotesFolder } from '../sandbox/network/portNotes.ts';
import type { DeniedPlaces } from '../sandbox/options.ts';
import type { ProbeOptions } from '../sandbox/probe.ts';
import { unreportedSetAside } from '../sandbox/protectedChanges.ts';
import { createCommandSandbox } from '../sandbox/Sandbox.ts';
import { namesOnPaths, programNames } from '../sandbox/temporary/temporaryNames.ts';
import { SCRATCH_NAME } from '../tools/shell/scratch.ts';
import { isPublicAddress, systemResolve } from '../tools/web/publicAddress.ts';
import { createOwnPorts } from './ownPorts.ts';
import type { OwnCompiledCode } from './permissions/compiledCode.ts';
import { createDeniedPlaces, type DeniedQuery } from './permissions/deniedPlaces.ts';
import { hostVerdict, type Permissions } from './permissions/permissions.ts';
import { createReadOnlyPlaces } from './permissions/readOnlyPlaces.ts';
import { scriptsIn } from './permissions/workspaceScripts.ts';
import type { AppPaths } from './process/appPaths.ts';
import { commandVariables, isToken } from './process/commandVariables.ts';
import { createOwnFolders, ownFiles } from './process/ownFiles.ts';

/** Finds what rules deny reading; see `createDeniedPlaces`. */
export type FindDenied = (query: DeniedQuery) => Promise<DeniedPlaces>;

interface SandboxParts {
  readonly place: AppPaths;
  /** The project's root, if `place` is a worktree of it. */
  readonly project?: string | undefined;
  readonly loaded: LoadedSettings;
  readonly permissions: Permissions;
  /** From the command line; overrides the settings. */
  readonly mode: SandboxMode | undefined;
  /** Absent = in this thread. */
  readonly findDenied?: FindDenied | undefined;
  readonly compiledCode?: OwnCompiledCode | undefined;
}

/** Returns the options that decide whether there is a sandbox; a mode on the command line requests one. */
export function probeOptions(
  place: AppPaths,
  { settings: { sandbox }, added }: Pick<LoadedSettings, 'settings' | 'added'>,
  mode?: SandboxMode,
): ProbeOptions {
  const { root } = place;
  return {
    mode: mode ?? sandbox.mode,
    enabled: sandbox.enabled || mode !== undefined,
    platform: platform(),
    machine: arch(),
    path: unwritablePath([root, ...added.directories(), ...temporaryFolders(), ...sandbox.allowWrite], place),
    allowUnixSockets: sandbox.network.allowUnixSockets,
  };
}

/**
 * Returns the PATH without folders that commands may write: a command could plant a program there that runs outside the
 * sandbox of the next one.
 */
export function unwritablePath(folders: readonly string[], place: AppPaths): string {
  const { env } = place;
  const places = folders.map((folder) => resolveSettingsPath(folder, place));
  return pathOutside(
    env,
    places.flatMap(({ path, realPath }) => [path, realPath]),
    realpath,
  );
}

export function createSessionSandbox({
  place,
  project = place.root,
  loaded,
  permissions,
  mode,
  findDenied = inThisThread(),
  compiledCode = (env) => env,
}: SandboxParts): CommandSandbox {
  const { home, systemHome, root, dataRoot, env } = place;
  const { sandbox } = loaded.settings;
  const inPlace = (paths: readonly string[]) => pathsInWorktree(paths, { project, worktree: root });
  const { directories } = loaded.added;
  const addedFolders = () => inPlace(directories());
  const workspaceNow = () => [root, ...unmoved(addedFolders())];
  const { env: added, granted } = commandVariables(loaded);
  const { network, limits } = sandbox;
  const tunnel = proxyTunnel(env);
  const isBinding = Object.keys(loaded.sources).some(
    (key) => key.startsWith('sandbox.') && isManaged(loaded.sources, key),
  );
  const hosts = { ...network, isWholeList: isManaged(loaded.sources, 'sandbox.network.allowedDomains') };
  // One cache per project: otherwise a project could plant files that run in the sandbox of another project.
  const caches = join(dataRoot, 'cache', 'sandbox', basename(getProjectStoragePath(dataRoot, project)));
  const protectedNow = derivedFrom(directories, () => {
    const protection = protectionPlace(home, workspaceNow(), realpath, createHomeLinks(env)(home));
    const run = scriptsIn(loaded, { project, root, home });
    // The same names are checked before and after each command.
    const isReadOnly = remembered((path) => run.includes(path) || isReadOnlyForCommands(path, protection));
    return { isReadOnly, files: [...run, ...linkedTargets(protection, isReadOnly)] };
  });
  const sensitive = remembered(isSensitive);
  const onPaths = namesOnPaths({ ...env, ...added }, temporaryFolders(), realpath);
  const readOnlyPlaces = createReadOnlyPlaces();
  const openedForWriting = () => unmoved(inPlace(sandbox.allowWrite)).map(realpath);
  const writableRoots = derivedFrom(directories, () =>
    [...workspaceNow(), ...openedForWriting()].map(realpath),
  );
  const isWritable = (path: string): boolean => writableRoots().some((one) => isInside(realpath(path), one));
  const own = (): readonly string[] => {
    createOwnFolders(place.packageRoot, isWritable);
    return ownFiles(place.packageRoot).filter(isWritable);
  };
  return createCommandSandbox({
    ...probeOptions(place, loaded, mode),
    node: process.execPath,
    places: () => ({
      workspace: [root, ...addedFolders()],
      home,
      systemHome,
      env: { ...env, ...added },
      user: process.getuid?.(),
      dataRoot,
      temporary: temporaryFolders(),
      allowWrite: [...inPlace(sandbox.allowWrite), realpath(ensured(caches))],
      denyRead: hiddenFromCommands(sandbox.denyRead, { root, project }),
      denyReadAlways: [
        ...hiddenFromCommands(loaded.managedDenyRead, { root, project }),
        signingKeyFile(dataRoot),
      ],
      allowRead: inPlace(sandbox.allowRead),
      readByRule: readByRule(permissions.rules(), home),
      isReadOnlyForCommands: (path) => protectedNow().isReadOnly(path),
      protectedFiles: protectedNow().files,
      isSensitive: sensitive,
    }),
    isReadable: permissions.isReadable,
    denyWrite: async () => {
      const opened = openedForWriting();
      const places = await readOnlyPlaces({
        home,
        workspace: workspaceNow(),
        rules: permissions.rules(),
        opened,
      });
      return [...places, ...own().filter((path) => !opened.some((one) => isInside(path, one)))];
    },
    denied: () =>
      findDenied({
        home,
        workspace: workspaceNow(),
        rules: permissions.rules().filter(({ behavior }) => behavior === 'deny'),
        opened: unmoved(inPlace(sandbox.allowRead)).map(realpath),
        // A worktree is removed with its agent.
        ...(root === project && { notes: join(dataRoot, 'sandbox', 'tracked.json') }),
      }),
    temporary: {
      parentName: SCRATCH_NAME,
      isOfProgram: programNames({ number: process.getuid?.(), name: env.USER ?? env.LOGNAME }),
      isOnPath: (name) => onPaths.has(name),
    },
    scratchParent: (scratch) => (dirname(scratch).endsWith(SCRATCH_NAME) ? dirname(scratch) : undefined),
    environment: { granted, isToken },
    outside: compiledCode,
    gitNotes: join(dataRoot, 'sandbox', 'git'),
    repositoryNotes: join(dataRoot, 'sandbox', 'repositories.json'),
    secretNotes: join(dataRoot, 'sandbox', 'secrets.json'),
    emptyFile: join(dataRoot, 'sandbox', 'empty'),
    setAsideNotes: setAsideNotes(dataRoot),
    commandNotes: join(dataRoot, 'sandbox', 'commands'),
    caches: cacheVariables(caches),
    network: {
      verdict: (host) => hostVerdict(host, hosts, permissions.rules()),
      resolve: (host) => addressesOf(host, network.allowedDomains),
      localPorts: network.allowLocalPorts,
      forwardPorts: network.forwardPorts,
      reservedPorts: createOwnPorts(place, loaded),
      portNotes: portNotesFolder(dataRoot),
      ...(tunnel === undefined ? {} : { throughProxy: tunnel }),
    },
    limits: {
      memoryBytes: limits.memoryMb === null ? Math.floor(totalmem() * 0.75) : limits.memoryMb * 2 ** 20,
      processes: limits.processes,
    },
    isBinding,
    isExcluded: (command) => permissions.matches(sandbox.excludedCommands, command),
    gitUse: (command, cwd) => permissions.gitUse(command, cwd),
    replacesPackages: (command, cwd) => permissions.replacesPackages(command, cwd),
    steps: (command, cwd) => permissions.steps(command, cwd),
    gitRunsPrograms: gitSettingsRunPrograms,
  });
}

function inThisThread(): FindDenied {
  const find = createDeniedPlaces();
  return async (query) => find(query);
}

/** Each is a mount. */
const MAX_TARGETS = 200;

/** The outermost read-only files and folders of the workspace that links in the home lead to. */
function linkedTargets(
  { links = [], workspace }: ProtectionPlace,
  isReadOnly: (path: string) => boolean,
): readonly string[] {
  const isBelow = (path: string, folders: readonly string[]): boolean =>
    folders.some((folder) => path !== folder && isInside(path, folder));
  const targets = [...new Set(links.map(({ target }) => target))].filter(
    (path) => isBelow(path, workspace) && isReadOnly(path),
  );
  return targets.filter((path) => !isBelow(path, targets)).slice(0, MAX_TARGETS);
}

/** Absolute paths. What is hidden in the project is hidden in its worktrees, too. */
export function hiddenFromCommands(
  paths: readonly string[],
  { root, project }: Pick<AppPaths, 'root'> & { readonly project: string },
): readonly string[] {
  if (root === project) return paths;
  const all = [...paths, ...paths.map(realpath)].flatMap((path) =>
    isInside(path, project) ? [path, join(root, relative(project, path))] : [path],
  );
  return [...new Set(all)];
}

const setAsideNotes = (dataRoot: string): string => join(dataRoot, 'sandbox', 'set-aside');

/** Returns notices about this project left by earlier sessions that ended prematurely. */
export const sandboxNotices = ({ dataRoot, root }: AppPaths, { added }: LoadedSettings): readonly string[] =>
  unreportedSetAside(setAsideNotes(dataRoot), [root, ...unmoved(added.directories())]);

/** Returns paths outside the project that `Read` rules allow: each pattern up to its first wildcard. */
function readByRule(rules: readonly SourcedRule[], home: string): readonly string[] {
  return rules.flatMap(({ behavior, text }) => {
    const parsed = parseRule(text);
    if (behavior !== 'allow' || 'error' in parsed || !/^(?:Read|Edit|Write)$/.test(parsed.tool)) return [];
    if (parsed.spec === undefined) return [realpath(home)];
    const [, start = '', path = ''] = /^(~\/|\/\/)([^*?[{]*)/.exec(parsed.spec) ?? [];
    if (start === '') return [];
    // For `~/notes/a*`, the folder.
    const isWhole = path === parsed.spec.slice(start.length) || /(?:^|\/)$/.test(path);
    const named = `${start.slice(0, -1)}/${isWhole ? path : dirname(path)}`.replace('//', '/');
    return [absolutePath(named, { home: realpath(home), root: '/' })];
  });
}

function ensured(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Without this folder, package managers work without a cache.
  }
  return folder;
}

/** More than the number of names at the top of any project. */
const MAX_REMEMBERED = 10_000;

/** Memoizes a pure function. */
function remembered(says: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    if (known.size > MAX_REMEMBERED) known.clear();
    const now = says(path);
    known.set(path, now);
    return now;
  };
}

/**
 * Resolves a host. An address in this machine or its network is refused unless the host is explicitly listed, since
 * anyone can publish a name with such an address.
 */
async function addressesOf(host: string, allowedDomains: readonly string[]) {
  const addresses = await systemResolve(host);
  if (addresses.length === 0) throw new Error(`${host} has no address`);
  const isListed = allowedDomains.some((domain) => !domain.startsWith('*') && coversDomain(domain, host));
  if (!isListed && addresses.some(({ address }) => !isPublicAddress(address)))
    throw new HostRefusedError(
      `${host} has an address of a private network: list it in sandbox.network.allowedDomains`,
    );
  return addresses;
}

/** Returns a tunnel through the environment's proxy for a host; the proxy then resolves the name itself. */
function proxyTunnel(env: AppPaths['env']): NonNullable<NetworkRules['throughProxy']> | undefined {
  const proxies = readProxies(env);
  if (proxies === undefined) return undefined;
  return async (host, port) => {
    const literal = host.includes(':') ? `[${host}]` : host;
    const proxy = proxyAmong(new URL(`${port === 80 ? 'http' : 'https'}://${literal}:${port}`), proxies);
    if (proxy === undefined) return undefined;
    const Agent = /^socks/i.test(proxy)
      ? (await import('socks-proxy-agent')).SocksProxyAgent
      : (await import('https-proxy-agent')).HttpsProxyAgent;
    // The agent only waits for an event of the request, which never comes.
    const request = new EventEmitter() as unknown as ClientRequest;
    return (await new Agent(proxy).connect(request, { host, port, secureEndpoint: false })) as Socket;
  };
}

/** Tells the sandbox about each file that a call of the agent has created or changed. */
export function adoptChangedFiles(
  agent: Pick<Agent, 'subscribe'>,
  sandbox: Pick<CommandSandbox, 'adopt'>,
): void {
  agent.subscribe((event) => {
    const changes = event.type === 'entry' ? (event.entry.toolResult?.filesChanged ?? []) : [];
    for (const { kind, path } of changes) if (kind !== 'deleted') sandbox.adopt(path, kind);
  });
}
