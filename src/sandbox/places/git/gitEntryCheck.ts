/**
 * Checks the files in git folders that git itself writes. Git follows links, symbolic refs and other files there that
 * lead elsewhere, so a command could make the user's next git command write a message or a log anywhere. Git itself
 * creates no links, except symbolic refs with core.preferSymlinkRefs.
 */
import type { Dirent } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { createFolderWalk } from '../../../disk/folderWalk.ts';
import { linkAt, realpath } from '../../../disk/paths.ts';
import type { Steps } from '../../../disk/slices.ts';
import { BLOCKS_GIT, dangerStamp, FOLLOWED_LINK, INVALID_REF, UNSEARCHED } from '../dangers.ts';
import { obeyedNames } from './gitFolders.ts';
import { createRedirections, isRedirecting } from './redirections.ts';
import { createSymbolicRefs, isRefTarget } from './symbolicRefs.ts';

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
