/**
 * Reports changes by a command to files that other programs run or take settings from, if the sandbox could not prevent
 * them: new files, links, and files below the top level of the project.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { lstatOf, namesIn } from '../disk/fileLookups.ts';
import { isRunning } from '../disk/isRunning.ts';
import { isInside } from '../disk/paths.ts';
import { inRealFolderSync } from '../disk/realFile.ts';
import {
  type Danger,
  dangerOf,
  isNeverOfGit,
  OTHER_GIT,
  PREPARED_MODULE,
  RUNS_PROGRAMS,
} from './places/dangers.ts';
import { outsideModules } from './places/git/moduleWalk.ts';
import type { LinkGuard } from './places/linkGuard.ts';
import { readList, writeList } from './places/listNotes.ts';
import { rememberPlaces } from './places/placeIdentity.ts';

/** Maximum paths named in one report. */
const MAX_NAMED = 10;

export interface ProtectedChanges {
  /** The changes since the last call, as shown to the user and the model; a limited number of paths. */
  take(): readonly string[];
  /**
   * Protected files that were replaced, as editors do: the mount is lost with its file, so the command could change the
   * new one. Absolute.
   */
  replaced(): readonly string[];
  /** Immediately renames what must not stay until the command ends; the next `take` reports it. */
  check(): Promise<void>;
  /** Call when the command has ended. */
  release(): void;
}

/** The protected files of each root, with stamps. */
type ProtectedFiles = readonly ReadonlyMap<string, string>[];

/**
 * `first` are the protected files before the command, `scan` finds the current ones. `kept` are paths that the command
 * cannot change: a change there was made by another program. This does not apply to a submodule in which git now starts
 * programs, whatever changed it, nor to a folder that was replaced, which editors and git do not do. `fixed` are those of
 * them that the command cannot replace, either. Paths in the first of the `roots` are shortened. `disable` renames what must not stay,
 * such as the `.git` of a repository whose settings run programs, and returns a note that says so. `restoreLinks`
 * restores links.
 */
export function watchProtected(
  first: ProtectedFiles,
  scan: { readonly now: () => ProtectedFiles; readonly inSlices: () => Promise<ProtectedFiles> },
  {
    kept,
    fixed,
    roots,
    disable,
    restoreLinks,
  }: {
    readonly kept: readonly string[];
    readonly fixed: readonly string[];
    readonly roots: readonly string[];
    readonly disable: (path: string, danger: Danger) => string;
    readonly restoreLinks: LinkGuard['restore'];
  },
): ProtectedChanges {
  const safe = new Set(kept);
  const own = new Set(roots.map((root) => join(root, '.git')));
  const known = rememberPlaces(fixed, [...own]);
  /** What has been replaced: folders and the `.git` of a root; other files. */
  const [lost, replaced] = [new Set<string>(), new Set<string>()];
  let before = new Map([...merged(first)].filter(([, stamp]) => !isNeverOfGit(stamp)));
  /** The user's own repository or submodule is never renamed, unless the command has created it. */
  const isKept = (path: string, stamp: string): boolean => {
    const isSafe = (place: string): boolean => safe.has(place) && !lost.has(place);
    if (stamp === PREPARED_MODULE)
      return isSafe(join(path, 'config')) || kept.some((place) => isInside(path, place) && !lost.has(place));
    return stamp === RUNS_PROGRAMS
      ? own.has(path) && [path, join(path, 'config')].some(isSafe)
      : before.has(path) && isSafe(path);
  };
  let takes = 0;
  const renamed = new Set<string>();
  const changedIn = (now: ReadonlyMap<string, string>): readonly Change[] => {
    const found = known.replaced();
    for (const { path, wasFolder } of found) (wasFolder || own.has(path) ? lost : replaced).add(path);
    const others = found.map(({ path }) => path).filter((path) => own.has(path));
    const changed = [...now].filter(
      ([path, stamp]) =>
        before.get(path) !== stamp &&
        !isKept(path, stamp) &&
        // It is set aside with everything in it.
        !others.some((other) => isInside(path, other)),
    );
    return [...others.map((path) => [path, OTHER_GIT] as const), ...changed];
  };
  const described = ([path, stamp]: Change): string =>
    shortened(path, roots[0] ?? '/') + noteOf(path, dangerOf(stamp));
  const noteOf = (path: string, danger: Danger | undefined): string =>
    danger === undefined ? '' : disable(path, danger);
  const restored = (): readonly string[] =>
    restoreLinks().map(({ path, note }) => shortened(path, roots[0] ?? '/') + note);
  return {
    take() {
      takes += 1;
      for (const link of restored()) renamed.add(link);
      const now = merged(scan.now());
      const changed = changedIn(now);
      // What is renamed now may reappear.
      before = new Map([...now].filter((one) => !(changed.includes(one) && isUrgent(one))));
      const inOrder = [...changed].sort((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)));
      const all = new Set([...renamed, ...inOrder.map(described)]);
      renamed.clear();
      const more = all.size - MAX_NAMED;
      const named = [...all].slice(0, MAX_NAMED);
      return more > 0 ? [...named, `${more} more`] : named;
    },
    replaced: () => [...replaced],
    async check() {
      for (const link of restored()) renamed.add(link);
      const before = takes;
      const now = merged(await scan.inSlices());
      // Its findings are outdated: the command may have ended, and later changes are the user's.
      if (takes !== before) return;
      for (const change of changedIn(now).filter(isUrgent)) renamed.add(described(change));
    },
    release: known.release,
  };
}

/** A path and its stamp. */
type Change = readonly [string, string];

const isUrgent = ([, stamp]: Change): boolean => dangerOf(stamp) !== undefined;

const merged = (all: ProtectedFiles): ReadonlyMap<string, string> => new Map(all.flatMap((one) => [...one]));

function shortened(path: string, root: string): string {
  const below = relative(root, path);
  return below.startsWith('..') || isAbsolute(below) ? path : below;
}

/*
 * Renames the `.git` of a submodule that a command created, because the user's next `git status` would run programs
 * named in its settings, or an index that cannot be searched for such submodules. Each rename is noted on disk first, so
 * that the user learns of it even if the program ends before reporting it.
 */

const MAX_NAMES = 10;

interface Quarantine {
  /** Returns a note that follows the path in the report; empty if nothing was renamed. Never throws. */
  move(path: string, danger: Danger): string;
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
    move(path, { reason, into: elsewhere, earlier }) {
      const isModule = reason === dangerOf(PREPARED_MODULE)?.reason;
      const into = isModule ? outsideModules(path) : (elsewhere ?? dirname(path));
      const isMoved = isModule || elsewhere !== undefined;
      let done = '';
      try {
        // Never follows links, not even in the last step: git does not follow them here either.
        inRealFolderSync(dirname(path), (from) =>
          inRealFolderSync(into, (to) => {
            // The command cannot guess the last name.
            const endings = [...Array(MAX_NAMES).keys(), randomBytes(6).toString('hex')];
            const name = endings
              .map((end) => `${basename(path)}-set-aside${end === 0 ? '' : end}`)
              .find((free) => lstatOf(to.at(free)) === undefined);
            if (name === undefined) return;
            const place = isMoved ? `moved to ${join(into, name)}` : `renamed to ${name}`;
            const restored = earlier === undefined ? '' : '; its earlier content is restored';
            const said = ` (${place}: ${reason}${restored})`;
            unreported.push(`${path}${said}`);
            writeList(own, unreported);
            renameSync(from.at(basename(path)), to.at(name));
            done = said;
            if (earlier !== undefined) writeFileSync(from.at(basename(path)), earlier, { flag: 'wx' });
          }),
        );
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

/**
 * The unreported notes of sessions that were killed, about these folders, as lines for the user; each is returned once.
 * Never throws.
 */
export function unreportedSetAside(notes: string, folders: readonly string[]): readonly string[] {
  return namesIn(notes).flatMap((name) => {
    const file = join(notes, name);
    const lines = isRunning(Number.parseInt(name, 10)) ? [] : readList(file);
    const isOfThese = lines.some((line) => folders.some((folder) => isInside(line, folder)));
    if (!isOfThese) return [];
    rmSync(file, { force: true });
    return lines.map((line) => `A command in an earlier session created ${line}.`);
  });
}
