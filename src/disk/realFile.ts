/**
 * Opens and changes exactly the file that a path led to when it was looked up. A real path holds no links, so when one
 * stands on the way later, something was swapped: then nothing is read and nothing is written.
 *
 * On Linux every step goes through the open folder: `/proc/self/fd/N/name` does what openat() does, which Node lacks.
 * Elsewhere the folder is compared by device and inode, before and after.
 */
import {
  type BigIntStats,
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
import { realpath } from './realPath.ts';

/** A path as it was written, and where it led when it was looked up. Both absolute. */
export interface FilePlace {
  readonly path: string;
  readonly realPath: string;
}

/** What stands on the way to a file is no longer what it was when the path was looked up. */
export class PathMovedError extends Error {
  override readonly name = 'PathMovedError';

  /** `isDone`: it came to light only afterwards. */
  constructor(path: string, isDone = false) {
    const outcome = isDone ? 'It may have been done elsewhere.' : 'Nothing was done.';
    super(
      `${path} leads elsewhere than it did when this was decided: a link or another folder was put on the way. ${outcome} Look at the folder before you try again.`,
    );
  }
}

/** A folder that is held open. */
export interface RealFolder {
  /** What calls of `node:fs` take for a name in it. Follow no link at that name: `lstat`, `O_NOFOLLOW`, `wx`, `rename`. */
  at(name: string): string;
  /** Throws a `PathMovedError` when the folder no longer stands at its path. For right before the last step. */
  check(): void;
}

export interface FolderOptions {
  /** Makes the folder and those above it that are missing. */
  readonly create?: boolean;
  /** Whether the system has paths that go through handles; by default looked up. */
  readonly byHandle?: boolean;
}

/** Opens a regular file, a pipe or a device for reading, without waiting for a pipe's other end. Rejects with system errors. */
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

/** Does something in a folder that is held open meanwhile. Rejects with system errors, and as `PathMovedError`. */
export async function inRealFolder<T>(
  realPath: string,
  act: (folder: RealFolder) => Promise<T>,
  { create = false, byHandle = hasHandlePaths() }: FolderOptions = {},
): Promise<T> {
  if (create) await makeFolder(realPath, byHandle);
  return byHandle ? withHandle(realPath, act) : withIdentity(realPath, act);
}

/** The same at once, for a few quick steps. Throws system errors, and a `PathMovedError`. */
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

/** Throws a `PathMovedError` when a path leads elsewhere than it did. For what another program opens. */
export function assertUnmoved({ path, realPath }: FilePlace): void {
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

/** Linux's flag for a handle that only stands for a place: a folder that may be passed through need not be readable. */
const O_PATH = 0o10000000;

async function withHandle<T>(realPath: string, act: (folder: RealFolder) => Promise<T>): Promise<T> {
  const handle = await open(realPath, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      // With both flags a link is no directory.
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

/** Whether what is open stands at that path, as the kernel tells it. */
function isOpenAt(fd: number, realPath: string): boolean {
  return readlinkSync(`/proc/self/fd/${fd}`) === realPath;
}

/** Whether the path leads to that very file without a link. */
function isSame(realPath: string, { dev, ino }: BigIntStats): boolean {
  try {
    const now = lstatSync(realPath, { bigint: true });
    return isEqualPath(realpathSync.native(realPath), realPath) && now.dev === dev && now.ino === ino;
  } catch {
    return false;
  }
}

/** Where capitals make no difference, the system may answer with others than were asked for. */
const isEqualPath = (a: string, b: string): boolean =>
  a === b || a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase();

const isLoop = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ELOOP';

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** The error with the path that people know. */
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

/** Whether names can be reached through the handle of their folder: on Linux with /proc. */
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
