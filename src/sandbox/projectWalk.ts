/**
 * Goes through the folders of a workspace for repositories and for files that other programs obey. Folders are read again
 * only when they have changed, so that a second look costs little. Where there are more than can be looked at, those that
 * lie deeper are left out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lstatOf, namesIn } from './fileLookups.ts';

/** Made by programs and thrown away whole: a protected file in there would only be in the way. */
const passing =
  /^(?:\..*|node_modules|bower_components|venv|build.*|cmake-build.*|dist|out|target|vendor|_?deps|Pods|DerivedData)$/;
/** Hidden, with ordinary files in them and what other programs obey. */
const mixed = new Set(['.github', '.config', '.local']);
const MAX_DEPTH = 5;
const MAX_FOLDERS = 1000;
const MAX_REPOSITORIES = 50;
/** Of a folder that is obeyed as a whole. */
const MAX_ENTRIES = 100;
const MAX_INDEX_BYTES = 64 * 2 ** 20;

export interface Walked {
  /** Repositories below the folder, the nearest first and without it. */
  readonly repositories: readonly string[];
  /** What other programs obey, each with a stamp that is another once it has changed or been replaced. */
  readonly obeyed: ReadonlyMap<string, string>;
}

interface Folder {
  readonly changed: bigint;
  readonly folders: readonly string[];
  readonly isRepository: boolean;
  readonly obeyed: readonly string[];
}

/** A function that looks at a folder; never throws. */
export function createProjectWalk(isObeyed: (path: string) => boolean): (root: string) => Walked {
  let known = new Map<string, Folder>();
  const countSubmodules = createSubmoduleCounter();
  return (root) => {
    const seen = new Map<string, Folder>();
    const repositories: string[] = [];
    const obeyed = new Map<string, string>();
    let level = [root];
    for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
      const next: string[] = [];
      for (const path of level) {
        if (seen.size >= MAX_FOLDERS) break;
        const folder = lookInto(path, known.get(path), isObeyed);
        if (folder === undefined) continue;
        seen.set(path, folder);
        if (folder.isRepository && path !== root && repositories.length < MAX_REPOSITORIES)
          repositories.push(path);
        for (const name of folder.obeyed) obeyed.set(join(path, name), stampOf(join(path, name)));
        if (folder.isRepository) obeyed.set(join(path, '.git/index'), countSubmodules(path));
        next.push(...folder.folders.map((name) => join(path, name)));
      }
      level = next;
    }
    // Of other roots, too: each call would otherwise forget what the one before has read.
    known = new Map([...[...known].filter(([path]) => !`${path}/`.startsWith(`${root}/`)), ...seen]);
    return { repositories, obeyed };
  };
}

function lookInto(
  path: string,
  known: Folder | undefined,
  isObeyed: (path: string) => boolean,
): Folder | undefined {
  const changed = lstatOf(path)?.ctimeNs;
  if (changed === undefined) return undefined;
  if (known?.changed === changed) return known;
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    // A folder with a HEAD is a repository, whose settings git obeys there. Source: gitrepository-layout.
    const obeyed = entries
      .filter((entry) => (entry.name === 'HEAD' && entry.isFile()) || isObeyed(join(path, entry.name)))
      .map(({ name }) => name);
    return {
      changed,
      folders: entries
        .filter((entry) => entry.isDirectory() && (!passing.test(entry.name) || mixed.has(entry.name)))
        .map(({ name }) => name)
        .filter((name) => !obeyed.includes(name)),
      isRepository: entries.some(({ name }) => name === '.git'),
      obeyed,
    };
  } catch {
    return undefined;
  }
}

/** The time is that of the change, which no program can set. */
function stampOf(path: string): string {
  const found = lstatOf(path);
  if (found === undefined) return '';
  if (!found.isDirectory()) return `${found.ino} ${found.ctimeNs}`;
  // Git writes into its folder constantly; the files in it that git obeys are protected separately.
  const entries = basename(path) === '.git' ? [] : namesIn(path).slice(0, MAX_ENTRIES);
  return [found.ino, ...entries.map((name) => `${name} ${lstatOf(join(path, name))?.ctimeNs}`)].join(' ');
}

/** The mode of a submodule, 0160000, as the index has it. Source: gitformat-index. */
const SUBMODULE_MODE = Buffer.from([0, 0, 0xe0, 0]);

/**
 * Git looks into a submodule for the status of what is around it, and runs what the settings in there name: a repository
 * that a command has made is obeyed from the moment on in which the index lists it, wherever it lies.
 */
function createSubmoduleCounter(): (repository: string) => string {
  const known = new Map<string, { readonly changed: bigint; readonly count: string }>();
  return (repository) => {
    const path = join(repository, '.git/index');
    const found = lstatOf(path);
    if (found?.isFile() !== true || found.size > MAX_INDEX_BYTES) return '0';
    const before = known.get(path);
    if (before?.changed === found.ctimeNs) return before.count;
    const count = countIn(path);
    known.set(path, { changed: found.ctimeNs, count });
    return count;
  };
}

/** The mode is searched for as bytes: by chance they would stand in an index of a gigabyte. */
function countIn(path: string): string {
  try {
    const bytes = readFileSync(path);
    let count = 0;
    for (let at = bytes.indexOf(SUBMODULE_MODE); at !== -1; at = bytes.indexOf(SUBMODULE_MODE, at + 1))
      count++;
    return String(count);
  } catch {
    return '0';
  }
}
