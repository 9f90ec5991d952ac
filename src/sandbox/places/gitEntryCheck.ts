/**
 * Checks the files of git folders that git writes itself. It follows links there, and symbolic refs that lead to a path, so
 * a command can have the user's next git command write a message or a log anywhere. Git creates no links, except symbolic
 * refs with core.preferSymlinkRefs.
 */
import type { Dirent } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { realpath } from '../../disk/paths.ts';
import type { Steps } from '../../disk/slices.ts';
import { dangerStamp, FOLLOWED_LINK, INVALID_REF, UNSEARCHED } from './dangers.ts';
import { linkTarget } from './heldLinks.ts';
import { createSymbolicRefs, isRefTarget } from './symbolicRefs.ts';

const REACH = { skipped: /^$/, maxDepth: 100, maxFolders: 20_000 };

/** Folders in which git writes no file by its name, tools keep links, or that are protected or checked separately. */
const skipped = new Set(['annex', 'lfs', 'hooks', 'modules']);
/** Those in `objects` in which git writes files by their names. */
const ofObjects = new Set(['info', 'pack']);

/** Files next to HEAD that git writes as refs. */
const pseudoRef = /^(?!FETCH_HEAD$)(?:[A-Z_]+_)?HEAD$|^AUTO_MERGE$/;

/** Names that git never uses: what is renamed here, and locks of Emacs, which are links. */
const isSetAside = (name: string): boolean => /-set-aside(?:\d|[0-9a-f]{12})?$/.test(name);
const isEditorLock = (name: string): boolean => name.startsWith('.#');

/**
 * Creates a function that returns what is dangerous in these git folders, absolute, each with its stamp: a link has the
 * same one as long as it leads to the same place. It reads again only what has changed. Never throws.
 */
export function createGitEntryCheck(): (folders: readonly string[]) => Steps<ReadonlyMap<string, string>> {
  const walks = new Map<string, ReturnType<typeof walkOf>>();
  const refs = createSymbolicRefs();
  function* checkFolder(top: string): Steps<readonly (readonly [string, string])[]> {
    const walk = walks.get(top) ?? walkOf(top);
    walks.set(top, walk);
    const { folders, left } = yield* walk.steps(top);
    const remedy = (path: string) => ({
      into: dirname(path) === top ? undefined : top,
      earlier: refs.earlier(path),
    });
    const unsearched = new Set(left.map((path) => join(top, relative(top, path).split('/')[0] ?? '')));
    return [
      ...folders
        .flatMap(({ found }) => found.refs)
        .filter(refs.isUnsound)
        .map((path) => [path, dangerStamp(INVALID_REF, remedy(path))] as const),
      ...folders
        .flatMap(({ found }) => found.links)
        .map((path) => [path, stampOfLink(path, remedy(path))] as const),
      ...[...unsearched].map((path) => [path, dangerStamp(UNSEARCHED, {})] as const),
    ];
  }
  return function* (folders) {
    // The folders of linked worktrees are searched with the folder around them.
    const tops = folders.filter(
      (path) => basename(dirname(path)) !== 'worktrees' || !folders.includes(dirname(dirname(path))),
    );
    const found = new Map<string, string>();
    for (const top of tops) for (const [path, stamp] of yield* checkFolder(top)) found.set(path, stamp);
    return found;
  };
}

const stampOfLink = (path: string, remedy: Parameters<typeof dangerStamp>[1]): string =>
  dangerStamp(FOLLOWED_LINK, remedy, `${linkTarget(path)}\0${realpath(path)}`);

function walkOf(top: string) {
  return createFolderWalk((path, entries) => {
    const below = relative(top, path).replace(/^worktrees\/[^/]+(?:\/|$)/, '');
    const isRefFolder = below === 'refs' || below.startsWith('refs/');
    const isRef = (name: string): boolean => isRefFolder || (below === '' && pseudoRef.test(name));
    const isFollowed = ({ name }: Dirent): boolean =>
      !isEditorLock(name) &&
      !(path === top && isSetAside(name)) &&
      !(isRef(name) && isRefTarget(linkTarget(join(path, name)) ?? ''));
    const paths = (some: readonly Dirent[]): readonly string[] => some.map(({ name }) => join(path, name));
    return {
      found: {
        links: paths(entries.filter((entry) => entry.isSymbolicLink() && isFollowed(entry))),
        refs: paths(entries.filter((entry) => entry.isFile() && isRef(entry.name))),
      },
      enters: (name) =>
        below === '' ? !skipped.has(name) : below === 'objects' ? ofObjects.has(name) : true,
    };
  }, REACH);
}
