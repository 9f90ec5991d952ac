/**
 * Checks the files in git folders that lead git to other places. Git trusts them as its own: it would write a `.git`
 * file where a linked worktree's `gitdir` says, and copy files that a list of conflicts names. Sources:
 * gitrepository-layout, git-worktree (repair), git-rerere.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { lstatOf, readFileNow, readSmallText } from '../../../disk/fileLookups.ts';
import { isRefusedByGit } from '../../../disk/gitIndexCheck.ts';
import { isInside, realpath } from '../../../disk/paths.ts';
import { COPIES_FILES, dangerStamp, OTHER_COMMON, OTHER_WORKTREE } from '../dangers.ts';
import { gitdirIn, worktreeOf } from './gitFolders.ts';

export interface Redirections {
  /** The stamp of a file for which `isRedirecting` is true; undefined if it is sound. Never throws. */
  stampOf(file: string): string | undefined;
}

/** True for the files that are checked here. `below`: a folder, relative to the git folder; `name`: in it. */
export function isRedirecting(below: string, name: string): boolean {
  if (/^worktrees\/[^/]+$/.test(below) && (name === 'gitdir' || name === 'commondir')) return true;
  return name === CONFLICTS && /^(?:worktrees\/[^/]+)?$/.test(below);
}

/** The list of conflicts whose resolution `git rerere` records; `git commit` starts it. */
const CONFLICTS = 'MERGE_RR';
const MAX_BYTES = 8 * 2 ** 20;

/** `mayWrite`: true if commands may write in a folder and may therefore have created a worktree there. */
export function createRedirections(mayWrite: (folder: string) => boolean): Redirections {
  /** The last content of each `gitdir` that led to its worktree, which the user may move later. */
  const sound = new Map<string, string>();
  const stampOfWorktree = (file: string): string | undefined => {
    const text = readSmallText(file);
    const folder = dirname(file);
    const worktree = worktreeOf(folder);
    const link = join(worktree, '.git');
    const isNew = lstatOf(link) === undefined && mayWrite(realpath(worktree));
    if (text !== '' && (isNew || leadsBack(link, folder))) {
      sound.set(file, text);
      return undefined;
    }
    const earlier = sound.get(file);
    return earlier === text ? undefined : dangerStamp(OTHER_WORKTREE, { earlier }, text);
  };
  return {
    stampOf(file) {
      switch (basename(file)) {
        case 'gitdir':
          return stampOfWorktree(file);
        case 'commondir':
          return isOwnCommon(file) ? undefined : dangerStamp(OTHER_COMMON, { earlier: '../..\n' });
        default:
          return leadsOut(file) ? dangerStamp(COPIES_FILES, {}) : undefined;
      }
    },
  };
}

const leadsBack = (link: string, folder: string): boolean => {
  const written = gitdirIn(link);
  return written !== undefined && realpath(resolve(dirname(link), written)) === realpath(folder);
};

/** True if the folder of a linked worktree names the git folder around it. */
function isOwnCommon(file: string): boolean {
  const folder = dirname(file);
  return realpath(resolve(folder, readSmallText(file).trim())) === realpath(dirname(dirname(folder)));
}

/** True if a list of conflicts names something other than files of the worktree. */
function leadsOut(file: string): boolean {
  const text = readFileNow(file, MAX_BYTES)?.toString('utf8');
  if (text === undefined) return lstatOf(file)?.isSymbolicLink() !== true;
  const worktree = realpath(worktreeOf(dirname(file)));
  return text
    .split('\0')
    .filter((entry) => entry !== '')
    .some((entry) => {
      const path = entry.slice(entry.indexOf('\t') + 1);
      const at = join(worktree, path);
      return isRefusedByGit(path, 'file') || (realpath(at) !== at && isInside(at, worktree));
    });
}
