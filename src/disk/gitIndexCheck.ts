/**
 * Looks for paths in a git index that lead out of the worktree or into the git folder: git checks paths when it adds
 * them, but writes whatever an index lists that another program has written. Pure.
 */
import { entrySteps, type IndexEntry, sharedIndexOf } from './gitIndex.ts';
import { isRefusedByGit } from './gitPathRules.ts';
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
