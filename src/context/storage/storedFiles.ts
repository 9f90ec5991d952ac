/**
 * Opens, creates and removes everything in a project's folder. Such a folder may come from another machine and contain
 * links to anything: none is followed, at any level. The user may link what is above it (`projects/`, the data folder).
 *
 * `folder` always contains sessions: a project's, or those of a session's subagents.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { lstatOf } from '../../disk/fileLookups.ts';
import { isLoop } from '../../disk/realFile.ts';

/** A link where only real files and folders are used. */
export class StoredLinkError extends Error {
  override readonly name = 'StoredLinkError';
  constructor(path: string) {
    super(
      `${path} is a link. Sessions are stored in real files and folders only, so nothing was read or changed there. Remove the link, or replace it with what it points to.`,
    );
  }
}

/** Throws a `StoredLinkError` if any folder from the project's own down to `path` is a link. Some may be missing. */
export function assertRealFolders(folder: string, path: string = folder): void {
  const project = projectOf(folder);
  const below = relative(project, path);
  if (below.split(sep).includes('..')) throw new TypeError(`${path} is not in ${project}.`);
  let at = project;
  for (const name of ['', ...below.split(sep)]) {
    at = join(at, name);
    const info = lstatOf(at);
    // What then uses the path gets the system's error.
    if (info === undefined) return;
    if (info.isSymbolicLink()) throw new StoredLinkError(at);
    // Not a folder: the system's error says more.
    if (!info.isDirectory()) return;
  }
}

/** The sessions of a session's subagents are in `agents/<session>` of the project's folder. */
function projectOf(folder: string): string {
  const parent = dirname(folder);
  return basename(parent) === 'agents' ? dirname(parent) : folder;
}

/** True if no folder from the project's own down to `path` is a link. */
export function hasRealFolders(folder: string, path: string = folder): boolean {
  try {
    assertRealFolders(folder, path);
    return true;
  } catch {
    return false;
  }
}

/** A regular file that is reached without a link; undefined if there is none. */
export function storedFile(path: string, folder: string = dirname(path)): Stats | undefined {
  if (!hasRealFolders(folder, dirname(path))) return undefined;
  const info = lstatSync(path, { throwIfNoEntry: false });
  return info?.isFile() === true ? info : undefined;
}

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT } = constants;
/** Windows has neither. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Opens a file for reading. Rejects with system errors or a `StoredLinkError`. */
export async function openStored(path: string, folder: string = dirname(path)): Promise<FileHandle> {
  return openReal(path, folder, O_RDONLY);
}

/** Opens a file for reading and appending; creates it if there is none. */
export async function openToAppend(path: string, folder: string = dirname(path)): Promise<FileHandle> {
  return openReal(path, folder, O_RDWR | O_APPEND | O_CREAT);
}

async function openReal(path: string, folder: string, flags: number): Promise<FileHandle> {
  assertRealFolders(folder, dirname(path));
  const handle = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: unknown) => {
    throw isLoop(error) ? new StoredLinkError(path) : error;
  });
  try {
    assertOrdinary(path, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The synchronous version of `openStored`; returns a descriptor. */
export function openStoredNow(path: string, folder: string = dirname(path)): number {
  assertRealFolders(folder, dirname(path));
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    assertOrdinary(path, fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Creates a file that does not exist yet, for reading and writing. Its folder has to exist. */
export async function createStored(path: string, folder: string): Promise<FileHandle> {
  assertRealFolders(folder, dirname(path));
  return open(path, 'wx+', 0o600);
}

/** Creates a folder and missing parents. */
export async function makeStoredFolder(path: string, folder: string): Promise<void> {
  assertRealFolders(folder, path);
  await makeFolder(path);
}

/** Removes a file or a folder with its contents, if it is there. */
export async function removeStored(path: string, folder: string = dirname(path)): Promise<void> {
  assertRealFolders(folder, path);
  await rm(path, { recursive: true, force: true });
}

/** A pipe or a device: reading might never end. */
function assertOrdinary(path: string, info: Stats): void {
  if (info.isFile() || info.isDirectory()) return;
  throw Object.assign(new Error(`EINVAL: not a regular file, open '${path}'`), {
    code: 'EINVAL',
    syscall: 'open',
    path,
  });
}

/** For `catch`: undefined if the file does not exist; throws any other error. */
export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

// Creates private folders and makes new names durable.

/** Creates the folder and missing parents with mode 0700, and syncs the new names to disk. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error) => {
    // On a read-only disk, Node reports ENOENT for the whole path; creating the first missing folder gives the real
    // reason.
    await mkdir(await firstMissing(folder), { mode: 0o700 });
    throw error;
  });
  if (first === undefined) return;
  for (let made = folder; made.startsWith(first); made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes the names in a folder durable. Ignores file systems that cannot sync a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function firstMissing(folder: string): Promise<string> {
  const parent = dirname(folder);
  const isThere = parent === folder || (await stat(parent).then(Boolean, () => false));
  return isThere ? folder : firstMissing(parent);
}
