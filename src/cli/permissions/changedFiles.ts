/**
 * Finds out whether a command has changed files that programs may run or obey: all but those that git ignores, such as
 * build output, and with dependencies. Compares change times, which no program can set. Errs on the side of yes.
 */
import { accessSync, constants, statfsSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { isHistory } from '../../checkpoints/scan/walk.ts';
import { entriesForAll, lstatOf } from '../../disk/fileLookups.ts';
import { type OwnGit, runGit } from '../../disk/ownGit.ts';
import { inSlices, type Steps } from '../../disk/slices.ts';
import {
  environments,
  isDependency,
  manifests,
  outputs,
  toolCaches,
  VIRTUAL_ENVIRONMENT,
} from '../../permissions/files/projectFolders.ts';
import { dependencyCaches } from '../../sandbox/places/sharedFolders.ts';

/**
 * What is in a folder: paths, for folders with their inode; a moved folder keeps the files in it as they were. Of
 * dependencies only the folders, of generated files nothing.
 */
export type FolderNames = ReadonlyMap<string, bigint | undefined>;

/** What programs write next to packages whenever they run; `tsc -b` writes `.tmp`. */
const generated = new Set([...dependencyCaches, ...toolCaches, '.tmp', '__pycache__']);

/** With more files, it counts as changed. */
const MAX_FILES = 300_000;
const MAX_CHANGED = 20_000;
/** The kernel's time of a change may be older than the clock by a tick. */
const TICK_MS = 20;
const GIT_TIMEOUT_MS = 10_000;
const MAX_GIT_BYTES = 64 * 2 ** 20;

/** Local file systems of Linux: others may take their times from another clock. Source: statfs(2). */
const local = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010]);

/** Undefined: it has too many files, or changes in it cannot be noticed. */
export async function namesIn(folder: string): Promise<FolderNames | undefined> {
  try {
    if (process.platform === 'linux' && !local.has(statfsSync(folder).type)) return undefined;
  } catch {
    return undefined;
  }
  return inSlices(listed(folder));
}

function* listed(root: string): Steps<FolderNames | undefined> {
  const names = new Map<string, bigint | undefined>();
  const folders = [{ path: root, isDependency: false }];
  for (const folder of folders) {
    const children = childrenOf(folder.path) ?? [];
    const isInside = folder.isDependency || (folder.path !== root && isEnvironment(children));
    for (const { path, name, isFolder } of children) {
      yield;
      if (isFolder || !isInside) names.set(path, isFolder ? lstatOf(path)?.ino : undefined);
      if (names.size > MAX_FILES) return undefined;
      if (!isFolder || toolCaches.includes(name)) continue;
      if (isInside ? generated.has(name) : outputs.test(name)) continue;
      folders.push({ path, isDependency: isInside || isDependency(name) });
    }
  }
  return names;
}

interface ChangeSearch {
  /** The names before the command. */
  readonly before: FolderNames;
  /** When it started, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Changes of dependencies do not count: it has only installed what the project lists. */
  readonly onlyInstalls: boolean;
  /** The repository around the folder. */
  readonly repository: string | undefined;
  readonly env: OwnGit['env'];
}

/** Whether a command has changed files in a folder. */
export async function hasChanged(folder: string, search: ChangeSearch, isNew = false): Promise<boolean> {
  const found = await inSlices(changedIn(folder, search, isNew));
  if (found === true) return true;
  const { changed, unread } = found;
  const asked = [...changed, ...changed.filter(isManifest).map(folderOf), ...unread.keys()];
  const ignored = await ignoredOf([...new Set(asked)], search);
  if (ignored === undefined || changed.some((path) => !ignored.has(path) || isObeyed(path))) return true;
  // Git may ignore a lock file, but an install obeys it. Projects in ignored folders are made by tests.
  if (!search.onlyInstalls && changed.some((path) => isManifest(path) && !ignored.has(folderOf(path))))
    return true;
  for (const [path, isOther] of unread)
    if (!ignored.has(path) && (await hasChanged(path.slice(0, -1), search, isOther))) return true;
  const skipped = [...unread.keys()].filter((path) => ignored.has(path));
  const tracked = await trackedIn(skipped, search);
  return tracked === undefined || tracked.some((path) => mayHaveChanged(path, unread, search));
}

/**
 * Files that programs load although git ignores them by custom, and that builds do not write: with variables, and compiled
 * Python that Python prefers to its own modules. Not protected files, which a command in the sandbox cannot change.
 */
const isObeyed = (path: string): boolean =>
  (/\.(?:py[co]|pyd|so)$/.test(path) && !path.includes('/__pycache__/')) || environments.test(basename(path));

const isManifest = (path: string): boolean => manifests.test(basename(path));
const folderOf = (path: string): string => `${dirname(path)}/`;

/** True for a file that was changed, or that may have been moved with its folder. */
function mayHaveChanged(file: string, unread: Changes['unread'], { startedAtMs }: ChangeSearch): boolean {
  const isRecent = recentSince(startedAtMs);
  for (let at = file; at !== dirname(at); at = dirname(at)) {
    const isOther = unread.get(`${at}/`);
    if (isOther !== undefined) return isOther;
    if (isRecent(at)) return true;
  }
  return true;
}

interface Changes {
  /** Also what is gone; folders end with a slash. */
  readonly changed: readonly string[];
  /** Folders, with a slash at the end, and whether they are others than before. */
  readonly unread: ReadonlyMap<string, boolean>;
}

/** True if something that git cannot ignore has changed. `isNewRoot`: so has everything in the folder. */
function* changedIn(root: string, search: ChangeSearch, isNewRoot: boolean): Steps<Changes | true> {
  const { before, startedAtMs, onlyInstalls } = search;
  const isRecent = recentSince(startedAtMs);
  const changed: string[] = [];
  const unread = new Map<string, boolean>();
  const seen = new Set<string>();
  const changedFolders = new Set<string>(isRecent(root) ? [root] : []);
  const folders = [{ path: root, isNew: isNewRoot }];
  for (const folder of folders) {
    const children = childrenOf(folder.path);
    if (children === undefined) return true;
    if (folder.path !== root && isEnvironment(children)) {
      changedFolders.delete(folder.path);
      if (!onlyInstalls && (yield* dependencyHasChanged(folder.path, search))) return true;
      continue;
    }
    for (const { path, name, isFolder } of children) {
      yield;
      if (seen.size > MAX_FILES || changed.length > MAX_CHANGED) return true;
      seen.add(path);
      if (isFolder && toolCaches.includes(name)) continue;
      if (isFolder && isDependency(name)) {
        if (!onlyInstalls && (yield* dependencyHasChanged(path, search))) return true;
        continue;
      }
      const hasNews = isRecent(path);
      if (!isFolder) {
        if (!folder.isNew && !hasNews) continue;
        // A link to other packages.
        if (isDependency(name) && !onlyInstalls) return true;
        changed.push(path);
        continue;
      }
      if (hasNews) changedFolders.add(path);
      if (hasNews && !isListed(path)) changed.push(`${path}/`);
      const isNew = folder.isNew || (hasNews && before.get(path) !== lstatOf(path)?.ino);
      if (outputs.test(name)) unread.set(`${path}/`, isNew);
      else folders.push({ path, isNew });
    }
  }
  for (const [path, inode] of before) {
    yield;
    if (!seen.has(path) && changedFolders.has(dirname(path)))
      changed.push(inode === undefined ? path : `${path}/`);
  }
  return { changed, unread };
}

/** A moved folder is another one than before, although the files in it are old. */
function* dependencyHasChanged(root: string, { before, startedAtMs }: ChangeSearch): Steps<boolean> {
  const isRecent = recentSince(startedAtMs);
  let count = 0;
  const folders = [root];
  for (const folder of folders) {
    if (before.get(folder) !== lstatOf(folder)?.ino) return true;
    const children = childrenOf(folder);
    if (children === undefined) return true;
    const holdsGenerated = children.some(({ name }) => generated.has(name));
    if (folder !== root && !holdsGenerated && isRecent(folder)) return true;
    for (const { path, name, isFolder } of children) {
      yield;
      count += 1;
      if (count > MAX_FILES) return true;
      if (generated.has(name)) continue;
      if (isFolder) folders.push(path);
      else if (isRecent(path)) return true;
    }
  }
  return false;
}

type Children = NonNullable<ReturnType<typeof childrenOf>>;

const isEnvironment = (children: Children): boolean =>
  children.some(({ name }) => name === VIRTUAL_ENVIRONMENT);

/** False for a folder in which programs may find files that we do not see. */
function isListed(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Undefined if they are unknown. */
function childrenOf(folder: string) {
  return entriesForAll(folder)
    ?.filter(({ name }) => !isHistory(name))
    .map((entry) => ({
      ...{ path: folder === '/' ? `/${entry.name}` : `${folder}/${entry.name}` },
      ...{ name: entry.name, isFolder: entry.isDirectory() },
    }));
}

/** Also true for what cannot be looked at: Node cannot name a file whose name is not UTF-8. */
function recentSince(startedAtMs: number): (path: string) => boolean {
  const since = BigInt(Math.floor(startedAtMs) - TICK_MS) * 1_000_000n;
  return (path) => {
    const found = lstatOf(path);
    return found === undefined || found.ctimeNs >= since;
  };
}

/** The paths that git ignores, by rules that the command has not changed. Undefined if that is unknown. */
async function ignoredOf(
  paths: readonly string[],
  search: ChangeSearch,
): Promise<ReadonlySet<string> | undefined> {
  const { repository, startedAtMs } = search;
  if (repository === undefined || paths.length === 0) return new Set();
  const byWord = new Map(
    paths.map((path) => [`./${relative(repository, path)}${path.endsWith('/') ? '/' : ''}`, path]),
  );
  const args = ['-c', 'core.excludesFile=', 'check-ignore', '--verbose', '-z', '--stdin'];
  const fields = await readGit(search, repository, args, [...byWord.keys()].join('\0'));
  if (fields === undefined) return undefined;
  const isRecent = recentSince(startedAtMs);
  const ignored = new Set<string>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [source = '', , pattern = '', word = ''] = fields.slice(at, at + 4);
    const path = byWord.get(word);
    const isIgnored = !pattern.startsWith('!') && !isRecent(resolve(repository, source));
    if (path !== undefined && isIgnored) ignored.add(path);
  }
  return ignored;
}

/** The tracked files in folders that git ignores. Undefined if they are unknown. */
async function trackedIn(
  folders: readonly string[],
  search: ChangeSearch,
): Promise<readonly string[] | undefined> {
  const { repository } = search;
  if (repository === undefined || folders.length === 0) return [];
  const words = folders.map((folder) => relative(repository, folder));
  const files = await readGit(search, repository, ['--literal-pathspecs', 'ls-files', '-z', '--', ...words]);
  return files?.filter((file) => file !== '').map((file) => resolve(repository, file));
}

/** What git prints, at each NUL. Undefined if it fails. */
async function readGit(
  { env }: ChangeSearch,
  cwd: string,
  args: readonly string[],
  input?: string,
): Promise<readonly string[] | undefined> {
  const git = { env, workspace: [cwd] };
  const limits = { timeoutMs: GIT_TIMEOUT_MS, maxBytes: MAX_GIT_BYTES };
  const { code, stdout } = await runGit(git, { cwd, args, input, ...limits });
  // For `check-ignore`, 1 means that no path is ignored.
  return code === 0 || code === 1 ? stdout.toString().split('\0') : undefined;
}
