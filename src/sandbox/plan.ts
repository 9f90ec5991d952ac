/**
 * What one command may do, worked out from the settings, the places and what let it run. Only words about files and
 * the network: `bubblewrap.ts` and `seatbelt.ts` say the same to the operating system. Pure.
 */
import { dirname } from 'node:path';
import { depthOf, isInside } from '../disk/realPath.ts';
import type { PermissionBasis } from '../protocol/permissions.ts';
import type { SandboxMode } from '../protocol/sandbox.ts';
import type { Elsewhere, HiddenPlace } from './places/homeElsewhere.ts';
import type { PrivateTemporary, TemporaryFolders } from './temporary/temporaryFolders.ts';

/** Absolute, resolved paths; every one exists. */
export interface SandboxPlaces {
  /** The project and the directories added to it. */
  readonly workspace: readonly string[];
  /** Folders for temporary files that commands share with all programs. */
  readonly temporary: readonly string[];
  /** Those in whose place commands have one of their own. */
  readonly privateTemporary: readonly PrivateTemporary[];
  /** In these, what has to be there as it is: the home, folders of programs. */
  readonly needed: readonly string[];
  /** Where the git folder lies when it is not in the workspace, as for a linked worktree. */
  readonly gitFolders: readonly string[];
  /** In writable places: files that other programs obey. */
  readonly protected: readonly string[];
  /** Secrets, with what they are. */
  readonly hidden: readonly HiddenPlace[];
  /** The project's own secrets (`.env`): hidden from commands that run without approval. */
  readonly projectSecrets: readonly string[];
  /** In hidden folders: what may be read all the same. */
  readonly readable: readonly string[];
  /** What else is in the home, hidden from commands that run unasked; see `homeElsewhere`. */
  readonly elsewhere: Elsewhere;
  /** Beyond the workspace: `sandbox.allowWrite`, and caches of package managers. */
  readonly writable: readonly string[];
  /** Holds the folders of all running commands; only the command's own is seen. */
  readonly scratchParent: string | undefined;
}

/** `session`: loopback of the session's own, and a proxy that checks names. */
export type PlannedNetwork = 'none' | 'session';

export interface SandboxPlan {
  readonly mode: 'read-only' | 'workspace-write';
  readonly cwd: string;
  /** In order: a later entry may lie in an earlier one. */
  readonly writable: readonly string[];
  readonly hidden: readonly HiddenPlace[];
  readonly readable: readonly string[];
  readonly protected: readonly string[];
  /** Cannot be renamed, though what is in them can be changed: they hold something protected, hidden or writable. */
  readonly pinned: readonly string[];
  readonly scratch: string;
  readonly scratchParent: string | undefined;
  readonly temporary: readonly PlannedTemporary[];
  readonly network: PlannedNetwork;
}

export interface PlannedTemporary extends PrivateTemporary {
  /** Names in the shared folder that are mounted in the command's own, read-only where nothing else opens them. */
  readonly mounted: readonly string[];
}

/** A command that only looks gets no more than looking takes, whatever the mode. */
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
  const writable = writes
    ? [...places.temporary, ...places.gitFolders, ...places.writable, ...places.workspace]
    : [];
  const secrets = isReadOnly ? places.projectSecrets.map((path) => ({ path, isDirectory: false })) : [];
  const hidden = [
    ...places.hidden,
    ...secrets,
    ...(isReadOnly ? places.elsewhere.hidden.filter(({ path }) => path !== cwd) : []),
  ];
  // The user may have approved a `cd` to a folder there.
  const isAway = places.elsewhere.hidden.some(({ path }) => isInside(cwd, path));
  const seen = isReadOnly ? [...places.elsewhere.readable, ...(isAway ? [cwd] : [])] : [];
  const { privateTemporary } = places;
  const left = writes ? [] : privateTemporary.map(({ own }) => own);
  const readable = [...places.readable, ...seen, ...left];
  const closed = [...hidden.map(({ path }) => path), ...readable];
  // A link may lead what is protected out of the workspace: there nothing can be written, and more must not be seen.
  const kept = places.protected.filter((path) => isInWritable(path, writable, closed));
  const pinned = pinnedFolders(writable, [...kept, ...closed]);
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
    hidden: temporary.length === 0 ? hidden : hiddenWith(hidden, temporary, places.scratchParent),
    readable,
    protected: kept,
    pinned,
    scratch,
    scratchParent: places.scratchParent,
    temporary,
    network: isReadOnly ? 'none' : 'session',
  };
}

/** Of the entry in a shared temporary folder that a path leads through. */
function nameIn(path: string, { shared, parent }: PrivateTemporary): readonly string[] {
  if (path === shared || !isInside(path, shared) || isInside(path, parent)) return [];
  return [path.slice(shared.length + 1).split('/')[0] ?? ''];
}

/** What is hidden in a shared temporary folder is so at its other place, and where it is not mounted nothing is there. */
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
      .map(({ path, isDirectory }) => ({ path: outside + path.slice(shared.length), isDirectory })),
  );
  return [...hidden.filter(({ path }) => isMounted(path)), ...again];
}

function outermostFirst(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort((a, b) => depthOf(a) - depthOf(b));
}

/**
 * The folders in writable places on the way to what is protected, hidden or a workspace: renamed, they would take it out
 * of the way, for a later command or for the programs outside.
 */
function pinnedFolders(writable: readonly string[], closed: readonly string[]): readonly string[] {
  const mounts = new Set([...writable, ...closed]);
  const above = new Set([...mounts].flatMap(foldersAbove));
  return outermostFirst([...above].filter((folder) => isInWritable(folder, writable, closed)));
}

/** Whether a path lies in a writable place, with nothing closed between the two, and is none of them itself. */
function isInWritable(path: string, writable: readonly string[], closed: readonly string[]): boolean {
  if (writable.includes(path) || closed.includes(path)) return false;
  const nearest = foldersAbove(path).find((folder) => writable.includes(folder) || closed.includes(folder));
  return nearest !== undefined && writable.includes(nearest);
}

/** The nearest first; none above the root. */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path; at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  return folders;
}
