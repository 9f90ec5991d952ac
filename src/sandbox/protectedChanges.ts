/**
 * Reports changes by a command to files that other programs run or take settings from, if the sandbox could not prevent
 * them: new files, links, and files below the top level of the project.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { lstatOf, namesIn, textOf } from '../disk/fileLookups.ts';
import { isRunning } from '../disk/isRunning.ts';
import { isInside } from '../disk/paths.ts';
import { inRealFolderSync } from '../disk/realFile.ts';
import { RUNS_PROGRAMS } from './places/projectScan.ts';

/** Maximum paths named in one report. */
const MAX_NAMED = 10;

export interface ProtectedChanges {
  /** The changes since the last call, as shown to the user and the model; a limited number of paths. */
  take(): readonly string[];
}

/** The protected files of each root, with stamps. */
type ProtectedFiles = readonly ReadonlyMap<string, string>[];

/**
 * `first` are the protected files before the command, `scan` finds the current ones. `kept` are paths that the command
 * cannot change: a change there was made by another program. Paths in `root` are shortened. `disable` renames the
 * `.git` of a submodule whose settings run programs, and returns a note that says so.
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
      const described = inOrder.map(
        ([path, stamp]) => shortened(path, root) + (stamp === RUNS_PROGRAMS ? disable(path) : ''),
      );
      const named = described.slice(0, MAX_NAMED);
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
 * Renames the `.git` of a submodule that a command created, because the user's next `git status` would run programs
 * named in its settings. Each rename is noted on disk first, so that the user learns of it even if the program ends
 * before reporting it.
 */

const MAX_NAMES = 10;

interface Quarantine {
  /** Returns a note that follows the path in the report; empty if nothing was renamed. Never throws. */
  move(path: string): string;
  /** Call when everything returned so far has reached the user. */
  reported(): void;
}

let lastSession = 0;

/** `notes`: a folder for the notes of all sessions, which commands cannot write to. */
export function createQuarantine(notes: string): Quarantine {
  lastSession += 1;
  const own = join(notes, `${process.pid}-${lastSession}`);
  const unreported: string[] = [];
  return {
    move(path) {
      let done = '';
      try {
        // Without following links, then or at the last step: git does not follow them here either.
        inRealFolderSync(dirname(path), (folder) => {
          const name = [...Array(MAX_NAMES).keys()]
            .map((at) => `${basename(path)}-set-aside${at === 0 ? '' : at}`)
            .find((free) => lstatOf(folder.at(free)) === undefined);
          if (name === undefined) return;
          unreported.push(`${path}${renamedNote(name)}`);
          note(own, unreported);
          renameSync(folder.at(basename(path)), folder.at(name));
          done = renamedNote(name);
        });
      } catch {
        // If renaming fails, the change is reported without it.
      }
      return done;
    },
    reported() {
      if (unreported.splice(0).length > 0) rmSync(own, { force: true });
    },
  };
}

const renamedNote = (name: string): string =>
  ` (renamed to ${name}: its settings may start programs at your next git status)`;

function note(file: string, unreported: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(unreported), { mode: 0o600 });
  } catch {
    // Disk full: it is only reported now.
  }
}

/**
 * The unreported notes of sessions that were killed, about these folders, as lines for the user; each is returned once.
 * Never throws.
 */
export function unreportedSetAside(notes: string, folders: readonly string[]): readonly string[] {
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
