/**
 * Finds dependency folders that share files with other projects: pnpm, bun, Deno, Yarn and uv install hard links to
 * files in a store, so a command that writes to such a file changes it in every project.
 */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { entriesOf, isDirectory, lstatOf, namesIn } from '../../disk/fileLookups.ts';
import { inRealFolderSync } from '../../disk/realFile.ts';
import { inSlices, type Steps } from '../../disk/slices.ts';

/** Names of a project's dependency folders. */
export const dependencyFolder = /^(?:node_modules|\.?venv)$/;

/** Folders in `node_modules` that contain all packages; the entries next to them are links. */
const stores = ['.pnpm', '.bun', '.deno', '.store'];
/** Folders in `node_modules` that tools write, and create if they are missing. */
export const dependencyCaches = ['.cache', '.vite', '.vite-temp', '.vitest'];

/** Each has several mounts. */
const MAX_FOLDERS = 50;
const MAX_OPEN = 20;
/** Maximum packages checked per folder, files checked per package, and their depth. */
const MAX_PACKAGES = 8;
const MAX_FILES = 8;
const MAX_TRIED = 3;
const MAX_DEPTH = 3;

export interface SharedFolders {
  /** Folders with shared files; absolute. */
  readonly folders: readonly string[];
  /** Folders inside them with generated files, which tools may write at any time. */
  readonly open: readonly string[];
}

interface Known<T> {
  readonly state: string;
  readonly found: T;
}

/**
 * Creates a function that finds them among folders whose names match `dependencyFolder`. It rereads a folder only if it
 * has changed. Never rejects.
 */
export function createSharedFolders(): (folders: readonly string[]) => Promise<SharedFolders> {
  const places = new Map<string, Known<readonly string[]>>();
  const contents = new Map<string, Known<{ readonly isShared: boolean; readonly open: readonly string[] }>>();
  function* find(folders: readonly string[]): Steps<SharedFolders> {
    const shared: string[] = [];
    const open: string[] = [];
    for (const folder of folders) {
      yield;
      for (const place of remembered(places, folder, () => packageFolders(folder))) {
        const state = stateOf(place);
        const before = contents.get(place);
        const isSame = before !== undefined && before.state === state;
        const found = isSame ? before.found : yield* lookedAt(place);
        if (!isSame) contents.set(place, { state, found });
        if (!found.isShared || shared.length >= MAX_FOLDERS) continue;
        shared.push(place);
        open.push(...found.open);
      }
    }
    return { folders: shared, open };
  }
  return (folders) => inSlices(find(folders));
}

function remembered<T>(known: Map<string, Known<T>>, folder: string, look: () => T): T {
  const state = stateOf(folder);
  const before = known.get(folder);
  if (before?.state === state) return before.found;
  const found = look();
  known.set(folder, { state, found });
  return found;
}

/** Uses the change time, which no program can set. */
function stateOf(folder: string): string {
  const found = lstatOf(folder);
  return `${found?.ino} ${found?.ctimeNs}`;
}

/** The folders that directly contain packages. */
function packageFolders(folder: string): readonly string[] {
  if (basename(folder) !== 'node_modules') {
    const versions = namesIn(join(folder, 'lib')).filter((name) => name.startsWith('python'));
    return versions.map((name) => join(folder, 'lib', name, 'site-packages')).filter(isDirectory);
  }
  const found = stores.map((name) => join(folder, name)).filter(isDirectory);
  return found.length > 0 ? found : [folder];
}

function* lookedAt(folder: string): Steps<Known<{ isShared: boolean; open: readonly string[] }>['found']> {
  const isShared = yield* hasSharedFiles(folder);
  return { isShared, open: isShared ? generatedIn(folder).slice(0, MAX_OPEN) : [] };
}

function* hasSharedFiles(folder: string): Steps<boolean> {
  const packages = foldersIn(folder);
  const distance = Math.max(1, Math.floor(packages.length / MAX_PACKAGES));
  for (let at = 0; at < packages.length; at += distance) {
    yield;
    if (isShared(packages[at] ?? '', 0)) return true;
  }
  return false;
}

/** True if one of a package's first files has several names. */
function isShared(folder: string, depth: number): boolean {
  const files = entriesOf(folder)
    .filter((entry) => entry.isFile())
    .slice(0, MAX_FILES);
  if (files.length > 0) return files.some(({ name }) => (lstatOf(join(folder, name))?.nlink ?? 0n) > 1n);
  if (depth >= MAX_DEPTH) return false;
  return foldersIn(folder)
    .slice(0, MAX_TRIED)
    .some((inner) => isShared(inner, depth + 1));
}

/** Leaves out links, and folders that contain no package. */
const foldersIn = (folder: string): readonly string[] =>
  entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !/^(?:\.|__pycache__$)/.test(entry.name))
    .map(({ name }) => join(folder, name));

function generatedIn(folder: string): readonly string[] {
  if (basename(folder) === 'node_modules')
    return entriesOf(folder)
      .filter((entry) => entry.isDirectory() && /^\.(?!bin$)/.test(entry.name))
      .map(({ name }) => join(folder, name));
  // The client that Prisma generates is next to the package, in a folder of the package's own.
  return namesIn(folder)
    .filter((name) => name.startsWith('@prisma+client@'))
    .map((name) => join(folder, name, 'node_modules/.prisma'))
    .filter(isDirectory);
}

/** Creates the folders that tools would create in a `node_modules` that is about to become read-only. Never throws. */
export function createCaches(folder: string): void {
  if (basename(folder) !== 'node_modules') return;
  const missing = dependencyCaches.filter((name) => lstatOf(join(folder, name)) === undefined);
  if (missing.length === 0) return;
  try {
    inRealFolderSync(folder, ({ at }) => {
      for (const name of missing) mkdirSync(at(name));
    });
  } catch {
    // If this program cannot write there, commands cannot either.
  }
}
