/**
 * Runs ripgrep, and vouches for what it found. It opens folders and files by their paths, so that another process which
 * exchanges one for a link meanwhile, and back, would have it show what lies elsewhere. A folder notes when an entry of
 * it was last replaced, in a time that no program can set: what lies in a folder that has not changed since before the
 * search was there all along. After a change it is searched again; what never stands still is left out.
 */
import { lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { assertUnmoved, type FilePlace } from '../../disk/realFile.ts';
import { realpath } from '../../disk/realPath.ts';
import type { Environment } from '../environment.ts';
import { count } from '../units.ts';
import { runRipgrep, type SearchRun } from './ripgrep.ts';

const MAX_RUNS = 3;
/** A search that takes longer is not repeated. */
const MAX_REPEATED_MS = 5000;
/** The kernel's clock for changes moves in steps of up to 10 ms. */
const CLOCK_STEP_MS = 25;
const CHANGED = 'folders changed while they were searched. Search again.';

export interface FolderSearch {
  readonly args: readonly string[];
  readonly separator: '\n' | '\0';
  /** What is searched, a folder or a file. */
  readonly place: FilePlace;
  /** The directory that ripgrep runs in, and of the workspace; absolute. */
  readonly cwd: string;
  readonly root: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** The path in an item of the output, relative to `cwd`; undefined where it names none. */
  readonly pathOf: (item: string) => string | undefined;
}

export interface FoundInFolder extends SearchRun {
  /** Whether a path of the output may have led elsewhere while it was searched. */
  readonly isDoubtful: (path: string) => boolean;
}

/** Undefined when there is no ripgrep on this machine. Throws a `PathMovedError` when the place itself has moved. */
export async function searchFolder(search: FolderSearch): Promise<FoundInFolder | undefined> {
  const { place, cwd, env, signal } = search;
  const foldersOf = foldersOnTheWay(search);
  const pipe = pipeAmongIgnoreFiles(place.realPath);
  if (pipe !== undefined)
    return {
      end: 'done',
      items: [],
      problem: `${pipe} is not a file, and reading it would never end.`,
      isDoubtful,
    };
  let before: ReadonlyMap<string, string> = new Map();
  for (let runs = 1; ; runs += 1) {
    const startedAt = Date.now();
    const run = await runRipgrep(search.args, search.separator, { cwd, root: search.root }, env, signal);
    if (run === undefined) return undefined;
    if (run.end === 'stopped') return { ...run, isDoubtful };
    assertUnmoved(place);
    const named = [...run.items.map(search.pathOf), ...run.problem.split('\n').map(pathOfProblem)];
    const paths = new Set(named.filter((path) => path !== undefined));
    const folders = [...new Set([...paths].flatMap(foldersOf))];
    const after = new Map(folders.map((folder) => [folder, stampOf(folder)]));
    const isSteady = (folder: string): boolean => {
      const stamp = after.get(folder);
      if (stamp === undefined) return false;
      return stamp.changedMs < startedAt - CLOCK_STEP_MS || before.get(folder) === stamp.text;
    };
    const moved = new Set(folders.filter((folder) => !isSteady(folder)));
    if (moved.size === 0 || runs === MAX_RUNS || Date.now() - startedAt > MAX_REPEATED_MS) {
      const hasMoved = (path: string): boolean => foldersOf(path).some((folder) => moved.has(folder));
      // Its messages may name what lies elsewhere.
      const problem = moved.size === 0 || run.problem === '' ? run.problem : CHANGED;
      return { ...run, problem, isDoubtful: hasMoved };
    }
    before = new Map(
      [...after].flatMap(([folder, stamp]) => (stamp === undefined ? [] : [[folder, stamp.text]])),
    );
    await delay(CLOCK_STEP_MS);
  }
}

const isDoubtful = (): boolean => false;

/** What a message of ripgrep names, as in `rg: ./src/a.ts: Permission denied (os error 13)`; undefined for others. */
const pathOfProblem = (line: string): string | undefined =>
  /^rg: (.+): [^:]*\(os error \d+\)$/.exec(line)?.[1];

/** What to tell the model of files that were left out. */
export const changedNote = (files: number): string =>
  `(${count(files, 'file')} left out: folders around them changed while they were searched. Search again.)`;

/** The folders between the workspace, or what is searched, and a file of the output, both among them; resolved. */
function foldersOnTheWay({ place, cwd, root }: FolderSearch): (path: string) => readonly string[] {
  const workspace = realpath(root);
  const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const known = new Map<string, readonly string[]>();
  return (path) => {
    const written = resolve(cwd, path);
    const real = isBelow(written, place.path) ? place.realPath + written.slice(place.path.length) : written;
    const first = dirname(real);
    const found = known.get(first);
    if (found !== undefined) return found;
    const top = isBelow(first, workspace)
      ? workspace
      : isBelow(first, place.realPath)
        ? place.realPath
        : first;
    const folders: string[] = [];
    for (let at = first; isBelow(at, top); at = dirname(at)) {
      folders.push(at);
      if (at === dirname(at)) break;
    }
    known.set(first, folders);
    return folders;
  };
}

interface Stamp {
  readonly changedMs: number;
  readonly text: string;
}

/** Undefined where no folder stands there. */
function stampOf(folder: string): Stamp | undefined {
  try {
    const found = lstatSync(folder, { bigint: true });
    if (!found.isDirectory()) return undefined;
    return { changedMs: Number(found.ctimeMs), text: [found.dev, found.ino, found.ctimeNs].join(':') };
  } catch {
    return undefined;
  }
}

/** What ripgrep reads in a folder and in all above it before it begins. */
const ignoreFiles = ['.gitignore', '.ignore', '.rgignore'];

/** The first that is a pipe or a device: ripgrep would wait for it. */
function pipeAmongIgnoreFiles(place: string): string | undefined {
  for (let at = place; ; at = dirname(at)) {
    const found = ignoreFiles.map((name) => join(at, name)).find(isPipe);
    if (found !== undefined || at === dirname(at)) return found;
  }
}

function isPipe(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !found.isFile() && !found.isDirectory();
  } catch {
    return false;
  }
}
