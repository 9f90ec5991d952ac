/**
 * Looks for paths in a git index that lead out of the worktree or into the git folder: git checks paths when it adds
 * them, but writes whatever an index lists that another program has written. Pure.
 */
import { entrySteps, type IndexEntry, sharedIndexOf } from './gitIndex.ts';
import type { Steps } from './slices.ts';

interface IndexCheck {
  readonly result: 'sound' | 'leads_out' | 'unreadable';
  /** The name of the file with shared entries, next to the index. */
  readonly shared?: string;
}

/** `hashBytes`: of an object id. `read`: the content of a file next to the index. */
export function* checkIndex(
  index: Buffer,
  hashBytes: number,
  read: (name: string) => Buffer | null | undefined,
): Steps<IndexCheck> {
  const listed = createPathCheck();
  // In an index with shared entries, those without a path replace shared ones.
  let hasUnnamed = false;
  const end = yield* entrySteps(index, hashBytes, (entry) => {
    if (entry.path === '') hasUnnamed = true;
    else listed.add(entry);
  });
  if (end === undefined) return { result: 'unreadable' };
  const shared = sharedIndexOf(index, end, hashBytes);
  if (shared === undefined) return { result: listed.leadsOut() || hasUnnamed ? 'leads_out' : 'sound' };
  const content = read(shared);
  if (content == null || (yield* entrySteps(content, hashBytes, listed.add)) === undefined)
    return { result: 'unreadable', shared };
  return { result: listed.leadsOut() ? 'leads_out' : 'sound', shared };
}

/** Collects the entries of an index, and tells whether one of them leads out. */
function createPathCheck() {
  const links = new Set<string>();
  const folders = new Set<string>();
  let isRefused = false;
  let last = '';
  return {
    add({ path, kind, isLink, hasConflict }: IndexEntry): void {
      isRefused ||= isRefusedByGit(path, isLink ? 'link' : kind);
      // During a merge, what is a link on one side may be a folder on the other.
      if (hasConflict) return;
      if (isLink) links.add(path);
      const folder = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
      if (folder !== last) folders.add(folder);
      last = folder;
    },
    leadsOut: () => isRefused || (links.size > 0 && [...folders].some((folder) => isBelow(folder, links))),
  };
}

/** True for one of the paths, and for what is inside. */
function isBelow(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0)))
    if (paths.has(at)) return true;
  return false;
}

// Which paths git never adds to an index, because checking them out would write outside the worktree or into the git
// folder. It does not check them again when it reads an index. Source: verify_path in git's read-cache.c.

/** An empty part, `.` or `..`. */
const empty = /(?:^|\/)\.{0,2}(?:\/|$)/;
/** `.git` and the names that lead to it on NTFS, where `\` separates parts: git's path.c, is_ntfs_dotgit. */
const gitFolder = /(?:^|[\\/])(?:\.git|git~1)[. ]*(?:$|[\\/:])/i;
/** Characters that HFS+ leaves out of names: git's utf8.c, next_hfs_char. */
const leftOut = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const modules = /(?:^|\/)\.gitmodules$/i;
/** Found in every path that is refused: most paths need no other test. */
const suspect = /(?:^|[\\/])\.|(?:^|\/)(?:\/|$)|git~|[^ -~]/i;

/** `path`: relative to the worktree. A folder, which only a sparse index lists, ends with a slash. */
export function isRefusedByGit(path: string, kind: 'file' | 'link' | 'folder' | 'submodule'): boolean {
  const named = kind === 'folder' && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!suspect.test(named)) return false;
  if (empty.test(named) || gitFolder.test(named)) return true;
  if (kind === 'link' && modules.test(named)) return true;
  const short = named.replace(leftOut, '');
  return short !== named && gitFolder.test(short);
}
