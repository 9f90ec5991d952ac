/**
 * Which paths git never adds to an index, because checking them out would write outside the worktree or into the git
 * folder. It does not check them again when it reads an index. Pure. Source: verify_path in git's read-cache.c.
 */

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
