/**
 * Runs ripgrep and validates its results. Ripgrep opens folders and files by path, so another process that temporarily
 * replaces one with a link could make it show files from elsewhere. A folder's change time, which no program can set,
 * shows when an entry was last replaced: in a folder that has not changed since before the search, all files were there
 * all along. After a change the search is repeated; files in folders that keep changing are left out.
 */
import { lstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type SpecialFile, specialIgnoreFiles, specialIgnoreFilesBelow } from '../../disk/ignorePipes.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { assertUnmoved, type ResolvedPath } from '../../disk/realFile.ts';
import { count } from '../../protocol/text/numbers.ts';
import { shortPath } from '../paths.ts';
import type { Environment } from '../shell/childEnvironment.ts';
import { runRipgrep, type SearchRun } from './ripgrep.ts';

const MAX_RUNS = 3;
/** A search that takes longer is not repeated. */
const MAX_REPEATED_MS = 5000;
/** The kernel's clock for change times advances in steps of up to 10 ms. */
const CLOCK_STEP_MS = 25;
const CHANGED = 'folders changed while they were searched. Search again.';

interface FolderSearch {
  /** Without a path: `place` is added, unless it is `cwd`. */
  readonly args: readonly string[];
  readonly separator: '\n' | '\0';
  /** The folder or file to search. */
  readonly place: ResolvedPath;
  /** The directory in which ripgrep runs, and the workspace; both absolute. */
  readonly cwd: string;
  readonly root: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** The path in an output item, relative to `cwd`; undefined if it contains none. */
  readonly pathOf: (item: string) => string | undefined;
}

interface FoundInFolder extends SearchRun {
  /** For the model, about pipes and devices in place of ignore files; `base`: paths in it are shortened. */
  readonly notes: (base: string) => readonly string[];
  /** True if a path of the output may have pointed elsewhere during the search. */
  readonly isDoubtful: (path: string) => boolean;
}

/** Undefined if ripgrep is not available. Throws a `PathMovedError` if the place itself has moved. */
export async function searchFolder(search: FolderSearch): Promise<FoundInFolder | undefined> {
  const { place, cwd, env, signal } = search;
  const foldersOf = foldersOnTheWay(search);
  let devices = devicesAbove(place);
  const pipes = new Set<string>();
  let before: ReadonlyMap<string, string> = new Map();
  const notes = (base: string): readonly string[] => [
    ...pipeNotes([...pipes], base),
    ...deviceNotes(devices, place, base),
  ];
  let hasLooked = false;
  for (let runs = 1; ; runs += 1) {
    const startedAt = Date.now();
    const places = { cwd, root: search.root, place: place.realPath };
    const where = place.path === cwd ? [] : ['--', shortPath(place.path, cwd)];
    const args = [...search.args, ...argumentsAround(devices, place, cwd), ...where];
    const run = await runRipgrep(args, search.separator, places, env, signal);
    if (run === undefined) return undefined;
    for (const pipe of run.pipes) pipes.add(pipe);
    if (run.end === 'stopped') return { ...run, notes, isDoubtful };
    assertUnmoved(place);
    if (run.isStuck && !hasLooked) {
      hasLooked = true;
      const below = await devicesBelow(place, signal);
      devices = [...devices, ...below];
      if (below.length > 0) continue;
    }
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
      // Ripgrep's messages may name files from elsewhere.
      const problem = moved.size === 0 || run.problem === '' ? run.problem : CHANGED;
      return { ...run, problem, notes, isDoubtful: hasMoved };
    }
    before = new Map(
      [...after].flatMap(([folder, stamp]) => (stamp === undefined ? [] : [[folder, stamp.text]])),
    );
    await delay(CLOCK_STEP_MS);
  }
}

const isDoubtful = (): boolean => false;

/** The path in a message such as `rg: ./src/a.ts: Permission denied (os error 13)`; undefined for other messages. */
const pathOfProblem = (line: string): string | undefined =>
  /^rg: (.+): [^:]*\(os error \d+\)$/.exec(line)?.[1];

/** The note for the model about files that were left out. */
export const changedNote = (files: number): string =>
  `(${count(files, 'file')} left out: folders around them changed while they were searched. Search again.)`;

/**
 * Returns the real folders from a file of the output up to the workspace, or to the searched place if it is outside;
 * both ends included.
 */
function foldersOnTheWay({ place, cwd, root }: FolderSearch): (path: string) => readonly string[] {
  const workspace = realpath(root);
  const known = new Map<string, readonly string[]>();
  return (path) => {
    const written = resolve(cwd, path);
    const real = isInside(written, place.path) ? place.realPath + written.slice(place.path.length) : written;
    const first = dirname(real);
    const found = known.get(first);
    if (found !== undefined) return found;
    const top = isInside(first, workspace)
      ? workspace
      : isInside(first, place.realPath)
        ? place.realPath
        : first;
    const folders: string[] = [];
    for (let at = first; isInside(at, top); at = dirname(at)) {
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

/** Undefined if it is not a folder. */
function stampOf(folder: string): Stamp | undefined {
  try {
    const found = lstatSync(folder, { bigint: true });
    if (!found.isDirectory()) return undefined;
    return { changedMs: Number(found.ctimeMs), text: [found.dev, found.ino, found.ctimeNs].join(':') };
  } catch {
    return undefined;
  }
}

const pipeNotes = (pipes: readonly string[], base: string): readonly string[] =>
  pipes.map(
    (path) => `(${shortPath(path, base)} is a pipe and not a file, so no patterns were read from it.)`,
  );

// Sorts files by modification time: the search most likely looks for a recently changed file.

/** For more files, reading all modification times would take longer than the search. */
const MAX_STATS = 20_000;
const CONCURRENCY = 64;

/** Newest first; equal times, and all lists of more than 20,000 files, by name. */
export async function newestFirst(paths: readonly string[], cwd: string): Promise<string[]> {
  const byName = paths.toSorted();
  if (byName.length > MAX_STATS) return byName;
  const times = new Map<string, number>();
  const queue = byName.values();
  const worker = async (): Promise<void> => {
    for (const path of queue) {
      times.set(
        path,
        await stat(resolve(cwd, path)).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return byName.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}

// Devices in place of ignore files (a link `.gitignore` to `/dev/zero`), which ripgrep would read without an end. A folder
// with such a file is left out of a search of the folders above; a search in it reads no ignore files of that kind.

/** For more, the search fails. */
const MAX_DEVICES = 100;

/** Those of the place and its parents; looked up before each search. */
const devicesAbove = (place: ResolvedPath): readonly SpecialFile[] =>
  specialIgnoreFiles(place.realPath).filter(({ isPipe }) => !isPipe);

/** Those of all folders in the place; looked up after a search that did not end. */
async function devicesBelow(place: ResolvedPath, signal: AbortSignal): Promise<readonly SpecialFile[]> {
  const found: SpecialFile[] = [];
  for await (const one of specialIgnoreFilesBelow(place.realPath, signal))
    if (!one.isPipe && one.folder !== place.realPath && found.length < MAX_DEVICES) found.push(one);
  return found;
}

/** The arguments with which ripgrep, running in `cwd`, opens none of these devices. */
function argumentsAround(
  devices: readonly SpecialFile[],
  place: ResolvedPath,
  cwd: string,
): readonly string[] {
  const base = shortPath(place.path, cwd);
  return devices.map(({ path, folder }) => {
    if (isAround(folder, place)) return kindOption(basename(path));
    // A pattern applies to the path that ripgrep prints; within its directory, to the one relative to that.
    const written = join(base, relative(place.realPath, folder));
    const pattern = written.replace(/[\\*?[\]{}]/g, '\\$&');
    return `--glob=!${written.startsWith('/') ? '**' : '/'}${pattern}`;
  });
}

/** True if its patterns would apply to all of the place. */
const isAround = (folder: string, place: ResolvedPath): boolean => isInside(place.realPath, folder);

function kindOption(name: string): string {
  if (name === '.gitignore') return '--no-ignore-vcs';
  return name === 'exclude' ? '--no-ignore-exclude' : '--no-ignore-dot';
}

/** The notes for the model about them. */
const deviceNotes = (devices: readonly SpecialFile[], place: ResolvedPath, cwd: string): readonly string[] =>
  devices.map(({ path, folder }) => {
    const what = `${shortPath(path, cwd)} is a device and not a file`;
    if (isAround(folder, place)) return `(${what}, so files that ${basename(path)} files list are included.)`;
    return `(${what}, so ${shortPath(folder, cwd)} was left out. Pass it as path to search it.)`;
  });
