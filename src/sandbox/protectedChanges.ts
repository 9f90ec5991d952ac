/**
 * Notices, and for submodules undoes, what a command does to files that other programs obey where the sandbox could not keep it from them: files that
 * were not there, links, and whatever lies below the top of the project.
 */
import { isAbsolute, relative } from 'node:path';
import { RUNS_PROGRAMS } from './places/projectScan.ts';

/** Paths that are named at once. */
const MAX_NAMED = 10;

export interface ObeyedChanges {
  /** What is new since the last call, as the user and the model are shown it; at most so many paths. */
  take(): readonly string[];
}

/** What is obeyed in each root, with stamps. */
type Obeyed = readonly ReadonlyMap<string, string>[];

/**
 * `first` is what was obeyed before the command, `look` says what is now. `kept` is what the command cannot change: when
 * that changes, it was somebody else. Paths in `root` are shortened. `setAside` deals with a submodule whose settings run programs, and says
 * how.
 */
export function watchObeyed(
  first: Obeyed,
  look: () => Obeyed,
  {
    kept,
    root,
    setAside,
  }: {
    readonly kept: readonly string[];
    readonly root: string;
    readonly setAside: (path: string) => string;
  },
): ObeyedChanges {
  const safe = new Set(kept);
  let before = merged(first);
  return {
    take() {
      const now = merged(look());
      const changed = [...now].filter(
        ([path, stamp]) => before.get(path) !== stamp && !(before.has(path) && safe.has(path)),
      );
      before = now;
      const inOrder = [...changed].sort(
        ([, a], [, b]) => Number(b === RUNS_PROGRAMS) - Number(a === RUNS_PROGRAMS),
      );
      const said = inOrder.map(
        ([path, stamp]) => shortened(path, root) + (stamp === RUNS_PROGRAMS ? setAside(path) : ''),
      );
      const named = said.slice(0, MAX_NAMED);
      const more = changed.length - MAX_NAMED;
      return more > 0 ? [...named, `${more} more`] : named;
    },
  };
}

const merged = (all: Obeyed): ReadonlyMap<string, string> => new Map(all.flatMap((one) => [...one]));

function shortened(path: string, root: string): string {
  const below = relative(root, path);
  return below.startsWith('..') || isAbsolute(below) ? path : below;
}
