/**
 * Opens and changes exactly the file that a path led to when it was resolved. A real path contains no links, so a link
 * found on the way later means that something was replaced: then nothing is read or written.
 *
 * On Linux every step goes through the open folder: `/proc/self/fd/N/name` works like openat(), which Node lacks.
 * Elsewhere the folder is compared by device and inode, before and after.
 */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { realpath } from './paths.ts';

/** A path as written, and where it led when it was resolved. Both absolute. */
export interface ResolvedPath {
  readonly path: string;
  readonly realPath: string;
}

/** The path no longer leads to where it did when it was resolved. */
export class PathMovedError extends Error {
  override readonly name = 'PathMovedError';

  /** `isDone`: detected only after the operation. */
  constructor(path: string, isDone = false) {
    const outcome = isDone ? 'It may have been done elsewhere.' : 'Nothing was done.';
    super(
      `${path} no longer points to the file that was checked: a link or folder in the path was replaced. ${outcome} Check the folder before you try again.`,
    );
  }
}

/** A folder that is held open. */
export interface RealFolder {
  /**
   * The path to pass to `node:fs` for a name in the folder. Use only calls that do not follow a link at that name:
   * `lstat`, `O_NOFOLLOW`, `wx`, `rename`.
   */
  at(name: string): string;
  /** Throws a `PathMovedError` if the folder is no longer at its path. Call right before the last step. */
  check(): void;
}

interface FolderOptions {
  /** Creates the folder and missing parents. */
  readonly create?: boolean;
  /** Whether the system supports paths through handles; detected by default. */
  readonly byHandle?: boolean;
}

/**
 * Opens a regular file, a pipe or a device for reading, without blocking on a pipe. Rejects with system errors or a
 * `PathMovedError`.
 */
export async function openRealFile(realPath: string, byHandle = hasHandlePaths()): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const file = await open(realPath, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch((error: unknown) => {
    throw isLoop(error) ? new PathMovedError(realPath) : error;
  });
  try {
    const isThere =
      (byHandle && isOpenAt(file.fd, realPath)) || isSame(realPath, await file.stat({ bigint: true }));
    if (isThere) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new PathMovedError(realPath);
}

/** Runs `act` while a folder is held open. Rejects with system errors or a `PathMovedError`. */
export async function inRealFolder<T>(
  realPath: string,
  act: (folder: RealFolder) => Promise<T>,
  { create = false, byHandle = hasHandlePaths() }: FolderOptions = {},
): Promise<T> {
  if (create) await makeFolder(realPath, byHandle);
  return byHandle ? withHandle(realPath, act) : withIdentity(realPath, act);
}

/** The same; temporarily makes the folder writable if its owner, the user, has made it read-only. */
export function inWritableFolder<T>(realPath: string, act: (folder: RealFolder) => Promise<T>): Promise<T> {
  return inRealFolder(realPath, async (folder) => {
    try {
      return await act(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const { mode, uid } = lstatSync(realPath);
      const isOwn = uid === process.geteuid?.() && (mode & 0o300) !== 0o300;
      if ((code !== 'EACCES' && code !== 'EPERM') || !isOwn) throw error;
      folder.check();
      chmodSync(realPath, (mode & 0o7777) | 0o700);
      try {
        return await act(folder);
      } finally {
        chmodSync(realPath, mode & 0o7777);
      }
    }
  });
}

/** Synchronous version, for a few quick steps. Throws system errors or a `PathMovedError`. */
export function inRealFolderSync(
  realPath: string,
  act: (folder: RealFolder) => void,
  byHandle = hasHandlePaths(),
): void {
  const folder = openSync(
    realPath,
    byHandle ? O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW : constants.O_RDONLY,
  );
  const check = (): void => {
    if ((byHandle && isOpenAt(folder, realPath)) || isSame(realPath, fstatSync(folder, { bigint: true })))
      return;
    throw new PathMovedError(realPath);
  };
  try {
    check();
    act({ at: (name) => join(byHandle ? `/proc/self/fd/${folder}` : realPath, name), check });
  } finally {
    closeSync(folder);
  }
}

/** Throws a `PathMovedError` if a path leads elsewhere than before. For paths that another program opens. */
export function assertUnmoved({ path, realPath }: ResolvedPath): void {
  if (realpath(path) !== realPath) throw new PathMovedError(path);
}

async function makeFolder(realPath: string, byHandle: boolean): Promise<void> {
  const info = await lstat(realPath).catch(() => undefined);
  const parent = dirname(realPath);
  if (info !== undefined || parent === realPath) return;
  await inRealFolder(
    parent,
    async (folder) => {
      await mkdir(folder.at(basename(realPath))).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    },
    { create: true, byHandle },
  );
}

/** Linux's flag for a handle that only identifies a path: the folder need not be readable. */
const O_PATH = 0o10000000;

async function withHandle<T>(realPath: string, act: (folder: RealFolder) => Promise<T>): Promise<T> {
  const handle = await open(realPath, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      // With both flags, opening a link fails with ENOTDIR.
      throw error.code === 'ENOTDIR' && isLink(realPath) ? new PathMovedError(realPath) : error;
    },
  );
  const check = (): void => {
    if (isOpenAt(handle.fd, realPath) || isSame(realPath, fstatSync(handle.fd, { bigint: true }))) return;
    throw new PathMovedError(realPath);
  };
  try {
    check();
    const way = `/proc/self/fd/${handle.fd}`;
    return await act({ at: (name) => `${way}/${name}`, check }).catch((error: unknown) => {
      throw named(error, way, realPath);
    });
  } finally {
    await handle.close();
  }
}

async function withIdentity<T>(realPath: string, act: (folder: RealFolder) => Promise<T>): Promise<T> {
  const first = lstatSync(realPath, { bigint: true });
  if (!first.isSymbolicLink() && !first.isDirectory())
    throw Object.assign(new Error(`ENOTDIR: not a directory, open '${realPath}'`), {
      code: 'ENOTDIR',
      syscall: 'open',
      path: realPath,
    });
  const check = (isDone = false): void => {
    if (!isSame(realPath, first)) throw new PathMovedError(realPath, isDone);
  };
  check();
  const done = await act({ at: (name) => join(realPath, name), check: () => check() });
  check(true);
  return done;
}

/** True if the kernel reports the open file at that path. */
function isOpenAt(fd: number, realPath: string): boolean {
  return readlinkSync(`/proc/self/fd/${fd}`) === realPath;
}

/** True if the path leads to this very file without a link. */
function isSame(realPath: string, { dev, ino }: BigIntStats): boolean {
  try {
    const now = lstatSync(realPath, { bigint: true });
    return isEqualPath(realpathSync.native(realPath), realPath) && now.dev === dev && now.ino === ino;
  } catch {
    return false;
  }
}

/** A case-insensitive file system may return a different capitalization. */
const isEqualPath = (a: string, b: string): boolean =>
  a === b || a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase();

/** True for the error of opening a link without following it. */
export const isLoop = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ELOOP';

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Replaces the handle path in an error with the real one. */
function named(error: unknown, way: string, realPath: string): unknown {
  if (!(error instanceof Error)) return error;
  error.message = error.message.replaceAll(way, realPath);
  for (const key of ['path', 'dest']) {
    const path: unknown = Reflect.get(error, key);
    if (typeof path === 'string') Reflect.set(error, key, path.replace(way, realPath));
  }
  return error;
}

let handlePaths: boolean | undefined;

/** True if names are accessible through the handle of their folder: on Linux with /proc. */
function hasHandlePaths(): boolean {
  handlePaths ??= process.platform === 'linux' && canPassHandles();
  return handlePaths;
}

function canPassHandles(): boolean {
  try {
    const root = openSync('/', O_PATH | constants.O_DIRECTORY);
    try {
      return isOpenAt(root, '/') && lstatSync(`/proc/self/fd/${root}/proc`).isDirectory();
    } finally {
      closeSync(root);
    }
  } catch {
    return false;
  }
}

/**
 * The text of a small, untrusted regular file; undefined if it is missing, too large, unreadable, a pipe or a device.
 * Never blocks on a pipe, even if one is put there in the meantime.
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<string | undefined> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= maxBytes ? await file.readFile('utf8') : undefined;
  } catch {
    // A disk error.
    return undefined;
  } finally {
    await file.close().catch(() => undefined);
  }
}
