/**
 * Scans a workspace for repositories, for files that other programs run or take settings from, and for files with
 * secrets.
 */
import { basename, dirname, join } from 'node:path';
import { lstatOf, namesIn } from '../../disk/fileLookups.ts';
import { createFolderWalk, type FolderWalk } from '../../disk/folderWalk.ts';
import { atOnce, inSlices, type Steps } from '../../disk/slices.ts';
import { PREPARED_BARE, PREPARED_MODULE, RUNS_PROGRAMS, UNREADABLE_INDEX } from './dangers.ts';
import { createGitEntryCheck } from './git/gitEntryCheck.ts';
import { createIndexCheck } from './git/indexCheck.ts';
import { isPreparedBare, preparedModules } from './git/moduleCheck.ts';
import { createModuleWalk } from './git/moduleWalk.ts';
import { pendingPrograms } from './git/pendingOperations.ts';
import type { PathNotes } from './pathNotes.ts';
import { dependencyFolder } from './sharedFolders.ts';
import type { TrackedNotes } from './trackedNotes.ts';
import { createIndexReader, createTrackedFiles, repositoriesOf } from './trackedPaths.ts';

/** Each has several mounts. */
const MAX_REPOSITORIES = 50;
/**
 * Maximum submodules whose settings are read; any more count as running programs.
 */
const MAX_SUBMODULES = 2000;
/** Maximum entries in the stamp of a protected folder. */
const MAX_ENTRIES = 100;

interface Scanned {
  /**
   * Repositories inside the folder, nearest first, without the folder itself, and submodules wherever they are. Those
   * found by earlier scans come first, so that new ones never displace them.
   */
  readonly repositories: readonly string[];
  /**
   * Files that other programs run or take settings from, each with a stamp that changes when it is modified or
   * replaced.
   */
  readonly protectedFiles: ReadonlyMap<string, string>;
  /** Folders with dependencies; see `dependencyFolder`. */
  readonly dependencies: readonly string[];
}

interface ProjectRules {
  /** True if other programs run a file or take settings from it. */
  readonly isReadOnlyForCommands: (path: string) => boolean;
  /** True if the settings of the repository in this folder, without its submodules, would make git start programs. */
  readonly gitRunsPrograms: (folder: string) => boolean;
  /** True if commands may write in a folder. */
  readonly mayWrite: (folder: string) => boolean;
  /** Where the repositories found by earlier sessions are noted. */
  readonly notes: PathNotes;
}

/** Scans a folder; never throws. */
interface Scan<T> {
  (root: string): T;
  /** The same in slices, without blocking this thread. */
  inSlices(root: string): Promise<T>;
}

/** The submodules that git enters, and indexes that cannot be searched for them. */
interface Entered {
  readonly submodules: readonly string[];
  readonly unreadable: readonly string[];
}

/** Combines a walk with what follows from its folders. */
function scanWith<F, T>(
  walk: FolderWalk<F>,
  resultOf: (root: string, folders: ReturnType<FolderWalk<F>>['folders']) => Steps<T>,
): Scan<T> {
  function* steps(root: string): Steps<T> {
    const { folders } = yield* walk.steps(root);
    return yield* resultOf(root, folders);
  }
  return Object.assign((root: string) => atOnce(steps(root)), {
    inSlices: (root: string) => inSlices(steps(root)),
  });
}

export function createProjectScan({
  isReadOnlyForCommands,
  gitRunsPrograms,
  mayWrite,
  notes,
}: ProjectRules): Scan<Scanned> {
  const readIndexOf = createIndexReader();
  const gitFoldersOf = createModuleWalk();
  const checkIndexes = createIndexCheck();
  const checkEntries = createGitEntryCheck(mayWrite);
  const known = { inside: createKnown(notes, 'inside'), submodules: createKnown(notes, 'submodules') };
  const walk = createFolderWalk((path, entries) => {
    // A folder with a HEAD is a repository, and git follows its settings there. Source: gitrepository-layout.
    const protectedFiles = entries
      .filter(
        (entry) => (entry.name === 'HEAD' && entry.isFile()) || isReadOnlyForCommands(join(path, entry.name)),
      )
      .map(({ name }) => name);
    const isRepository = entries.some(({ name }) => name === '.git');
    const dependencies = entries
      .filter((entry) => entry.isDirectory() && dependencyFolder.test(entry.name))
      .map(({ name }) => join(path, name));
    return {
      found: { protectedFiles, isRepository, dependencies },
      enters: (name) => !protectedFiles.includes(name),
    };
  });
  /**
   * `git status` enters submodules, and theirs, and runs programs named in their settings. So a repository that a
   * command has created takes effect as soon as an index lists it, wherever it is.
   */
  function* enteredFrom(repositories: readonly string[]): Steps<Entered> {
    const submodules = new Set<string>();
    const unreadable: string[] = [];
    // The loop also visits submodules appended in its body.
    const waiting = [...repositories];
    for (const at of waiting) {
      const index = yield* readIndexOf(at);
      if (index.unreadable !== undefined) unreadable.push(index.unreadable);
      for (const path of index.submodules) {
        if (submodules.has(path) || lstatOf(join(path, '.git')) === undefined) continue;
        submodules.add(path);
        if (submodules.size <= MAX_SUBMODULES) waiting.push(path);
      }
    }
    return { submodules: [...submodules], unreadable };
  }
  return scanWith(walk, function* (root, folders) {
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const { submodules, unreadable } = yield* enteredFrom([root, ...repositories]);
    const inside = repositories.filter((path) => path !== root);
    const all = { inside: known.inside(root, inside), submodules: known.submodules(root, submodules) };
    const entries: (readonly [string, string])[] = [];
    for (const path of new Set([root, ...all.inside, ...all.submodules])) {
      const found = yield* gitFoldersOf(path);
      const { dangers, obeyed } = yield* checkEntries(found.folders);
      entries.push(...(yield* checkIndexes(found.folders)), ...dangers);
      yield;
      entries.push(...obeyed.map((at) => [at, stampOf(at)] as const));
      entries.push(...preparedModules(found).map((at) => [at, PREPARED_MODULE] as const));
    }
    const stamps = new Map<string, string>();
    for (const { path, found } of folders) {
      yield;
      for (const name of found.protectedFiles) stamps.set(join(path, name), stampOf(join(path, name)));
    }
    for (const [index, path] of submodules.entries()) {
      yield;
      const runs = index >= MAX_SUBMODULES || gitRunsPrograms(path);
      stamps.set(join(path, '.git'), runs ? RUNS_PROGRAMS : '');
    }
    return {
      dependencies: folders.flatMap(({ found }) => found.dependencies),
      repositories: [
        ...new Set([...all.inside.slice(0, MAX_REPOSITORIES), ...all.submodules.slice(0, MAX_REPOSITORIES)]),
      ],
      protectedFiles: new Map([
        ...stamps,
        ...(isPreparedBare(root) ? [[join(root, 'HEAD'), PREPARED_BARE] as const] : []),
        ...unreadable.map((path) => [path, UNREADABLE_INDEX] as const),
        ...entries,
        ...[root, ...repositories, ...submodules.slice(0, MAX_REPOSITORIES)]
          .flatMap(pendingPrograms)
          .map((path) => [path, stampOf(path)] as const),
        ...(gitRunsPrograms(root) ? [[join(root, '.git'), RUNS_PROGRAMS] as const] : []),
      ]),
    };
  });
}

/**
 * Creates a function that adds the repositories found in a folder to those that any session has found there, and
 * returns all that still contain a `.git`. A command cannot remove a protected one, but it could hide it from a scan by
 * creating many others. `name`: the list's name.
 */
function createKnown(
  notes: PathNotes,
  name: string,
): (root: string, found: readonly string[]) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (root, found) => {
    const list = `${name} ${root}`;
    const lists = notes.read();
    const before = lists[list] ?? [];
    const all = [...new Set([...(known.get(root) ?? before), ...before, ...found])].filter(
      (path) => lstatOf(join(path, '.git')) !== undefined,
    );
    known.set(root, all);
    const noted = all.slice(0, MAX_REPOSITORIES);
    const isSame = noted.length === before.length && noted.every((path, at) => path === before[at]);
    if (!isSame) notes.write({ ...lists, [list]: noted });
    return all;
  };
}

/** Uses the change time, which no program can set. */
function stampOf(path: string): string {
  const found = lstatOf(path);
  if (found === undefined) return '';
  if (!found.isDirectory()) return `${found.ino} ${found.ctimeNs}`;
  // Git writes into its folder constantly; the files in it that git runs or reads as settings are protected separately.
  const entries = basename(path) === '.git' ? [] : namesIn(path).slice(0, MAX_ENTRIES);
  return [found.ino, ...entries.map((name) => `${name} ${lstatOf(join(path, name))?.ctimeNs}`)].join(' ');
}

/** What to hide. */
export interface SecretsFound {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** True if a path is not UTF-8, so that it cannot be passed to another program. */
const isMisread = (path: string): boolean => path.includes('\ufffd');

/** Each is a mount. */
const MAX_SECRETS = 100;

/**
 * Creates a function that finds the files with secrets in a folder, nearest first. Leaves out what rules let the model
 * read, and tracked files: git shows their content anyway, and would report a hidden one as changed. A command can add
 * any file to the index, so only what `createDeniedScan` counts as tracked is left out. For a file whose name is not
 * UTF-8, returns its folder, unless that is the project. Never throws.
 */
export function createSecretsScan(
  isSensitive: (path: string) => boolean,
  notes: TrackedNotes,
  isReadable: (path: string) => boolean,
): Scan<SecretsFound> {
  const trackedOf = createTrackedFiles();
  const walk = createFolderWalk((path, entries) => ({
    found: {
      secrets: entries
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(path, name))
        .filter(isSensitive),
      isRepository: entries.some(({ name }) => name === '.git'),
    },
  }));
  return scanWith(walk, function* (root, folders) {
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const secrets = folders.flatMap(({ found }) => found.secrets);
    const known = notes.read();
    const tracked = new Set<string>();
    for (const [repository, paths] of repositoriesOf(root, repositories, secrets)) {
      const { listed, held } = yield* trackedOf(repository, paths);
      for (const path of listed)
        if (held.has(path) || known.isTracked(path) || known.isNew(path)) tracked.add(path);
    }
    notes.save([root], [...tracked], isSensitive);
    const hidden = secrets.filter((path) => !tracked.has(path) && !isReadable(path));
    const misread = hidden.filter(isMisread).map((path) => dirname(path));
    return {
      files: hidden.filter((path) => !isMisread(path)).slice(0, MAX_SECRETS),
      folders: [...new Set(misread)].filter((folder) => folder !== root && !isMisread(folder)),
    };
  });
}
