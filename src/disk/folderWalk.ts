/**
 * Goes through the folders of a project, the nearest first. A folder is read again only when it has changed, so that a
 * second walk costs little. Where there are more than can be looked at, those that lie deeper are left out.
 */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Made by programs and thrown away whole. */
const passing =
  /^(?:\..*|node_modules|bower_components|venv|build.*|cmake-build.*|dist|out|target|vendor|_?deps|Pods|DerivedData)$/;
/** Hidden, with ordinary files in them. */
const mixed = new Set(['.github', '.config', '.local']);
const MAX_DEPTH = 5;
const MAX_FOLDERS = 1000;

/** What was found in one folder. */
export interface WalkedFolder<T> {
  readonly path: string;
  readonly found: T;
}

interface Known<T> {
  readonly changed: bigint;
  readonly folders: readonly string[];
  readonly found: T;
}

/** What is in one folder, and whether the walk goes into one of its folders. */
export interface FolderLook<T> {
  readonly found: T;
  readonly enters?: (name: string) => boolean;
}

/** A function that walks through a folder; never throws. */
export function createFolderWalk<T>(
  look: (path: string, entries: readonly Dirent[]) => FolderLook<T>,
): (root: string) => readonly WalkedFolder<T>[] {
  let known = new Map<string, Known<T>>();
  return (root) => {
    const seen = new Map<string, Known<T>>();
    let level = [root];
    for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
      const next: string[] = [];
      for (const path of level) {
        if (seen.size >= MAX_FOLDERS) break;
        const folder = lookInto(path, known.get(path), look);
        if (folder === undefined) continue;
        seen.set(path, folder);
        next.push(...folder.folders.map((name) => join(path, name)));
      }
      level = next;
    }
    // Of other roots, too: each call would otherwise forget what the one before has read.
    known = new Map([...[...known].filter(([path]) => !`${path}/`.startsWith(`${root}/`)), ...seen]);
    return [...seen].map(([path, { found }]) => ({ path, found }));
  };
}

function lookInto<T>(
  path: string,
  known: Known<T> | undefined,
  look: (path: string, entries: readonly Dirent[]) => FolderLook<T>,
): Known<T> | undefined {
  try {
    const changed = lstatSync(path, { throwIfNoEntry: false, bigint: true })?.ctimeNs;
    if (changed === undefined) return undefined;
    if (known?.changed === changed) return known;
    const entries = readdirSync(path, { withFileTypes: true });
    const { found, enters = () => true } = look(path, entries);
    const folders = entries
      .filter((entry) => entry.isDirectory() && (!passing.test(entry.name) || mixed.has(entry.name)))
      .map(({ name }) => name)
      .filter(enters);
    return { changed, folders, found };
  } catch {
    return undefined;
  }
}
