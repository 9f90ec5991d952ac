/**
 * Reports what a command does to files that other programs execute or obey where the sandbox could not prevent it: files
 * that were not there, links, and whatever lies below the top of the project.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { lstatOf, namesIn, textOf } from '../disk/fileLookups.ts';
import { inRealFolderSync } from '../disk/realFile.ts';
import { isInside } from '../disk/realPath.ts';
import { isRunning } from './places/gitFolders.ts';
import { RUNS_PROGRAMS } from './places/projectScan.ts';

/** Paths that are named at once. */
const MAX_NAMED = 10;

export interface ProtectedChanges {
  /** What is new since the last call, as the user and the model are shown it; at most so many paths. */
  take(): readonly string[];
}

/** The protected files of each root, with stamps. */
type ProtectedFiles = readonly ReadonlyMap<string, string>[];

/**
 * `first` are the protected files before the command, `scan` finds those of now. `kept` is what the command cannot change:
 * if that changes, it was another program. Paths in `root` are shortened. `disable` renames the `.git` of a submodule whose
 * settings run programs, and says how.
 */
export function watchProtected(
  first: ProtectedFiles,
  scan: () => ProtectedFiles,
  {
    kept,
    root,
    disable,
  }: {
    readonly kept: readonly string[];
    readonly root: string;
    readonly disable: (path: string) => string;
  },
): ProtectedChanges {
  const safe = new Set(kept);
  let before = merged(first);
  return {
    take() {
      const now = merged(scan());
      const changed = [...now].filter(
        ([path, stamp]) => before.get(path) !== stamp && !(before.has(path) && safe.has(path)),
      );
      before = now;
      const inOrder = [...changed].sort(
        ([, a], [, b]) => Number(b === RUNS_PROGRAMS) - Number(a === RUNS_PROGRAMS),
      );
      const said = inOrder.map(
        ([path, stamp]) => shortened(path, root) + (stamp === RUNS_PROGRAMS ? disable(path) : ''),
      );
      const named = said.slice(0, MAX_NAMED);
      const more = changed.length - MAX_NAMED;
      return more > 0 ? [...named, `${more} more`] : named;
    },
  };
}

const merged = (all: ProtectedFiles): ReadonlyMap<string, string> => new Map(all.flatMap((one) => [...one]));

function shortened(path: string, root: string): string {
  const below = relative(root, path);
  return below.startsWith('..') || isAbsolute(below) ? path : below;
}

/*
 * Gives the `.git` of a submodule that a command made another name, because the user's next `git status` would run what
 * its settings name. Each change is noted on disk first, so that the user hears of it even when the program ends before
 * it can say so.
 */

const MAX_NAMES = 10;

export interface Quarantine {
  /** What was done, in words that follow the path; empty where nothing was. Never throws. */
  move(path: string): string;
  /** What was said so far has reached the user. */
  told(): void;
}

let lastSession = 0;

/** `notes`: a folder for the notes of all sessions, which commands cannot write to. */
export function createQuarantine(notes: string): Quarantine {
  lastSession += 1;
  const own = join(notes, `${process.pid}-${lastSession}`);
  const untold: string[] = [];
  return {
    move(path) {
      let done = '';
      try {
        // Not behind a link, now or at the last step: git does not follow it either.
        inRealFolderSync(dirname(path), (folder) => {
          const name = [...Array(MAX_NAMES).keys()]
            .map((at) => `${basename(path)}-set-aside${at === 0 ? '' : at}`)
            .find((free) => lstatOf(folder.at(free)) === undefined);
          if (name === undefined) return;
          untold.push(`${path}${said(name)}`);
          note(own, untold);
          renameSync(folder.at(basename(path)), folder.at(name));
          done = said(name);
        });
      } catch {
        // What cannot be renamed is reported as it is.
      }
      return done;
    },
    told() {
      if (untold.splice(0).length > 0) rmSync(own, { force: true });
    },
  };
}

const said = (name: string): string =>
  ` (renamed to ${name}: its settings may start programs at your next git status)`;

function note(file: string, untold: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(untold), { mode: 0o600 });
  } catch {
    // A full disk: then it is only said now.
  }
}

/** What sessions that ended too soon have not said about these folders, for the user; forgotten then. Never throws. */
export function untoldSetAside(notes: string, folders: readonly string[]): readonly string[] {
  return namesIn(notes).flatMap((name) => {
    const file = join(notes, name);
    const lines = isRunning(Number.parseInt(name, 10)) ? [] : linesIn(file);
    const isOfThese = lines.some((line) => folders.some((folder) => isInside(line, folder)));
    if (!isOfThese) return [];
    rmSync(file, { force: true });
    return lines.map((line) => `A command of an earlier session made ${line}.`);
  });
}

function linesIn(file: string): readonly string[] {
  try {
    const lines: unknown = JSON.parse(textOf(file));
    return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}
