/**
 * Looks up paths in the indexes of a project's repositories, and the content that git has for a file. Starts no git.
 */
import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { lstatOf, readFileNow, readSmallText, resolved } from '../../disk/fileLookups.ts';
import { type IndexedFile, indexedAmong, isAsIndexed, sharedIndexPaths } from '../../disk/gitIndex.ts';
import { isInside } from '../../disk/paths.ts';
import type { Steps } from '../../disk/slices.ts';
import { ownGitFolders } from './git/gitFolders.ts';

const MAX_BYTES = 64 * 2 ** 20;

interface IndexContent {
  /** Absolute. Includes folders that a shared index lists but git may no longer track. */
  readonly submodules: readonly string[];
  /** The index, absolute, if its submodules cannot be determined. */
  readonly unreadable?: string;
  readonly isShared?: boolean;
}

/** Creates a function that reads the index of a repository, and rereads it only after a change. Never throws. */
export function createIndexReader(): (repository: string) => Steps<IndexContent> {
  const known = new Map<string, { readonly state: string; readonly found: IndexContent }>();
  return function* (repository) {
    const place = indexOf(repository);
    if (place === undefined) return { submodules: [] };
    const { index, bytes, state } = place;
    const before = known.get(index);
    if (before?.state === state) return before.found;
    const found = yield* readIndex(index, bytes, repository);
    // The file with shared entries may change while the index does not.
    if (found.isShared === true) known.delete(index);
    else known.set(index, { state, found });
    return found;
  };
}

interface IndexPlace {
  /** Absolute. */
  readonly index: string;
  /** Changes with the index. */
  readonly state: string;
  /** Of an object id. */
  readonly bytes: number;
}

function indexOf(repository: string): IndexPlace | undefined {
  const folders = ownGitFolders(repository);
  const [folder] = folders;
  const index = folder === undefined ? undefined : join(folder, 'index');
  // Git follows a link here.
  const file = index === undefined ? undefined : resolved(index).map(lstatOf)[0];
  if (index === undefined || file?.isFile() !== true) return undefined;
  return { index, state: `${file.ino} ${file.ctimeNs}`, bytes: hashBytes(folders) };
}

const hashBytes = (folders: readonly string[]): number =>
  folders.some((folder) => /objectformat\s*=\s*"?sha256/i.test(readSmallText(join(folder, 'config'))))
    ? 32
    : 20;

function* readIndex(index: string, bytes: number, repository: string): Steps<IndexContent> {
  let isShared = false;
  const readShared = (name: string): Buffer | null | undefined => {
    isShared = true;
    return readFileNow(join(dirname(index), name), MAX_BYTES);
  };
  try {
    const content = readFileNow(index, MAX_BYTES);
    const listed = content == null ? undefined : yield* sharedIndexPaths(content, bytes, readShared);
    // A path that is not UTF-8 cannot be looked up.
    if (listed?.submodules.some((path) => path.includes('\ufffd')) === false) {
      const submodules = listed.isAnySubmodule ? [...listed.submodules, ...listed.files] : listed.submodules;
      return { submodules: submodules.map((path) => join(repository, path)), isShared };
    }
  } catch {
    // Damaged.
  }
  return { submodules: [], unreadable: index };
}

/** A larger file is not compared with git's content. */
const MAX_HELD_BYTES = 32 * 2 ** 20;

/** The tracked files among some paths; absolute. */
interface Tracked {
  readonly listed: ReadonlySet<string>;
  /** The files whose content on disk matches the index. */
  readonly held: ReadonlySet<string>;
}

/**
 * Creates a function that looks up files in a repository's index. Any program can list a file there, but only one that
 * has read the file can add its content. Never throws.
 */
export function createTrackedFiles(): (repository: string, paths: readonly string[]) => Steps<Tracked> {
  const known = new Map<string, { readonly state: string; readonly files: readonly IndexedFile[] }>();
  const compared = new Map<string, { readonly state: string; readonly isHeld: boolean }>();
  const isHeld = (path: string, file: IndexedFile): boolean => {
    const found = lstatOf(path);
    if (found?.isFile() !== true) return false;
    // Only a program that sees the file knows the nanosecond of its last change.
    if (file.ctimeNanoseconds !== 0 && isAsIndexed(found, file)) return true;
    const state = `${file.id.toString('hex')} ${found.ino} ${found.ctimeNs}`;
    const before = compared.get(path);
    if (before?.state === state) return before.isHeld;
    const content = readFileNow(path, MAX_HELD_BYTES);
    const now = content != null && objectId(content, file.id.length).equals(file.id);
    compared.set(path, { state, isHeld: now });
    return now;
  };
  return function* (repository, paths) {
    const place = indexOf(repository);
    if (place === undefined || paths.length === 0) return { listed: new Set(), held: new Set() };
    const state = [place.state, ...paths].join('\n');
    const before = known.get(place.index);
    const files = before?.state === state ? before.files : yield* readFiles(place, repository, paths);
    known.set(place.index, { state, files });
    const listed = files.map((file) => ({ file, path: join(repository, file.path) }));
    return {
      listed: new Set(listed.map(({ path }) => path)),
      held: new Set(listed.filter(({ path, file }) => isHeld(path, file)).map(({ path }) => path)),
    };
  };
}

function* readFiles(
  { index, bytes }: IndexPlace,
  repository: string,
  paths: readonly string[],
): Steps<readonly IndexedFile[]> {
  const wanted = new Set(paths.map((path) => relative(repository, path)));
  const read = (name: string): Buffer | null | undefined =>
    readFileNow(join(dirname(index), name), MAX_BYTES);
  try {
    const content = readFileNow(index, MAX_BYTES);
    return content == null ? [] : yield* indexedAmong(content, bytes, wanted, read);
  } catch {
    // Damaged.
    return [];
  }
}

/** Source: gitformat-pack, "object name". */
const objectId = (content: Buffer, bytes: number): Buffer =>
  createHash(bytes === 32 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest();

/**
 * Assigns paths in a folder to their repositories: the nearest of those found in the folder, or one that contains the
 * folder. Leaves out paths in none.
 */
export function repositoriesOf(
  root: string,
  repositories: readonly string[],
  paths: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const above = paths.length === 0 || repositories.includes(root) ? undefined : repositoryAbove(root);
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const repository = repositories.findLast((folder) => isInside(path, folder)) ?? above;
    if (repository === undefined) continue;
    const among = found.get(repository);
    if (among === undefined) found.set(repository, [path]);
    else among.push(path);
  }
  return found;
}

/** The repository that contains a folder; undefined if there is none. The folder itself does not count. */
function repositoryAbove(folder: string): string | undefined {
  const above = dirname(folder);
  if (above === folder) return undefined;
  return lstatOf(join(above, '.git')) === undefined ? repositoryAbove(above) : above;
}
