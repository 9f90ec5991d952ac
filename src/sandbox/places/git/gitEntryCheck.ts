/**
 * Checks the files in git folders that git itself writes. Git follows links, symbolic refs and other files there that
 * lead elsewhere, so a command could make the user's next git command write a message or a log anywhere. Git itself
 * creates no links, except symbolic refs with core.preferSymlinkRefs.
 */
import type { Dirent } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { lstatOf, readFileNow, readSmallText } from '../../../disk/fileLookups.ts';
import { createFolderWalk } from '../../../disk/folderWalk.ts';
import { isRefusedByGit } from '../../../disk/gitIndexCheck.ts';
import { isInside, linkAt, realpath } from '../../../disk/paths.ts';
import type { Steps } from '../../../disk/slices.ts';
import {
  BLOCKS_GIT,
  COPIES_FILES,
  dangerStamp,
  FOLLOWED_LINK,
  INVALID_REF,
  OTHER_COMMON,
  OTHER_WORKTREE,
  UNSEARCHED,
} from '../dangers.ts';
import { gitdirIn, obeyedNames, worktreeOf } from './gitFolders.ts';

const REACH = { skipped: /^$/, maxDepth: 100, maxFolders: 20_000 };

/**
 * Folders in which git writes no files with fixed names, in which tools keep links, or that are protected or checked
 * separately.
 */
const skipped = new Set(['annex', 'lfs', 'hooks', 'modules']);
/** The folders in `objects` in which git writes files with fixed names. */
const ofObjects = new Set(['info', 'pack']);

/** Files next to HEAD that git writes as refs. */
const pseudoRef = /^(?!FETCH_HEAD$)(?:[A-Z_]+_)?HEAD$|^AUTO_MERGE$/;

/** Names that git never uses: of files renamed by us, and of Emacs locks, which are links. */
const isSetAside = (name: string): boolean => /-set-aside(?:\d|[0-9a-f]{12})?$/.test(name);
const isEditorLock = (name: string): boolean => name.startsWith('.#');

interface GitEntries {
  /** Dangerous paths with their stamps: a link keeps its stamp while it leads to the same place. */
  readonly dangers: ReadonlyMap<string, string>;
  /** The files of `obeyedNames`. */
  readonly obeyed: readonly string[];
}

/**
 * Creates a function that checks these git folders; all paths are absolute. It rereads only what has changed. Never
 * throws. `mayWrite`: as for `createRedirections`.
 */
export function createGitEntryCheck(
  mayWrite: (folder: string) => boolean,
): (folders: readonly string[]) => Steps<GitEntries> {
  const walks = new Map<string, ReturnType<typeof walkOf>>();
  const refs = createSymbolicRefs();
  const redirections = createRedirections(mayWrite);
  function* checkFolder(top: string): Steps<{
    readonly dangers: readonly (readonly [string, string])[];
    readonly obeyed: readonly string[];
  }> {
    const walk = walks.get(top) ?? walkOf(top);
    walks.set(top, walk);
    const { folders, left } = yield* walk.steps(top);
    const remedy = (path: string) => ({
      into: dirname(path) === top ? undefined : top,
      earlier: refs.earlier(path),
    });
    const unsearched = new Set(left.map((path) => join(top, relative(top, path).split('/')[0] ?? '')));
    const all = (kind: 'refs' | 'links' | 'pipes' | 'redirecting' | 'obeyed'): readonly string[] =>
      folders.flatMap(({ found }) => found[kind]);
    const redirecting = all('redirecting').flatMap((path) => {
      const stamp = redirections.stampOf(path);
      return stamp === undefined ? [] : [[path, stamp] as const];
    });
    const dangers = [
      ...all('refs')
        .filter(refs.isUnsound)
        .map((path) => [path, dangerStamp(INVALID_REF, remedy(path))] as const),
      ...all('links').map((path) => [path, stampOfLink(path, remedy(path))] as const),
      ...all('pipes').map((path) => [path, dangerStamp(BLOCKS_GIT, remedy(path))] as const),
      ...redirecting,
      ...[...unsearched].map((path) => [path, dangerStamp(UNSEARCHED, {})] as const),
    ];
    return { dangers, obeyed: all('obeyed') };
  }
  return function* (folders) {
    // The folders of linked worktrees are searched with the folder around them.
    const tops = folders.filter(
      (path) => basename(dirname(path)) !== 'worktrees' || !folders.includes(dirname(dirname(path))),
    );
    const found = new Map<string, string>();
    const obeyed: string[] = [];
    for (const top of tops) {
      const inside = yield* checkFolder(top);
      for (const [path, stamp] of inside.dangers) found.set(path, stamp);
      obeyed.push(...inside.obeyed);
    }
    return { dangers: found, obeyed };
  };
}

const stampOfLink = (path: string, remedy: Parameters<typeof dangerStamp>[1]): string =>
  dangerStamp(FOLLOWED_LINK, remedy, `${linkAt(path)}\0${realpath(path)}`);

function walkOf(top: string) {
  return createFolderWalk((path, entries) => {
    const place = relative(top, path);
    const below = place.replace(/^worktrees\/[^/]+(?:\/|$)/, '');
    const isRefFolder = below === 'refs' || below.startsWith('refs/');
    const isRef = (name: string): boolean => isRefFolder || (below === '' && pseudoRef.test(name));
    const isFollowed = ({ name }: Dirent): boolean =>
      !isEditorLock(name) &&
      !(path === top && isSetAside(name)) &&
      !(isRef(name) && isRefTarget(linkAt(join(path, name)) ?? ''));
    const paths = (some: readonly Dirent[]): readonly string[] => some.map(({ name }) => join(path, name));
    return {
      found: {
        links: paths(entries.filter((entry) => entry.isSymbolicLink() && isFollowed(entry))),
        refs: paths(entries.filter((entry) => entry.isFile() && isRef(entry.name))),
        pipes: paths(entries.filter((entry) => entry.isFIFO() && !(path === top && isSetAside(entry.name)))),
        redirecting: paths(entries.filter((entry) => entry.isFile() && isRedirecting(place, entry.name))),
        obeyed: paths(entries.filter(({ name }) => obeyedNames.includes(join(below, name)))),
      },
      enters: (name) =>
        below === '' ? !skipped.has(name) : below === 'objects' ? ofObjects.has(name) : true,
    };
  }, REACH);
}

// Checks symbolic refs, such as HEAD. Git treats some targets that are no ref names as paths, and writes a ref and a
// log there, with a message that the command chooses.

const MAX_REF_BYTES = 64 * 1024;

/** What git writes to HEAD if it does not store refs in files. Source: reftable. */
const WITHOUT_FILES = 'refs/heads/.invalid';

/** What no ref name contains. Source: git-check-ref-format. */
const invalid = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/;

/** True if a symbolic ref may have this target. */
const isRefTarget = (target: string): boolean =>
  target === WITHOUT_FILES || (target.startsWith('refs/') && !invalid.test(target));

/** True for the content of a ref that git cannot take for a path. */
function isSound(text: string): boolean {
  const target = /^ref:[ \t-\r]*(.*?)[ \t-\r]*$/s.exec(text)?.[1];
  return target === undefined || isRefTarget(target);
}

interface SymbolicRefs {
  /** True if git would write elsewhere through this file. Reads it only after a change. */
  isUnsound(file: string): boolean;
  /** The last sound content that was seen. */
  earlier(file: string): string | undefined;
}

function createSymbolicRefs(): SymbolicRefs {
  const known = new Map<string, { readonly state: string; readonly isUnsound: boolean }>();
  const sound = new Map<string, string>();
  return {
    isUnsound(file) {
      const found = lstatOf(file);
      if (found?.isFile() !== true) return false;
      // No program can set the change time.
      const state = `${found.ino} ${found.ctimeNs}`;
      const before = known.get(file);
      if (before?.state === state) return before.isUnsound;
      const text = readFileNow(file, MAX_REF_BYTES)?.toString('utf8');
      const isUnsound = text === undefined || !isSound(text);
      known.set(file, { state, isUnsound });
      if (text !== undefined && /^(?:ref: \S+|[0-9a-f]{40,64})\n$/.test(text) && !isUnsound)
        sound.set(file, text);
      return isUnsound;
    },
    earlier: (file) => sound.get(file),
  };
}

// Checks the files in git folders that lead git to other places. Git trusts them as its own: it would write a `.git`
// file where a linked worktree's `gitdir` says, and copy files that a list of conflicts names. Sources:
// gitrepository-layout, git-worktree (repair), git-rerere.

interface Redirections {
  /** The stamp of a file for which `isRedirecting` is true; undefined if it is sound. Never throws. */
  stampOf(file: string): string | undefined;
}

/** True for the files that are checked here. `below`: a folder, relative to the git folder; `name`: in it. */
function isRedirecting(below: string, name: string): boolean {
  if (/^worktrees\/[^/]+$/.test(below) && (name === 'gitdir' || name === 'commondir')) return true;
  return name === CONFLICTS && /^(?:worktrees\/[^/]+)?$/.test(below);
}

/** The list of conflicts whose resolution `git rerere` records; `git commit` starts it. */
const CONFLICTS = 'MERGE_RR';
const MAX_REDIRECTION_BYTES = 8 * 2 ** 20;

/** `mayWrite`: true if commands may write in a folder and may therefore have created a worktree there. */
function createRedirections(mayWrite: (folder: string) => boolean): Redirections {
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
  const text = readFileNow(file, MAX_REDIRECTION_BYTES)?.toString('utf8');
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
