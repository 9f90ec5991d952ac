/** Finds what a sandbox plan refers to: the secrets, protected files and git folders that now exist on disk. */
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { lstatOf, namesIn, resolved, statOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import { unmoved } from '../../disk/settingsPaths.ts';
import type { GitUse } from '../../protocol/sandbox.ts';
import { type Mount, mountsNow, otherPaths } from '../linux/mountCheck.ts';
import type { SandboxPlaces } from '../plan.ts';
import type { PrivateTemporary } from '../temporary/temporaryFolders.ts';
import { wholeNames } from '../temporary/temporaryNames.ts';
import {
  closedGitFolders,
  gitFoldersOf,
  hookFoldersOf,
  includedByUser,
  linkedGitFolder,
  protectedInGit,
} from './git/gitFolders.ts';
import { borrowedObjects, type HiddenPlace, homeElsewhere } from './homeElsewhere.ts';
import { secretPathsOf } from './secretPlaces.ts';

export interface PlaceOptions {
  /** The project and the added directories, absolute; the latter as resolved when the settings were read. */
  readonly workspace: readonly string[];
  /** Repositories inside the workspace. */
  readonly repositories: readonly string[];
  /** Git folders that the command may not change; see `gitFoldersToClose`. */
  readonly closedGitFolders: readonly string[];
  /** Files with secrets in the workspace. */
  readonly projectSecrets: readonly string[];
  /** See `SandboxPlaces`. */
  readonly secretFolders?: readonly string[];
  /** See `SandboxPlaces`. */
  readonly emptyFile?: string | undefined;
  readonly home: string;
  /** The home according to the system's user database, if it differs: ssh and gpg use it. */
  readonly systemHome?: string | undefined;
  /** The user's environment, which may move secrets out of the home. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user id; absent if the system has none. */
  readonly user?: number | undefined;
  /** Named pipes that the user may write. Hidden, except in writable places. */
  readonly namedPipes?: readonly string[];
  /** The program's own data: keys, sessions, earlier file contents. Hidden. */
  readonly dataRoot: string;
  readonly temporary: readonly string[];
  /** Creates the private folder that replaces a shared one; absent = commands use the shared one. */
  readonly privateTemporary?: (shared: string) => PrivateTemporary | undefined;
  readonly scratchParent: string | undefined;
  /**
   * From the settings: absolute, as resolved when they were read. A path with a link that appeared later opens nothing,
   * because a command may have created the link.
   */
  readonly allowWrite: readonly string[];
  readonly allowRead: readonly string[];
  /** Absolute. */
  readonly denyRead: readonly string[];
  /** The same, from managed settings, which nothing can override. */
  readonly denyReadAlways?: readonly string[];
  /** What rules deny editing in writable places; absolute. */
  readonly denyWrite?: readonly string[];
  /** Folders outside the project that rules allow to be read, absolute. */
  readonly readByRule?: readonly string[];
  /** True if other programs run a file or take settings from it. */
  readonly isReadOnlyForCommands: (path: string) => boolean;
  /** Of these, files and folders that are read-only wherever they are in the workspace. */
  readonly protectedFiles?: readonly string[];
  /** True if a file contains secrets. */
  readonly isSensitive: (path: string) => boolean;
}

/** Never throws; skips what cannot be accessed. */
export function findPlaces(options: PlaceOptions): SandboxPlaces {
  const workspace = workspaceNow(options.workspace);
  const shown = unmoved(options.allowRead).flatMap(resolved);
  const writable = unmoved(options.allowWrite).flatMap(resolved);
  const [home = options.home] = resolved(options.home);
  const folders = [...new Set(options.temporary.flatMap(resolved))].filter((path) => path !== '/');
  // A folder in the workspace or another writable place, or the home itself, cannot be replaced.
  const isReplaced = (folder: string): boolean =>
    options.privateTemporary !== undefined &&
    ![...workspace, ...writable].some((place) => isInside(folder, place)) &&
    folder !== home;
  const temporary = folders.filter((folder) => !isReplaced(folder));
  const isHomeIn = (folder: string): boolean => isInside(home, folder);
  const isHomeGiven = [...workspace, ...writable].some(isHomeIn);
  const roots = [
    ...new Set([
      ...workspace,
      ...options.repositories.flatMap(resolved),
      // A place that the settings open by name, such as the caches in our own data, is open as a whole.
      ...writable.filter((path) => !options.isReadOnlyForCommands(path)),
      // The home contains files that shells and editors read, so it is protected no matter why it is writable.
      ...(isHomeGiven || temporary.some(isHomeIn) ? [home] : []),
    ]),
  ];
  // A home in a temporary folder, as in containers, is still not a temporary folder.
  const keptHome = !isHomeGiven && temporary.some(isHomeIn) ? [home] : [];
  // Opened on purpose: it contains a workspace, or a setting names it.
  const isOpened = (path: string): boolean =>
    workspace.includes(path) || shown.some((folder) => isInside(path, folder));
  const hidden = hiddenPlaces(options, workspace, [...workspace, ...shown, ...writable]).filter(
    ({ path }) => !isOpened(path),
  );
  const isPipeOfOthers = (path: string): boolean =>
    ![...workspace, ...writable, ...temporary].some((folder) => isInside(path, folder)) &&
    !hidden.some((place) => place.isDirectory && isInside(path, place.path));
  const pipes = (options.namedPipes ?? []).filter(isPipeOfOthers);
  const gitFolders = workspace.flatMap(linkedGitFolder);
  const included = includedByUser(options.home);
  const closed = options.closedGitFolders;
  const isClosed = (path: string): boolean => closed.some((folder) => isInside(path, folder));
  return {
    workspace,
    temporary,
    privateTemporary: folders
      .filter(isReplaced)
      .flatMap((folder) => options.privateTemporary?.(folder) ?? []),
    needed: [...[home, ...(options.env.PATH ?? '').split(delimiter).flatMap(resolved)], ...folders],
    gitFolders: gitFolders.filter((path) => !isClosed(path)),
    closedGitFolders: closed,
    protected: [
      ...new Set([
        ...closed,
        ...[
          ...keptHome,
          ...roots.flatMap((root) => protectedIn(root, options)),
          ...included,
          ...(options.protectedFiles ?? []).flatMap(resolved),
          ...(options.denyWrite ?? []).flatMap(resolved),
          ...temporary.flatMap((folder) => wholeNames(options.user).map((name) => join(folder, name))),
        ].filter((path) => !isClosed(path)),
      ]),
    ],
    hidden: [...hidden, ...pipes.map((path) => ({ path, isDirectory: false }))],
    alwaysHidden: outermost((options.denyReadAlways ?? []).flatMap((path) => hiddenPlace(path, mountsNow()))),
    projectSecrets: options.projectSecrets,
    secretFolders: options.secretFolders ?? [],
    emptyFile: options.emptyFile,
    readable: [...shown, ...workspace].filter((path) =>
      hidden.some((place) => place.path !== path && isInside(path, place.path)),
    ),
    writable,
    elsewhere: homeElsewhere({
      home,
      env: options.env,
      kept: [
        ...[...workspace, ...gitFolders, ...shown, ...writable],
        ...unmoved(options.readByRule ?? []).flatMap(resolved),
        ...workspace.flatMap(gitFoldersOf).flatMap(borrowedObjects),
        ...included,
      ],
    }),
    scratchParent: options.scratchParent === undefined ? undefined : resolved(options.scratchParent)[0],
  };
}

/**
 * The git folders that are read-only as a whole for a command: all except those of the repositories in which a git
 * command works. A git command in a foreign repository never gets those of the workspace's own.
 */
export function gitFoldersToClose(
  options: Pick<PlaceOptions, 'workspace' | 'allowWrite'>,
  repositories: readonly string[],
  use: GitUse,
): readonly string[] {
  const opened = openedFolders(options);
  const closed = closedGitFolders([...opened, ...repositories], opened);
  if (use.type !== 'only') return closed;
  const kept = use.isForeign ? closedGitFolders(opened, opened) : [];
  const isUsed = (folder: string): boolean =>
    use.folders.some((used) => isInside(used, folder) || isInside(folder, used));
  return closed.filter((folder) => kept.includes(folder) || !isUsed(folder));
}

/** The folders in which commands may write, except for protected places in them; resolved. */
export function writableFolders(options: Pick<PlaceOptions, 'workspace' | 'allowWrite'>): readonly string[] {
  return [...openedFolders(options), ...workspaceNow(options.workspace).flatMap(linkedGitFolder)];
}

/** The workspace and the folders that settings open. */
function openedFolders({ workspace, allowWrite }: Pick<PlaceOptions, 'workspace' | 'allowWrite'>) {
  return [...workspaceNow(workspace), ...unmoved(allowWrite).flatMap(resolved)];
}

/** The project, and the added directories that are still where they were when the settings were read. */
export function workspaceNow([root, ...added]: PlaceOptions['workspace']): readonly string[] {
  return [...(root === undefined ? [] : resolved(root)), ...unmoved(added).flatMap(resolved)];
}

function hiddenPlaces(
  { home, systemHome, env, user, dataRoot, denyRead, workspace: named, isSensitive }: PlaceOptions,
  projects: readonly string[],
  opened: readonly string[],
): readonly HiddenPlace[] {
  // A key or a `.env` directly in the home belongs to no project, unless the home is one.
  const loose = named.includes(home)
    ? []
    : namesIn(home)
        .map((name) => join(home, name))
        .filter(isSensitive);
  const homes = [...new Set([home, systemHome ?? home])];
  const secrets = secretPathsOf(homes, env, user);
  // A variable may point into the project, for example to a local cluster's configuration: the project's files stay
  // visible. A path that contains the home, the project or the system is never hidden, whatever a variable says.
  const kept = homes.flatMap(resolved);
  const isOfProject = (path: string): boolean =>
    projects.some((folder) => isInside(path, folder) && !kept.some((one) => isInside(one, folder))) ||
    [...kept, ...projects, ...systemFolders].some((folder) => isInside(folder, path));
  const candidates = [
    ...loose,
    ...secrets.places.filter(mayExistIn(homes)),
    ...secrets.moved.flatMap(resolved).filter((path) => !isOfProject(path)),
    dataRoot,
    ...denyRead,
  ];
  const files = secrets.files.flatMap(resolved).filter((path) => !isOfProject(path));
  const mounts = mountsNow();
  const found = [
    ...candidates.flatMap((path) => hiddenPlace(path, mounts)),
    ...files.flatMap((path) => hiddenPlace(path, mounts)).filter(({ isDirectory }) => !isDirectory),
  ];
  const unique = new Map(found.map((place) => [place.path, place]));
  // Entries of a hidden folder are hidden with it, unless a place in between is opened again.
  const isGone = (path: string, folder: string): boolean =>
    isInside(path, folder) && !opened.some((place) => isInside(place, folder) && isInside(path, place));
  return [...unique.values()].filter(
    ({ path }) =>
      ![...unique.values()].some(
        (other) => other.isDirectory && other.path !== path && isGone(path, other.path),
      ),
  );
}

/**
 * Tests whether a path may exist by the names in the homes and their folders: most of the hundreds of places do not
 * exist, and checking each one would take more than a millisecond in total.
 */
function mayExistIn(homes: readonly string[]): (path: string) => boolean {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  const has = (folder: string, name: string): boolean => {
    if (!known.has(folder)) known.set(folder, foldedNames(folder));
    // Some file systems ignore case.
    return known.get(folder)?.has(name.toLowerCase()) !== false;
  };
  return (path) => {
    const home = homes.find((folder) => path.startsWith(`${folder}/`));
    if (home === undefined) return true;
    const [first = '', second] = path.slice(home.length + 1).split('/');
    return has(home, first) && (second === undefined || has(join(home, first), second));
  };
}

/** Undefined if the folder cannot be listed. */
function foldedNames(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(folder).map((name) => name.toLowerCase()));
  } catch {
    return undefined;
  }
}

/** Leaves out places in hidden folders, which are hidden with them. */
const outermost = (places: readonly HiddenPlace[]): readonly HiddenPlace[] =>
  [...new Map(places.map((place) => [place.path, place])).values()].filter(
    ({ path }) => !places.some((other) => other.path !== path && isInside(path, other.path)),
  );

/** Folders that every program needs. */
const systemFolders = ['/usr/bin', '/usr/lib', '/bin', '/lib', '/lib64', '/etc', '/dev', '/proc', '/sys'];

/** The place under each of its paths. Empty if there is nothing to hide, e.g. for `/dev/null` in a variable. */
function hiddenPlace(path: string, mounts: readonly Mount[]): readonly HiddenPlace[] {
  const [real] = resolved(path);
  const found = real === undefined ? undefined : statOf(real);
  if (real === undefined || !(found?.isDirectory() || found?.isFile())) return [];
  const isDirectory = found.isDirectory();
  const others = otherPaths(real, mounts).filter((other) => {
    const there = statOf(other);
    return there?.ino === found.ino && there.dev === found.dev;
  });
  return [real, ...others].map((place) => ({ path: place, isDirectory }));
}

/** Folders whose content commands create constantly, whatever the names in it. */
const builtFolders = new Set(['.git', 'node_modules', '.venv', 'venv']);
/** Folders that contain both ordinary files and files that other programs run or take settings from. */
const mixedFolders = [
  ...['.github', '.config', '.local', '.local/share', 'gradle', 'mise', 'tools'],
  // For a workspace that is the entire file system.
  ...['etc', 'usr', 'usr/local', 'var', 'var/spool', 'Library'],
];

/**
 * Files that other programs run or take settings from: at the top of a folder, in `mixedFolders` and in the git
 * folders.
 */
function protectedIn(root: string, { isReadOnlyForCommands, home }: PlaceOptions): readonly string[] {
  const mixed = mixedFolders.filter((name) => lstatOf(join(root, name))?.isDirectory() === true);
  const top = namesIn(root).filter((name) => !builtFolders.has(name) && !mixedFolders.includes(name));
  const below = mixed.flatMap((folder) => namesIn(join(root, folder)).map((name) => join(folder, name)));
  const files = [...top, ...below.filter((name) => !mixed.includes(name))]
    .map((name) => join(root, name))
    .filter(isReadOnlyForCommands)
    // Links cannot be protected, but their targets can.
    .flatMap(resolved);
  const gitFile = lstatOf(join(root, '.git'))?.isFile() === true ? [join(root, '.git')] : [];
  return [
    ...[...files, ...gitFile, ...hookFoldersOf(root, home)],
    ...gitFoldersOf(root).flatMap((folder) => protectedInGit(folder, home)),
  ];
}
