/** Finds what rules deny reading in a workspace, so that it can be hidden from commands. */
import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { isInside } from '../../disk/paths.ts';
import { atOnce } from '../../disk/slices.ts';
import { createTrackedFiles, repositoriesOf } from './trackedPaths.ts';

/** Folders that programs create or fill and that builds need. */
export const generated =
  /^(?:\.git|node_modules|bower_components|\.?venv|build(?:[-_.].*)?|cmake-build.*|dist|out|target|vendor|_?deps|Pods|DerivedData|\.next|\.tox|\.gradle|\.[\w-]*cache)$/;
/** Secrets lie deeper and in more folders than other files that scans look for. */
const REACH = { skipped: generated, maxDepth: 30, maxFolders: 10_000 };

interface DenyRules {
  /** If true for a folder, also true for everything inside it. */
  readonly isDenied: (path: string) => boolean;
  /** True for a folder that must not be hidden. */
  readonly isKept: (folder: string) => boolean;
  /** False if nothing inside a folder is denied. */
  readonly mayBeDeniedInside: (folder: string) => boolean;
}

/** What earlier scans of this project have found. */
export interface KnownFiles {
  /** True if no scan has covered this file's folder yet: no command has run since the rules took effect. */
  isNew(path: string): boolean;
  /** True if a scan has found that git tracks the file. */
  isTracked(path: string): boolean;
}

export interface DeniedFound {
  /** Files, and entire folders; none of them inside another. */
  readonly hidden: readonly string[];
  /** Folders among them that could not be searched. */
  readonly unsearched: readonly string[];
  /** Denied files that git tracks. */
  readonly tracked: readonly string[];
}

/**
 * Creates a function that finds what rules deny reading in a folder: files, and entire folders in which git tracks
 * nothing. Leaves out folders that programs create, and tracked files, which the project's programs need and git would
 * report as deleted. A command can add any file to the index and commit it, so a file counts as tracked only if it was
 * in the index when the project was first searched, or if the index has since contained its exact content: only a
 * program that can read the file can stage that. The function never throws.
 */
export function createDeniedScan({
  isDenied,
  isKept,
  mayBeDeniedInside,
}: DenyRules): (root: string, known: KnownFiles) => DeniedFound {
  const trackedOf = createTrackedFiles();
  const walk = createFolderWalk((path, entries) => {
    const denied = entries
      .filter((entry) => entry.isFile() || (entry.isDirectory() && !generated.test(entry.name)))
      .filter(({ name }) => isDenied(join(path, name)));
    const paths = (isFolder: boolean) =>
      denied.filter((entry) => entry.isDirectory() === isFolder).map(({ name }) => join(path, name));
    return {
      found: {
        files: paths(false),
        folders: paths(true),
        isRepository: entries.some(({ name }) => name === '.git'),
        isUnsearched: mayHideUnreadable(path, entries, { isDenied, mayBeDeniedInside }),
      },
      enters: (name) => mayBeDeniedInside(join(path, name)),
    };
  }, REACH);
  return (root, known) => {
    const { folders, left } = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    const files = folders.flatMap(({ found }) => found.files);
    const tracked: string[] = [];
    for (const [repository, paths] of repositoriesOf(root, repositories, files)) {
      const { listed, held } = atOnce(trackedOf(repository, paths));
      for (const path of listed)
        if (held.has(path) || known.isTracked(path) || known.isNew(path)) tracked.push(path);
    }
    const readable = new Set(tracked);
    const around = new Set(tracked.flatMap((path) => foldersBetween(path, root)));
    const unsearched = [
      ...left.map(withinMount),
      ...folders.filter(({ found }) => found.isUnsearched).map(({ path }) => path),
    ];
    const hidden = outermost([
      ...unsearched,
      ...folders.flatMap(({ found }) => found.folders).filter((path) => !around.has(path) && !isKept(path)),
      ...files.filter((path) => !readable.has(path)),
    ]);
    const all = new Set(hidden);
    return { hidden, unsearched: unsearched.filter((path) => all.has(path)), tracked };
  };
}

/** Maximum length of a path that can be mounted: the system limit is 4096 bytes, some of which bubblewrap needs. */
const MAX_MOUNT_BYTES = 4000;

/** The folder itself, or the nearest one around it that can be mounted. */
const withinMount = (folder: string): string =>
  Buffer.byteLength(folder) <= MAX_MOUNT_BYTES ? folder : withinMount(dirname(folder));

/** True if a folder contains a path that rules may cover but whose name is not valid UTF-8, so it cannot be hidden. */
function mayHideUnreadable(
  path: string,
  entries: readonly Dirent[],
  { isDenied, mayBeDeniedInside }: Pick<DenyRules, 'isDenied' | 'mayBeDeniedInside'>,
): boolean {
  const suspicious = entries.filter(({ name }) => name.includes('\ufffd'));
  if (suspicious.length === 0) return false;
  const invalid = new Set(
    readdirSync(path, { encoding: 'buffer' })
      .map((name) => ({ name, text: name.toString('utf8') }))
      .filter(({ name, text }) => !Buffer.from(text).equals(name))
      .map(({ text }) => text),
  );
  return suspicious.some(
    (entry) =>
      invalid.has(entry.name) &&
      (isDenied(join(path, entry.name)) ||
        (entry.isDirectory() && mayBeDeniedInside(join(path, entry.name)))),
  );
}

/** The folders from a file up to a root, without the root. */
function foldersBetween(path: string, root: string): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at.length > root.length; at = dirname(at)) folders.push(at);
  return folders;
}

/** Leaves out paths inside another. */
export function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  const isInOther = (path: string): boolean => {
    for (let at = dirname(path); ; at = dirname(at)) {
      if (all.has(at)) return true;
      if (at === dirname(at)) return false;
    }
  };
  return [...all].filter((path) => !isInOther(path));
}

/**
 * Reduces paths to at most `max` by replacing those in the folders that directly contain the most of them. `isKept`:
 * true for a folder that must not be hidden. `folders`: the replacements. Undefined if that is not enough.
 */
export function withinLimit(
  paths: readonly string[],
  max: number,
  isKept: (folder: string) => boolean,
): { readonly paths: readonly string[]; readonly folders: readonly string[] } | undefined {
  const inFolders = new Map<string, Set<string>>();
  const add = (path: string): void => {
    const folder = dirname(path);
    inFolders.set(folder, (inFolders.get(folder) ?? new Set()).add(path));
  };
  paths.forEach(add);
  const replacing = new Set<string>();
  let count = paths.length;
  while (count > max) {
    let fullest: string | undefined;
    for (const [folder, { size }] of inFolders) {
      const most = fullest === undefined ? 0 : (inFolders.get(fullest)?.size ?? 0);
      if (size >= most && !isKept(folder)) fullest = folder;
    }
    if (fullest === undefined) return undefined;
    for (const [folder, inside] of inFolders)
      if (isInside(folder, fullest)) {
        count -= inside.size;
        inFolders.delete(folder);
      }
    replacing.add(fullest);
    add(fullest);
    count += 1;
  }
  const left = [...inFolders.values()].flatMap((one) => [...one]);
  return { paths: left, folders: left.filter((path) => replacing.has(path)) };
}
