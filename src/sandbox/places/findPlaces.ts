/** Looks at the disk for what a plan names: which secrets, protected files and git folders there are right now. */
import { delimiter, join, resolve } from 'node:path';
import { lstatOf, namesIn, resolved, statOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/realPath.ts';
import { mountsNow } from '../linux/mountCheck.ts';
import { type Mount, otherPaths } from '../linux/mounts.ts';
import type { SandboxPlaces } from '../plan.ts';
import type { PrivateTemporary } from '../temporary/temporaryFolders.ts';
import { wholeNames } from '../temporary/temporaryNames.ts';
import {
  gitFoldersOf,
  hookFoldersOf,
  includedByUser,
  linkedGitFolder,
  protectedInGit,
} from './gitFolders.ts';
import { borrowedObjects, type HiddenPlace, homeElsewhere } from './homeElsewhere.ts';
import { secretPathsOf } from './secretPlaces.ts';

export interface PlaceOptions {
  /** The project and the directories added to it, absolute. */
  readonly workspace: readonly string[];
  /** Repositories below the workspace. */
  readonly repositories: readonly string[];
  /** Files with secrets in the workspace. */
  readonly projectSecrets: readonly string[];
  readonly home: string;
  /** The home in the system's list of users, where it may be another: ssh and gpg go by it. */
  readonly systemHome?: string | undefined;
  /** The user's, which may move secrets out of the home. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Number of the user; absent where the system has none. */
  readonly user?: number | undefined;
  /** The program's own data: keys, sessions, what files were before they changed. Hidden. */
  readonly dataRoot: string;
  readonly temporary: readonly string[];
  /** Makes the folder that commands have in the place of a shared one; absent = they share it. */
  readonly privateTemporary?: (shared: string) => PrivateTemporary | undefined;
  readonly scratchParent: string | undefined;
  /** Settings: absolute or below the home, written `~/…`, or below the project. */
  readonly allowWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Folders outside that rules allow to be read, absolute. */
  readonly readByRule?: readonly string[];
  /** Whether other programs obey what a file says. */
  readonly isObeyed: (path: string) => boolean;
  /** Whether a file holds secrets. */
  readonly isSensitive: (path: string) => boolean;
}

/** Never throws; what cannot be looked at is left as it is. */
export function findPlaces(options: PlaceOptions): SandboxPlaces {
  const workspace = options.workspace.flatMap(resolved);
  const expand = expander(options);
  const shown = options.allowRead.flatMap(expand);
  const writable = options.allowWrite.flatMap(expand);
  const [home = options.home] = resolved(options.home);
  const folders = [...new Set(options.temporary.flatMap(resolved))].filter((path) => path !== '/');
  // One in the workspace, or that is the home itself, cannot be replaced.
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
      // What is opened by name inside such a place (the caches in the program's own data) is open as a whole.
      ...writable.filter((path) => !options.isObeyed(path)),
      // It holds what shells and editors obey, whichever way it became writable.
      ...(isHomeGiven || temporary.some(isHomeIn) ? [home] : []),
    ]),
  ];
  // In a temporary folder, as containers have it, a home is still no temporary folder.
  const keptHome = !isHomeGiven && temporary.some(isHomeIn) ? [home] : [];
  // A workspace in such a place, or a setting that names it, opens it on purpose.
  const isOpened = (path: string): boolean =>
    workspace.includes(path) || shown.some((folder) => isInside(path, folder));
  const hidden = hiddenPlaces(options, expand, [...workspace, ...shown, ...writable]).filter(
    ({ path }) => !isOpened(path),
  );
  const gitFolders = workspace.flatMap(linkedGitFolder);
  const included = includedByUser(options.home);
  return {
    workspace,
    temporary,
    privateTemporary: folders
      .filter(isReplaced)
      .flatMap((folder) => options.privateTemporary?.(folder) ?? []),
    needed: [...[home, ...(options.env.PATH ?? '').split(delimiter).flatMap(resolved)], ...folders],
    gitFolders,
    protected: [
      ...new Set([
        ...keptHome,
        ...roots.flatMap((root) => protectedIn(root, options)),
        ...included,
        ...temporary.flatMap((folder) => wholeNames(options.user).map((name) => join(folder, name))),
      ]),
    ],
    hidden,
    projectSecrets: options.projectSecrets,
    readable: [...shown, ...workspace].filter((path) =>
      hidden.some((place) => place.path !== path && isInside(path, place.path)),
    ),
    writable,
    elsewhere: homeElsewhere({
      home,
      env: options.env,
      kept: [
        ...[...workspace, ...gitFolders, ...shown, ...writable],
        ...(options.readByRule ?? []).flatMap(resolved),
        ...workspace.flatMap(gitFoldersOf).flatMap(borrowedObjects),
        ...included,
      ],
    }),
    scratchParent: options.scratchParent === undefined ? undefined : resolved(options.scratchParent)[0],
  };
}

/** The folders in which commands may write, whatever is protected there; resolved. */
export function writableFolders(
  options: Pick<PlaceOptions, 'workspace' | 'allowWrite' | 'home'>,
): readonly string[] {
  const workspace = options.workspace.flatMap(resolved);
  return [
    ...workspace,
    ...workspace.flatMap(linkedGitFolder),
    ...options.allowWrite.flatMap(expander(options)),
  ];
}

/** Makes a path of the settings absolute and resolves it. */
const expander =
  ({ home, workspace }: Pick<PlaceOptions, 'workspace' | 'home'>) =>
  (path: string): readonly string[] =>
    resolved(
      path === '~' || path.startsWith('~/') ? join(home, path.slice(2)) : resolve(workspace[0] ?? '/', path),
    );

function hiddenPlaces(
  { home, systemHome, env, user, dataRoot, denyRead, workspace, isSensitive }: PlaceOptions,
  expand: (path: string) => readonly string[],
  opened: readonly string[],
): readonly HiddenPlace[] {
  // A key or a `.env` that lies there openly belongs to no project, unless the home is one.
  const loose = workspace.includes(home)
    ? []
    : namesIn(home)
        .map((name) => join(home, name))
        .filter(isSensitive);
  const homes = [...new Set([home, systemHome ?? home])];
  const secrets = secretPathsOf(homes, env, user);
  // A variable may lead into the project, as with a cluster of its own: the project's files are the project's. And what
  // holds the home, the project or the system is no place for secrets, whatever a variable says.
  const [kept, projects] = [homes.flatMap(resolved), workspace.flatMap(resolved)];
  const isOfProject = (path: string): boolean =>
    projects.some((folder) => isInside(path, folder) && !kept.some((one) => isInside(one, folder))) ||
    [...kept, ...projects, ...systemFolders].some((folder) => isInside(folder, path));
  const candidates = [
    ...loose,
    ...secrets.places,
    ...secrets.moved.flatMap(resolved).filter((path) => !isOfProject(path)),
    dataRoot,
    ...denyRead.flatMap(expand),
  ];
  const files = secrets.files.flatMap(resolved).filter((path) => !isOfProject(path));
  const mounts = mountsNow();
  const found = [
    ...candidates.flatMap((path) => hiddenPlace(path, mounts)),
    ...files.flatMap((path) => hiddenPlace(path, mounts)).filter(({ isDirectory }) => !isDirectory),
  ];
  const unique = new Map(found.map((place) => [place.path, place]));
  // What lies in a hidden folder is gone with it, unless a place between the two is opened again.
  const isGone = (path: string, folder: string): boolean =>
    isInside(path, folder) && !opened.some((place) => isInside(place, folder) && isInside(path, place));
  return [...unique.values()].filter(
    ({ path }) =>
      ![...unique.values()].some(
        (other) => other.isDirectory && other.path !== path && isGone(path, other.path),
      ),
  );
}

/** Without them nothing runs. */
const systemFolders = ['/usr/bin', '/usr/lib', '/bin', '/lib', '/lib64', '/etc', '/dev', '/proc', '/sys'];

/** Under each of its paths. Empty where nothing is there that could be hidden: `/dev/null` in a variable says so. */
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

/** Folders whose content is built by commands all day, whatever it is called. */
const builtFolders = new Set(['.git', 'node_modules', '.venv', 'venv']);
/** Folders that hold both ordinary files and what other programs obey. */
const mixedFolders = [
  ...['.github', '.config', '.local', '.local/share', 'gradle', 'mise', 'tools'],
  // Where the workspace is the whole machine.
  ...['etc', 'usr', 'usr/local', 'var', 'var/spool', 'Library'],
];

/** What other programs obey at the top of a folder, in `mixedFolders` and in the repository's own folders. */
function protectedIn(root: string, { isObeyed, home }: PlaceOptions): readonly string[] {
  const mixed = mixedFolders.filter((name) => lstatOf(join(root, name))?.isDirectory() === true);
  const top = namesIn(root).filter((name) => !builtFolders.has(name) && !mixedFolders.includes(name));
  const below = mixed.flatMap((folder) => namesIn(join(root, folder)).map((name) => join(folder, name)));
  const files = [...top, ...below.filter((name) => !mixed.includes(name))]
    .map((name) => join(root, name))
    .filter(isObeyed)
    // A link cannot be protected, what it leads to can.
    .flatMap(resolved);
  const gitFile = lstatOf(join(root, '.git'))?.isFile() === true ? [join(root, '.git')] : [];
  return [
    ...[...files, ...gitFile, ...hookFoldersOf(root, home)],
    ...gitFoldersOf(root).flatMap((folder) => protectedInGit(folder, home)),
  ];
}
