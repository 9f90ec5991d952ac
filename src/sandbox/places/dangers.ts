/** Stamps of what must not stay after a command, because the user's next git command would run or write what it says. */

/** A repository that git enters for the status of the project, and in which it would start programs. */
export const RUNS_PROGRAMS = 'runs programs';
/** An index whose entries cannot be determined. */
export const UNREADABLE_INDEX = 'unreadable index';
/** An index with paths that lead out of the worktree or into the git folder. */
export const LEADS_OUT = 'leads out';
/** The git folder of a submodule that is not checked out yet, in which git would start programs. */
export const PREPARED_MODULE = 'prepared module';

/** Why something with such a stamp was renamed, as the user reads it. */
export const reasons: ReadonlyMap<string, string> = new Map([
  [RUNS_PROGRAMS, 'its settings may start programs at your next git status'],
  [UNREADABLE_INDEX, 'it cannot be read to find submodules; run git reset'],
  [LEADS_OUT, 'git checkout would write files in .git or outside the project; run git reset'],
  [PREPARED_MODULE, 'its settings or hooks may start programs at your next git submodule update'],
]);

/** Why something that has replaced a link was renamed. */
export const REPLACES_LINK = 'it replaced a link that git follows';
