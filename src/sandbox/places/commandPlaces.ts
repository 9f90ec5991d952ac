/** Finds what one command may read and write: scans the project, and closes and completes its git folders. */
import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lstatOf, resolved } from '../../disk/fileLookups.ts';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import type { CommandRequest, GitUse } from '../../protocol/sandbox.ts';
import type { SandboxOptions } from '../options.ts';
import type { SandboxPlaces } from '../plan.ts';
import {
  findPlaces,
  gitFoldersToClose,
  type PlaceOptions,
  workspaceNow,
  writableFolders,
} from './findPlaces.ts';
import { createCompletedGitFolders } from './git/completedGitFolders.ts';
import { protectedInGit } from './git/gitFolders.ts';
import { createHardLinkSearch } from './hardLinks.ts';
import { createPathNotes } from './pathNotes.ts';
import { createProjectScan, createSecretsScan, type SecretsFound } from './projectScan.ts';
import { createCaches, createSharedFolders, type SharedFolders } from './sharedFolders.ts';
import { createTrackedNotes } from './trackedNotes.ts';

/** Files that commands must not change, with stamps. */
type ProtectedFiles = ReadonlyMap<string, string>;

interface CommandPlaces {
  readonly places: SandboxPlaces;
  readonly workspace: readonly string[];
  /** The folders of the workspace that the command may change. */
  readonly roots: readonly string[];
  readonly repositories: readonly string[];
  /** One map for each root. */
  readonly protectedFiles: readonly ProtectedFiles[];
  /** Git folders that are read-only for the command. */
  readonly closed: readonly string[];
  /** Links through which git finds what it reads or runs. */
  readonly followed: readonly string[];
  /** Folders with files of other projects that are read-only for the command. */
  readonly shared: readonly string[];
  /** Protected files with other names through which the command may change them. */
  readonly replaceable: readonly string[];
}

interface PlaceFinder {
  find(
    request: CommandRequest,
    how: { readonly isReadOnly: boolean; readonly gitUse: GitUse; readonly denyRead: readonly string[] },
  ): Promise<CommandPlaces>;
  protectedFiles(roots: readonly string[]): Promise<readonly ProtectedFiles[]>;
  /** Files with secrets in the workspace, and folders with some that cannot be hidden on their own. */
  secrets(): Promise<readonly string[]>;
  /** The same, synchronously. */
  protectedFilesNow(roots: readonly string[]): readonly ProtectedFiles[];
  /** Removes files that completed git folders and are no longer needed. */
  release(): void;
}

interface FinderParts {
  /** The session's private folder that replaces a shared temporary one. */
  readonly openTemporary: NonNullable<PlaceOptions['privateTemporary']>;
  /** Called before something is created in the place of a link that a running command has removed. */
  readonly beforeCreating: () => void;
}

export function createPlaceFinder(
  options: SandboxOptions,
  { openTemporary, beforeCreating }: FinderParts,
): PlaceFinder {
  let tests: Pick<PlaceOptions, 'isReadOnlyForCommands' | 'isSensitive'> | undefined;
  /** Computed once for all commands, so that the walks need not query all places for each file. */
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
    (path) => options.isReadable?.(path) === true,
  );
  const findOtherNames = createHardLinkSearch();
  const findShared = createSharedFolders();
  const findPipes = createPipeSearch();
  const gitFolders = createCompletedGitFolders(options.gitNotes);

  /** Dependencies that the command must not write, because other projects share their files. */
  const sharedIn = async (
    dependencies: readonly string[],
    { command, cwd }: CommandRequest,
  ): Promise<SharedFolders> => {
    const before = await findShared(dependencies);
    if (before.folders.length === 0) return before;
    if (await options.replacesPackages(command, cwd)) return { folders: [], open: [] };
    before.folders.forEach(createCaches);
    return findShared(dependencies);
  };

  const protectedFiles = async (roots: readonly string[]): Promise<readonly ProtectedFiles[]> =>
    (await inOrder(roots, walk.inSlices)).map((one) => one.protectedFiles);

  const secretsIn = async (workspace: readonly string[]): Promise<SecretsFound> => {
    const found = await inOrder(workspace, findSecrets.inSlices);
    return {
      files: found.flatMap(({ files }) => files),
      folders: found.flatMap(({ folders }) => folders),
    };
  };

  const find: PlaceFinder['find'] = async (request, { isReadOnly, gitUse, denyRead }) => {
    const ofSettings = options.places();
    const denyWrite = (await options.denyWrite?.()) ?? [];
    const given = { ...ofSettings, denyWrite, denyRead: [...ofSettings.denyRead, ...denyRead] };
    const workspace = workspaceNow(given.workspace);
    const roots = isReadOnly ? [] : workspace;
    const walked = await inOrder(roots, walk.inSlices);
    const secrets = isReadOnly ? await secretsIn(workspace) : noSecrets;
    const repositories = walked.flatMap((one) => one.repositories);
    const writable = isReadOnly ? [] : writableFolders(given);
    beforeCreating();
    const closed = isReadOnly ? [] : gitFoldersToClose(given, repositories, gitUse);
    const followed = gitFolders.completeAll([...new Set([...roots, ...repositories, ...writable])], {
      writable,
      closed,
      home: given.home,
    });
    const projectSecrets = [...new Set([...secrets.files, ...(request.grant.hiding ?? [])])];
    const named = findPlaces({
      ...given,
      repositories,
      closedGitFolders: closed,
      projectSecrets,
      secretFolders: secrets.folders,
      emptyFile: projectSecrets.length > 0 ? realEmptyFile(options.emptyFile) : undefined,
      namedPipes: await findPipes(given.home, given.temporary),
      // macOS profiles cannot replace one folder with another.
      ...(options.platform === 'linux' ? { privateTemporary: openTemporary } : {}),
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
    return {
      ...{ places, workspace, roots, repositories, closed, followed },
      protectedFiles: walked.map((one) => one.protectedFiles),
      shared: shared.folders,
      replaceable: others.open,
    };
  };
  return {
    ...{ find, protectedFiles },
    async secrets() {
      const { files, folders } = await secretsIn(workspaceNow(options.places().workspace));
      return [...files, ...folders];
    },
    protectedFilesNow: (roots) => roots.map((root) => walk(root).protectedFiles),
    release: gitFolders.release,
  };
}

const noSecrets: SecretsFound = { files: [], folders: [] };

/** The path of an empty file with links resolved; creates it if necessary. Undefined if that is not possible. */
function realEmptyFile(path: string): string | undefined {
  const found = lstatOf(path);
  if (found?.isFile() !== true || found.size > 0n)
    try {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, '', { mode: 0o444 });
    } catch {
      return undefined;
    }
  return realpath(path);
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

// Finds named pipes outside writable places: a read-only mount does not keep a command from writing to one, and the
// program at the other end may obey what it reads.

/** Each is a mount. */
const MAX_PIPES = 50;
/** Matches no folder, so the walk leaves none out. */
const NO_NAME = /^$/;

/**
 * Creates a function that finds the pipes this user can write to: in the home, in `/run`, in the folders there, and
 * directly in the temporary folders. It rereads a folder only if it has changed. Never rejects.
 */
function createPipeSearch(): (home: string, temporary: readonly string[]) => Promise<readonly string[]> {
  const inTop = walkOf(0);
  const inFolders = walkOf(1);
  return async (home, temporary) => {
    const found: string[] = [];
    for (const [walk, places] of [[inFolders, [home, '/run']] as const, [inTop, temporary] as const])
      for (const place of new Set(places.flatMap(resolved)))
        found.push(...(await walk.inSlices(place)).folders.flatMap((folder) => folder.found));
    return [...new Set(found)].filter(isWritable).slice(0, MAX_PIPES);
  };
}

const walkOf = (maxDepth: number) =>
  createFolderWalk(
    (folder, entries) => ({
      found: entries.filter((entry) => entry.isFIFO()).map(({ name }) => join(folder, name)),
    }),
    { skipped: NO_NAME, maxDepth, maxFolders: 300 },
  );

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
