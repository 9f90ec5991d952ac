/**
 * Derives what one command may do from the settings, the places and the basis of its permission. Describes only access
 * to files and network; `bubblewrap.ts` and `seatbelt.ts` translate it for the operating system. Pure.
 */
import { dirname } from 'node:path';
import { depthOf, isInside } from '../disk/paths.ts';
import type { PermissionBasis } from '../protocol/permissions.ts';
import type { SandboxMode } from '../protocol/sandbox.ts';
import type { Elsewhere, HiddenPlace } from './places/homeElsewhere.ts';
import type { PrivateTemporary, TemporaryFolders } from './temporary/temporaryFolders.ts';

/** Absolute, resolved paths of existing files and folders. */
export interface SandboxPlaces {
  /** The project and the directories added to it. */
  readonly workspace: readonly string[];
  /** Folders for temporary files that commands share with all programs. */
  readonly temporary: readonly string[];
  /** Shared folders that are replaced by a private one for commands. */
  readonly privateTemporary: readonly PrivateTemporary[];
  /** Paths in shared temporary folders that must stay visible as they are: the home, folders of programs. */
  readonly needed: readonly string[];
  /** Git folders outside the workspace that the command may change, as of a linked worktree. */
  readonly gitFolders: readonly string[];
  /** Git folders that it may not change, because it is not a git command; among `protected` or outside. */
  readonly closedGitFolders: readonly string[];
  /** In writable places: files that other programs run or take settings from, and what rules deny editing. */
  readonly protected: readonly string[];
  /** Secrets. */
  readonly hidden: readonly HiddenPlace[];
  /** Places that managed settings hide: no other setting makes anything in them visible. */
  readonly alwaysHidden: readonly HiddenPlace[];
  /** The project's own secrets (`.env`): hidden from commands that run without approval. */
  readonly projectSecrets: readonly string[];
  /** Folders with a secret that cannot be hidden on its own: hidden as a whole from the same commands. */
  readonly secretFolders?: readonly string[];
  /** An empty file that commands cannot change, which appears in place of such secrets; absent = a device does. */
  readonly emptyFile?: string | undefined;
  /** In hidden folders: paths that may still be read. */
  readonly readable: readonly string[];
  /** Other entries of the home, hidden from commands that run without approval; see `homeElsewhere`. */
  readonly elsewhere: Elsewhere;
  /** Outside the workspace: `sandbox.allowWrite`, and caches of package managers. */
  readonly writable: readonly string[];
  /** Contains the folders of all running commands; each command sees only its own. */
  readonly scratchParent: string | undefined;
}

/** `session`: the session's own loopback, and a proxy that checks host names. */
type PlannedNetwork = 'none' | 'session';

export interface SandboxPlan {
  readonly mode: 'read-only' | 'workspace-write';
  readonly cwd: string;
  /** Outermost first: a later entry may be inside an earlier one. */
  readonly writable: readonly string[];
  readonly hidden: readonly HiddenPlace[];
  /** Paths in the workspace that user or managed settings hide. */
  readonly denied: readonly string[];
  readonly readable: readonly string[];
  readonly protected: readonly string[];
  /** Git folders that are read-only because the command is not a git command. */
  readonly closedGitFolders: readonly string[];
  /**
   * Folders that cannot be renamed, though their content can be changed: they contain something protected, hidden or
   * writable.
   */
  readonly pinned: readonly string[];
  readonly scratch: string;
  readonly scratchParent: string | undefined;
  readonly temporary: readonly PlannedTemporary[];
  /** See `SandboxPlaces`. */
  readonly emptyFile?: string;
  readonly network: PlannedNetwork;
}

export interface PlannedTemporary extends PrivateTemporary {
  /**
   * Names in the shared folder that are mounted in the command's private one, read-only unless something else opens
   * them.
   */
  readonly mounted: readonly string[];
}

/**
 * Why a command cannot run here: settings hide a folder that it needs. Undefined if it can. The message is for
 * the user and the model.
 */
export function hiddenNeed(
  { alwaysHidden, hidden, readable }: Pick<SandboxPlaces, 'alwaysHidden' | 'hidden' | 'readable'>,
  { root, cwd, scratch }: { readonly root: string; readonly cwd: string; readonly scratch: string },
): string | undefined {
  const needs = [
    [root, 'Start ClawdCode in another folder'],
    [scratch, 'Set TMPDIR to another folder, and start ClawdCode again'],
    [cwd, 'Run it in another folder'],
  ] as const;
  for (const [path, advice] of needs) {
    const place = alwaysHidden.find((one) => isInside(path, one.path));
    if (place !== undefined)
      return `managed settings of this machine hide ${place.path} from commands (sandbox.denyRead), and ${path} is inside it. ${advice}`;
  }
  const all = [...alwaysHidden, ...hidden];
  const opened = (path: string, place: string): boolean =>
    readable.some((one) => isInside(path, one) && isInside(one, place));
  for (const needed of neededFolders) {
    const place = all.find(({ path }) => isInside(needed, path) && !opened(needed, path));
    if (place !== undefined)
      return `the settings hide ${place.path} from commands (sandbox.denyRead), and programs need ${needed} to run. Remove ${place.path} from that setting, and list the secret folders in it instead`;
  }
  return undefined;
}

/** Folders that every shell needs to start. */
const neededFolders = ['/usr/bin', '/usr/lib', '/bin', '/lib', '/lib64'];

/** Plans a command. A read-only command gets only what reading requires, in any mode. */
export function planCommand(
  mode: Exclude<SandboxMode, 'danger-full-access'>,
  basis: PermissionBasis,
  { cwd, scratch }: { readonly cwd: string; readonly scratch: string },
  places: SandboxPlaces,
  temporaryFolders: Pick<TemporaryFolders, 'isOwn'> & {
    readonly named: (folder: PrivateTemporary) => readonly string[];
  } = { isOwn: () => false, named: () => [] },
): SandboxPlan {
  const isReadOnly = basis === 'read-only';
  const writes = mode === 'workspace-write' && !isReadOnly;
  const { alwaysHidden } = places;
  const isClosed = (path: string): boolean => alwaysHidden.some((place) => isInside(path, place.path));
  const open = (paths: readonly string[]): readonly string[] => paths.filter((path) => !isClosed(path));
  const writable = open(
    writes ? [...places.temporary, ...places.gitFolders, ...places.writable, ...places.workspace] : [],
  );
  const secrets = isReadOnly
    ? [
        ...places.projectSecrets.map((path) => ({ path, isDirectory: false, isEmpty: true })),
        ...(places.secretFolders ?? [])
          .filter((folder) => !isInside(cwd, folder))
          .map((path) => ({ path, isDirectory: true })),
      ]
    : [];
  const hidden = [
    ...[
      ...places.hidden,
      ...secrets,
      ...(isReadOnly ? places.elsewhere.hidden.filter(({ path }) => path !== cwd) : []),
    ].filter(({ path }) => !isClosed(path)),
    ...alwaysHidden,
  ];
  // The user may have approved a `cd` to a folder there.
  const isAway = places.elsewhere.hidden.some(({ path }) => isInside(cwd, path));
  const seen = isReadOnly ? [...places.elsewhere.readable, ...(isAway ? [cwd] : [])] : [];
  const privateTemporary = places.privateTemporary.filter(({ shared }) => !isClosed(shared));
  const left = writes ? [] : privateTemporary.map(({ own }) => own);
  const hiddenPaths = hidden.map(({ path }) => path);
  // Paths that are visible in a writable folder anyway must not become read-only.
  const readable = open([...places.readable, ...seen, ...left]).filter(
    (path) => hiddenPaths.includes(path) || !isBelowWritable(path, writable, hiddenPaths),
  );
  const closed = [...hiddenPaths, ...readable];
  // A link may put a protected file outside the workspace: nothing can be written there, and it must not become
  // visible.
  const kept = places.protected.filter((path) => isInWritable(path, writable, closed));
  const pinned = pinnedFolders(writable, [...kept, ...closed]);
  const isOfWorkspace = (path: string): boolean => places.workspace.some((folder) => isInside(path, folder));
  const isOpenedIn = (path: string): boolean =>
    [...writable, ...readable].some((one) => one !== path && isInside(one, path));
  const hiddenNow = hidden.map((place) =>
    place.isDirectory && isOfWorkspace(place.path) && !isOpenedIn(place.path)
      ? { ...place, isClosed: true }
      : place,
  );
  const mounts = [...writable, ...readable, ...kept, ...pinned, ...places.needed, cwd, scratch];
  const temporary = (writes ? privateTemporary : []).map((folder): PlannedTemporary => {
    const names = [...mounts.flatMap((path) => nameIn(path, folder)), ...temporaryFolders.named(folder)];
    return {
      ...folder,
      mounted: [...new Set(names)].filter((name) => !temporaryFolders.isOwn(folder, name)),
    };
  });
  return {
    mode: writes ? 'workspace-write' : 'read-only',
    cwd,
    writable: outermostFirst(writable),
    denied: [...places.hidden, ...alwaysHidden].map(({ path }) => path).filter(isOfWorkspace),
    hidden: temporary.length === 0 ? hiddenNow : hiddenWith(hiddenNow, temporary, places.scratchParent),
    readable,
    protected: kept,
    closedGitFolders: writes ? places.closedGitFolders : [],
    pinned,
    scratch,
    scratchParent: places.scratchParent,
    temporary,
    ...(places.emptyFile !== undefined && { emptyFile: places.emptyFile }),
    network: isReadOnly ? 'none' : 'session',
  };
}

/** The name of the entry in a shared temporary folder through which a path leads. */
function nameIn(path: string, { shared, parent }: PrivateTemporary): readonly string[] {
  if (path === shared || !isInside(path, shared) || isInside(path, parent)) return [];
  return [path.slice(shared.length + 1).split('/')[0] ?? ''];
}

/**
 * Places hidden in a shared temporary folder are also hidden at its second path; at the first they need hiding only if
 * mounted.
 */
function hiddenWith(
  hidden: readonly HiddenPlace[],
  temporary: readonly PlannedTemporary[],
  scratchParent: string | undefined,
): readonly HiddenPlace[] {
  const isMounted = (path: string): boolean =>
    temporary.every((folder) => nameIn(path, folder).every((name) => folder.mounted.includes(name)));
  const parents = new Set([
    ...temporary.map(({ parent }) => parent),
    ...(scratchParent ? [scratchParent] : []),
  ]);
  const all = [...hidden, ...[...parents].map((path) => ({ path, isDirectory: true }))];
  const again = temporary.flatMap(({ shared, outside }) =>
    all
      .filter(({ path }) => path !== shared && isInside(path, shared))
      .map((place) => ({ ...place, path: outside + place.path.slice(shared.length) })),
  );
  return [...hidden.filter(({ path }) => isMounted(path)), ...again];
}

function outermostFirst(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort((a, b) => depthOf(a) - depthOf(b));
}

/**
 * The folders in writable places that lead to protected or hidden paths or to a workspace: renaming one would move
 * those paths, for a later command or for programs outside.
 */
function pinnedFolders(writable: readonly string[], closed: readonly string[]): readonly string[] {
  const mounts = new Set([...writable, ...closed]);
  const above = new Set([...mounts].flatMap(foldersAbove));
  return outermostFirst([...above].filter((folder) => isInWritable(folder, writable, closed)));
}

/** True if a path is in a writable place, with nothing closed in between, and is not such a place itself. */
function isInWritable(path: string, writable: readonly string[], closed: readonly string[]): boolean {
  return !writable.includes(path) && !closed.includes(path) && isBelowWritable(path, writable, closed);
}

/** True if the nearest writable or closed place above a path is writable. */
function isBelowWritable(path: string, writable: readonly string[], closed: readonly string[]): boolean {
  const nearest = foldersAbove(path).find((folder) => writable.includes(folder) || closed.includes(folder));
  return nearest !== undefined && writable.includes(nearest);
}

/** All parent folders, nearest first; the root is the last. */
function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path; at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  return folders;
}
