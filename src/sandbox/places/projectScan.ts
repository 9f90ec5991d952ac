/**
 * Scans a workspace for repositories, for files that other programs run or take settings from, for files with secrets,
 * and for what rules deny reading.
 */
import { basename, dirname, join, relative } from 'node:path';
import { isDirectory, lstatOf, namesIn, readFileNow, textOf } from '../../disk/fileLookups.ts';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { indexPaths } from '../../disk/gitIndex.ts';
import { isInside } from '../../disk/paths.ts';
import { linkedGitFolder } from './gitFolders.ts';

const MAX_REPOSITORIES = 50;
/** Maximum entries in the stamp of a protected folder. */
const MAX_ENTRIES = 100;

interface Scanned {
  /** Repositories inside the folder, nearest first and without the folder itself, and submodules wherever they are. */
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
  /** True if `git status` in this folder would start programs. */
  readonly gitRunsPrograms: (folder: string) => boolean;
}

/** The stamp of a submodule in which git would start programs. */
export const RUNS_PROGRAMS = 'runs programs';

/** Creates a function that scans a folder; it never throws. */
export function createProjectScan({
  isReadOnlyForCommands,
  gitRunsPrograms,
}: ProjectRules): (root: string) => Scanned {
  const readIndexOf = createIndexReader();
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
  return (root) => {
    const folders = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    // For the status of a repository, git enters its submodules and runs programs named in their settings. So a
    // repository that a command has created takes effect as soon as an index lists it, wherever it is.
    const submodules = repositories
      .flatMap((at) => readIndexOf(at).submodules)
      .filter((path) => lstatOf(join(path, '.git')) !== undefined)
      .slice(0, MAX_REPOSITORIES);
    return {
      repositories: [
        ...new Set([
          ...repositories.filter((path) => path !== root).slice(0, MAX_REPOSITORIES),
          ...submodules,
        ]),
      ],
      protectedFiles: new Map([
        ...folders.flatMap(({ path, found }) =>
          found.protectedFiles.map((name) => [join(path, name), stampOf(join(path, name))] as const),
        ),
        ...submodules.map(
          (path) => [join(path, '.git'), gitRunsPrograms(path) ? RUNS_PROGRAMS : ''] as const,
        ),
      ]),
    };
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
    const above = secrets.length === 0 || repositories.includes(root) ? undefined : repositoryAbove(root);
    const repositoryOf = (path: string): string | undefined =>
      repositories.findLast((folder) => isInside(path, folder)) ?? above;
    const tracked = [...new Set(secrets.map(repositoryOf))].flatMap((repository) =>
      repository === undefined
        ? []
        : readIndexOf(
            repository,
            secrets.filter((path) => repositoryOf(path) === repository),
          ).tracked,
    );
    return secrets.filter((path) => !tracked.includes(path)).slice(0, MAX_SECRETS);
  };
}

/** Folders that programs create or fill: hiding them would keep the project from building. */
const generated =
  /^(?:\.git|node_modules|bower_components|\.?venv|build.*|cmake-build.*|dist|out|target|vendor|_?deps|Pods|DerivedData|\.next|\.tox|\.gradle|\.[\w-]*cache)$/;
/** Each is a mount; the nearest come first. */
const MAX_DENIED = 100;

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
  });
  return (root) => {
    const folders = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const denied = folders.flatMap(({ found }) => found.denied);
    const above = denied.length === 0 || repositories.includes(root) ? undefined : repositoryAbove(root);
    for (const path of denied) {
      const repository = repositories.findLast((folder) => isInside(path, folder)) ?? above;
      const isTracked = repository !== undefined && readIndexOf(repository, denied).tracked.includes(path);
      if (!isTracked) untracked.add(path);
    }
    const found = denied.filter((path) => untracked.has(path));
    return found
      .filter((path) => !found.some((folder) => folder !== path && isInside(path, folder)))
      .slice(0, MAX_DENIED);
  };
}

const MAX_BYTES = 64 * 2 ** 20;

interface IndexContent {
  /** Folders, absolute. */
  readonly submodules: readonly string[];
  /**
   * The paths, of those asked about, that git tracks, and folders in which it tracks something. If that cannot be
   * determined, all of them.
   */
  readonly tracked: readonly string[];
}

/**
 * Creates a function that looks up absolute paths in the index of a repository. It reads an index again only after a
 * change. Never throws.
 */
function createIndexReader(): (repository: string, paths?: readonly string[]) => IndexContent {
  const known = new Map<string, { readonly state: string; readonly found: IndexContent }>();
  return (repository, paths = []) => {
    const own = join(repository, '.git');
    const folder = isDirectory(own) ? own : linkedGitFolder(repository)[0];
    const index = join(folder ?? own, 'index');
    const file = lstatOf(index);
    if (folder === undefined || file?.isFile() !== true) return { submodules: [], tracked: [] };
    if (file.size > MAX_BYTES) return { submodules: [], tracked: paths };
    const state = [file.ino, file.ctimeNs, ...paths].join('\n');
    const before = known.get(index);
    if (before?.state === state) return before.found;
    const found = readIndex(index, hashBytes(folder), repository, paths);
    known.set(index, { state, found });
    return found;
  };
}

const hashBytes = (folder: string): number =>
  /objectformat\s*=\s*"?sha256/i.test(textOf(join(folder, 'config'))) ? 32 : 20;

function readIndex(index: string, bytes: number, repository: string, paths: readonly string[]): IndexContent {
  try {
    const content = readFileNow(index, MAX_BYTES);
    const listed = content == null ? undefined : indexPaths(content, bytes);
    if (listed === undefined) return { submodules: [], tracked: paths };
    return {
      submodules: listed.submodules.map((path) => join(repository, path)),
      tracked: trackedAmong(paths, repository, [...listed.files, ...listed.submodules]),
    };
  } catch {
    return { submodules: [], tracked: paths };
  }
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
