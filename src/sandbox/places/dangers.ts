/** Stamps of files that a command must not leave behind, because the user's next git command would act on them. */

/** A repository that `git status` enters and that would make it start programs. */
export const RUNS_PROGRAMS = 'runs programs';
/** An index whose entries cannot be determined. */
export const UNREADABLE_INDEX = 'unreadable index';
/** An index with paths that lead out of the worktree or into the git folder. */
export const LEADS_OUT = 'leads out';
/** The git folder of a submodule that is not checked out yet and would make git start programs. */
export const PREPARED_MODULE = 'prepared module';
/** The HEAD of a bare repository that would make git start programs. */
export const PREPARED_BARE = 'prepared bare repository';
/** A link in a git folder that git would follow when writing. */
export const FOLLOWED_LINK = 'followed link';
/** A symbolic ref whose target is not the name of a ref. */
export const INVALID_REF = 'invalid ref';
/** A linked worktree's `gitdir` that names a folder other than its worktree. */
export const OTHER_WORKTREE = 'other worktree';
/** A linked worktree's `commondir` that names a git folder other than the one around it. */
export const OTHER_COMMON = 'other git folder';
/** A list of conflicts with files outside the worktree. */
export const COPIES_FILES = 'copies files';
/** A pipe in a git folder. */
export const BLOCKS_GIT = 'blocks git';
/** The project's `.git`, if it is another one than before the command. */
export const OTHER_GIT = 'other .git';
/** A part of a git folder with too many folders to search. */
export const UNSEARCHED = 'unsearched';

/** Why something with such a stamp was renamed, as the user reads it. */
const reasons: ReadonlyMap<string, string> = new Map([
  [RUNS_PROGRAMS, 'its settings may start programs at your next git status'],
  [UNREADABLE_INDEX, 'it cannot be read to find submodules; run git reset'],
  [LEADS_OUT, 'git checkout would write files in .git or outside the project; run git reset'],
  [PREPARED_MODULE, 'its settings or hooks may start programs at your next git submodule update'],
  [PREPARED_BARE, 'git would take this folder for a repository, whose settings or hooks may start programs'],
  [FOLLOWED_LINK, 'git would follow this link and write elsewhere'],
  [INVALID_REF, 'it names something other than a branch or tag, and git would write there'],
  [OTHER_WORKTREE, 'git worktree repair would write to the folder it names'],
  [OTHER_COMMON, 'git would take settings and hooks from the folder it names'],
  [
    OTHER_GIT,
    'it replaced the one that was there when the command started; end the command before you restore it',
  ],
  [COPIES_FILES, 'git commit would copy files into the git folder that it names'],
  [BLOCKS_GIT, 'git would wait for this pipe forever'],
  [UNSEARCHED, 'it has too many folders to search it for links'],
]);

/** Why something that has replaced a link was renamed. */
export const REPLACES_LINK = 'it replaced a link that git follows';

interface Remedy {
  /** The folder to move it to; without one it is renamed. */
  readonly into?: string | undefined;
  /** The earlier content of the file, to be restored. */
  readonly earlier?: string | undefined;
}

export interface Danger extends Remedy {
  readonly reason: string;
}

/** A stamp that includes the remedy and the `state`, so that a different state counts as a change. */
export const dangerStamp = (name: string, { into = '', earlier = '' }: Remedy, state = ''): string =>
  [name, into, earlier, state].join('\0');

/** What is wrong with something that has this stamp; undefined if nothing is. */
export function dangerOf(stamp: string): Danger | undefined {
  const [name = '', into = '', earlier = ''] = stamp.split('\0');
  const reason = reasons.get(name);
  return reason === undefined
    ? undefined
    : { reason, into: into || undefined, earlier: earlier || undefined };
}

/**
 * True for what git itself never leaves behind: if it exists before a command, it is from a killed session.
 */
export const isNeverOfGit = (stamp: string): boolean =>
  stamp === LEADS_OUT ||
  [INVALID_REF, OTHER_COMMON, COPIES_FILES, BLOCKS_GIT].some((name) => stamp.startsWith(`${name}\0`));

/** The stamped paths that are dangerous. */
export const dangersIn = (stamps: Iterable<readonly [string, string]>): ReadonlyMap<string, string> =>
  new Map([...stamps].filter(([, stamp]) => dangerOf(stamp) !== undefined));
