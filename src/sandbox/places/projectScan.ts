/**
 * Scans a workspace for repositories, for files that other programs run or take settings from, for files with secrets,
 * and for what rules deny reading.
 */
import { basename, dirname, join, relative } from 'node:path';
import { lstatOf, namesIn, readFileNow, resolved, textOf } from '../../disk/fileLookups.ts';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { sharedIndexPaths } from '../../disk/gitIndex.ts';
import { isInside } from '../../disk/paths.ts';
import { ownGitFolders } from './gitFolders.ts';

/** Each has several mounts. */
const MAX_REPOSITORIES = 50;
/** Repositories that git enters from another and whose settings are read; with more, they count as running programs. */
const MAX_SUBMODULES = 2000;
/** Maximum entries in the stamp of a protected folder. */
const MAX_ENTRIES = 100;

interface Scanned {
  /**
   * Repositories inside the folder, nearest first and without the folder itself, and submodules wherever they are.
   * Those found by earlier scans come first, so that new ones never displace them.
   */
  readonly repositories: readonly string[];
  /**
   * Files that other programs run or take settings from, each with a stamp that changes when it is modified or
   * replaced.
   */
  readonly protectedFiles: ReadonlyMap<string, string>;
}

interface ProjectRules {
  /** True if other programs run a file or take settings from it. */
  readonly isReadOnlyForCommands: (path: string) => boolean;
  /** True if the settings of the repository in this folder, without its submodules, would make git start programs. */
  readonly gitRunsPrograms: (folder: string) => boolean;
}

/** The stamp of a repository that git enters for the status of the project, and in which it would start programs. */
export const RUNS_PROGRAMS = 'runs programs';

/** Creates a function that scans a folder; it never throws. */
export function createProjectScan({
  isReadOnlyForCommands,
  gitRunsPrograms,
}: ProjectRules): (root: string) => Scanned {
  const readIndexOf = createIndexReader();
  const known = { inside: createKnown(), submodules: createKnown() };
  const walk = createFolderWalk((path, entries) => {
    // A folder with a HEAD is a repository, and git follows its settings there. Source: gitrepository-layout.
    const protectedFiles = entries
      .filter(
        (entry) => (entry.name === 'HEAD' && entry.isFile()) || isReadOnlyForCommands(join(path, entry.name)),
      )
      .map(({ name }) => name);
    const isRepository = entries.some(({ name }) => name === '.git');
    return { found: { protectedFiles, isRepository }, enters: (name) => !protectedFiles.includes(name) };
  });
  /**
   * For the status of a repository, git enters its submodules, and theirs, and runs programs named in their settings. So
   * a repository that a command has created takes effect as soon as an index lists it, wherever it is.
   */
  const enteredFrom = (repositories: readonly string[]) => {
    const submodules = new Set<string>();
    const unreadable: string[] = [];
    // The loop also visits submodules appended in its body.
    const waiting = [...repositories];
    for (const at of waiting) {
      const index = readIndexOf(at);
      if (index.unreadable !== undefined) unreadable.push(index.unreadable);
      for (const path of index.submodules) {
        if (submodules.has(path) || lstatOf(join(path, '.git')) === undefined) continue;
        submodules.add(path);
        if (submodules.size <= MAX_SUBMODULES) waiting.push(path);
      }
    }
    return { submodules: [...submodules], unreadable };
  };
  return (root) => {
    const folders = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const { submodules, unreadable } = enteredFrom([root, ...repositories]);
    const runs = (path: string, index: number): boolean => index >= MAX_SUBMODULES || gitRunsPrograms(path);
    const inside = repositories.filter((path) => path !== root);
    return {
      repositories: [
        ...new Set([
          ...known.inside(root, inside).slice(0, MAX_REPOSITORIES),
          ...known.submodules(root, submodules).slice(0, MAX_REPOSITORIES),
        ]),
      ],
      protectedFiles: new Map([
        ...folders.flatMap(({ path, found }) =>
          found.protectedFiles.map((name) => [join(path, name), stampOf(join(path, name))] as const),
        ),
        ...submodules.map(
          (path, index) => [join(path, '.git'), runs(path, index) ? RUNS_PROGRAMS : ''] as const,
        ),
        ...unreadable.map((path) => [path, RUNS_PROGRAMS] as const),
        ...(gitRunsPrograms(root) ? [[join(root, '.git'), RUNS_PROGRAMS] as const] : []),
      ]),
    };
  };
}

/**
 * Creates a function that adds the folders found in another one to those found in it before, and returns all that still
 * contain a `.git`. A command cannot remove one that is protected, but hide it from a scan by creating many others.
 */
function createKnown(): (root: string, found: readonly string[]) => readonly string[] {
  const known = new Map<string, Set<string>>();
  return (root, found) => {
    const all = new Set([...(known.get(root) ?? []), ...found]);
    for (const path of all) if (lstatOf(join(path, '.git')) === undefined) all.delete(path);
    known.set(root, all);
    return [...all];
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

/** Each is a mount. */
const MAX_SECRETS = 100;

/**
 * Creates a function that finds the files with secrets in a folder, nearest first, without files that git tracks: git
 * shows their content anyway, and would report a hidden one as changed. The function never throws.
 */
export function createSecretsScan(
  isSensitive: (path: string) => boolean,
): (root: string) => readonly string[] {
  const readIndexOf = createIndexReader();
  const walk = createFolderWalk((path, entries) => ({
    found: {
      secrets: entries
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(path, name))
        .filter(isSensitive),
      isRepository: entries.some(({ name }) => name === '.git'),
    },
  }));
  return (root) => {
    const folders = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const secrets = folders.flatMap(({ found }) => found.secrets);
    const tracked = trackedIn(root, repositories, secrets, readIndexOf);
    return secrets.filter((path) => !tracked.has(path)).slice(0, MAX_SECRETS);
  };
}

/** Folders that programs create or fill: hiding them would keep the project from building. */
const generated =
  /^(?:\.git|node_modules|bower_components|\.?venv|build(?:[-_.].*)?|cmake-build.*|dist|out|target|vendor|_?deps|Pods|DerivedData|\.next|\.tox|\.gradle|\.[\w-]*cache)$/;
/** Each is a mount; those found first come first. */
const MAX_DENIED = 300;
/** Secrets lie deeper, and in more folders, than what else is looked for. */
const DENIED_REACH = { skipped: generated, maxDepth: 10, maxFolders: 5000 };

/**
 * Creates a function that finds what rules deny reading in a folder: files, and entire folders if git tracks nothing in
 * them. Leaves out tracked files, which the project's programs need and git would report as deleted, and folders that
 * programs create. What was untracked once stays denied: a command could add it to the index. `isDenied` covers what is
 * inside a folder if it covers the folder. The function never throws.
 */
export function createDeniedScan(isDenied: (path: string) => boolean): (root: string) => readonly string[] {
  const untracked = new Set<string>();
  const readIndexOf = createIndexReader();
  const walk = createFolderWalk((path, entries) => {
    const denied = entries
      .filter((entry) => entry.isFile() || (entry.isDirectory() && !generated.test(entry.name)))
      .filter(({ name }) => isDenied(join(path, name)));
    const isRepository = entries.some(({ name }) => name === '.git');
    return { found: { denied: denied.map(({ name }) => join(path, name)), isRepository } };
  }, DENIED_REACH);
  return (root) => {
    const folders = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const denied = folders.flatMap(({ found }) => found.denied);
    const tracked = trackedIn(root, repositories, denied, readIndexOf);
    for (const path of denied) if (!tracked.has(path)) untracked.add(path);
    // What was found once does not depend on the limits of the walk, which a command could exhaust.
    const found = [...untracked].filter((path) => isInside(path, root) && lstatOf(path) !== undefined);
    const all = new Set(found);
    const isBelow = (path: string): boolean =>
      path.length > root.length && (all.has(path) || isBelow(dirname(path)));
    return found.filter((path) => !isBelow(dirname(path))).slice(0, MAX_DENIED);
  };
}

/** The paths that git tracks: in the nearest of the repositories in a folder, or in one that contains the folder. */
function trackedIn(
  root: string,
  repositories: readonly string[],
  paths: readonly string[],
  readIndexOf: ReturnType<typeof createIndexReader>,
): ReadonlySet<string> {
  const above = paths.length === 0 || repositories.includes(root) ? undefined : repositoryAbove(root);
  const repositoryOf = (path: string): string | undefined =>
    repositories.findLast((folder) => isInside(path, folder)) ?? above;
  const tracked = [...new Set(paths.map(repositoryOf))].flatMap((repository) =>
    repository === undefined
      ? []
      : readIndexOf(
          repository,
          paths.filter((path) => repositoryOf(path) === repository),
        ).tracked,
  );
  return new Set(tracked);
}

const MAX_BYTES = 64 * 2 ** 20;

interface IndexContent {
  /** Folders, absolute. Those are included that a shared index lists and that git may no longer track. */
  readonly submodules: readonly string[];
  /**
   * The paths, of those asked about, that git tracks, and folders in which it tracks something. If that cannot be
   * determined, all of them.
   */
  readonly tracked: readonly string[];
  /** The index itself, absolute, if its submodules cannot be determined. */
  readonly unreadable?: string;
  readonly isShared?: boolean;
}

/**
 * Creates a function that looks up absolute paths in the index of a repository. It reads an index again only after a
 * change. Never throws.
 */
function createIndexReader(): (repository: string, paths?: readonly string[]) => IndexContent {
  const known = new Map<string, { readonly state: string; readonly found: IndexContent }>();
  return (repository, paths = []) => {
    const folders = ownGitFolders(repository);
    const [folder] = folders;
    const index = folder === undefined ? undefined : join(folder, 'index');
    // Git follows a link here.
    const file = index === undefined ? undefined : resolved(index).map(lstatOf)[0];
    if (folder === undefined || index === undefined || file?.isFile() !== true)
      return { submodules: [], tracked: [] };
    const state = [file.ino, file.ctimeNs, ...paths].join('\n');
    const before = known.get(index);
    if (before?.state === state) return before.found;
    const found = readIndex(index, hashBytes(folders), repository, paths);
    // The file with shared entries may change without the index.
    if (found.isShared === true) known.delete(index);
    else known.set(index, { state, found });
    return found;
  };
}

const hashBytes = (folders: readonly string[]): number =>
  folders.some((folder) => /objectformat\s*=\s*"?sha256/i.test(textOf(join(folder, 'config')))) ? 32 : 20;

function readIndex(index: string, bytes: number, repository: string, paths: readonly string[]): IndexContent {
  let isShared = false;
  const readShared = (name: string): Buffer | null | undefined => {
    isShared = true;
    return readFileNow(join(dirname(index), name), MAX_BYTES);
  };
  try {
    const content = readFileNow(index, MAX_BYTES);
    const listed = content == null ? undefined : sharedIndexPaths(content, bytes, readShared);
    // A path that is no UTF-8 cannot be looked up.
    if (listed?.submodules.some((path) => path.includes('\ufffd')) === false) {
      const submodules = listed.isAnySubmodule ? [...listed.submodules, ...listed.files] : listed.submodules;
      return {
        submodules: submodules.map((path) => join(repository, path)),
        tracked: trackedAmong(paths, repository, [...listed.files, ...listed.submodules]),
        isShared,
      };
    }
  } catch {
    // Damaged.
  }
  return { submodules: [], tracked: paths, unreadable: index };
}

/** The paths that an index lists, or that contain something listed. `listed`: relative to the repository. */
function trackedAmong(
  paths: readonly string[],
  repository: string,
  listed: readonly string[],
): readonly string[] {
  const wanted = new Map(paths.map((path) => [relative(repository, path), path]));
  const tracked = new Set<string>();
  for (const file of wanted.size === 0 ? [] : listed)
    for (let at = file; at !== '.'; at = dirname(at)) {
      const path = wanted.get(at);
      if (path !== undefined) tracked.add(path);
    }
  return [...tracked];
}

/** The repository that contains a folder; undefined if there is none. The folder itself does not count. */
function repositoryAbove(folder: string): string | undefined {
  const above = dirname(folder);
  if (above === folder) return undefined;
  return lstatOf(join(above, '.git')) === undefined ? repositoryAbove(above) : above;
}
