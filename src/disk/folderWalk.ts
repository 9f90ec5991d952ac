/**
 * Walks the folders of a project, nearest first. Reads a folder again only if it has changed, so repeated walks are
 * cheap. Leaves out deeper folders if there are too many, and those that cannot be read for an unknown reason, and lists
 * them.
 */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isClosed } from './fileLookups.ts';
import { atOnce, inSlices, type Steps } from './slices.ts';

/** Folders that programs create and delete as a whole. */
const passing =
  /^(?:\..*|node_modules|bower_components|venv|build.*|cmake-build.*|dist|out|target|vendor|_?deps|Pods|DerivedData)$/;
/** Hidden folders that contain ordinary files. */
const mixed = new Set(['.github', '.config', '.local']);
const MAX_DEPTH = 5;
const MAX_FOLDERS = 1000;

/** The result for one folder. */
interface WalkedFolder<T> {
  readonly path: string;
  readonly found: T;
}

interface Known<T> {
  readonly changed: bigint;
  readonly folders: readonly string[];
  readonly found: T;
}

/** The result for one folder, and which of its subfolders to enter. */
interface FolderResult<T> {
  readonly found: T;
  readonly enters?: (name: string) => boolean;
}

/** How far a walk goes. */
interface Reach {
  /** Names of folders that are left out, except those in `mixed`. */
  readonly skipped: RegExp;
  readonly maxDepth: number;
  readonly maxFolders: number;
}

interface Walked<T> {
  readonly folders: readonly WalkedFolder<T>[];
  /** Folders that were not read, because of the limits or an error; nothing in them is listed. */
  readonly left: readonly string[];
}

const usual: Reach = { skipped: passing, maxDepth: MAX_DEPTH, maxFolders: MAX_FOLDERS };

/** Walks a folder; never throws. */
export interface FolderWalk<T> {
  (root: string): Walked<T>;
  /** The same without keeping this thread busy throughout. */
  inSlices(root: string): Promise<Walked<T>>;
  /** The same as a part of longer work. */
  steps(root: string): Steps<Walked<T>>;
}

export function createFolderWalk<T>(
  look: (path: string, entries: readonly Dirent[]) => FolderResult<T>,
  { skipped, maxDepth, maxFolders }: Reach = usual,
): FolderWalk<T> {
  let known = new Map<string, Known<T>>();
  function* walk(root: string): Steps<Walked<T>> {
    const seen = new Map<string, Known<T>>();
    const left: string[] = [];
    let level = [root];
    for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
      const next: string[] = [];
      for (const path of level) {
        if (seen.size >= maxFolders) {
          left.push(path);
          continue;
        }
        yield;
        const folder = readFolder(path, known.get(path), look, skipped);
        if (folder === 'unknown') left.push(path);
        if (folder === undefined || folder === 'unknown') continue;
        seen.set(path, folder);
        next.push(...folder.folders.map((name) => join(path, name)));
      }
      level = next;
    }
    // Also keeps folders of other roots, which the next walk would otherwise have to read again.
    known = new Map([...[...known].filter(([path]) => !`${path}/`.startsWith(`${root}/`)), ...seen]);
    const folders = [...seen].map(([path, { found }]) => ({ path, found }));
    return { folders, left: [...left, ...level] };
  }
  return Object.assign((root: string) => atOnce(walk(root)), {
    inSlices: (root: string) => inSlices(walk(root)),
    steps: walk,
  });
}

function readFolder<T>(
  path: string,
  known: Known<T> | undefined,
  look: (path: string, entries: readonly Dirent[]) => FolderResult<T>,
  skipped: RegExp,
): Known<T> | 'unknown' | undefined {
  try {
    const changed = lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ctimeNs;
    if (changed === undefined) return undefined;
    if (known?.changed === changed) return known;
    const entries = readdirSync(path, { withFileTypes: true });
    const { found, enters = () => true } = look(path, entries);
    const folders = entries
      .filter((entry) => entry.isDirectory() && (!skipped.test(entry.name) || mixed.has(entry.name)))
      .map(({ name }) => name)
      .filter(enters);
    return { changed, folders, found };
  } catch (error) {
    return isClosed(error) ? undefined : 'unknown';
  }
}
