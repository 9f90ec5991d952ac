/** The environment variables that keep a git command in the checked repository, and from running what may be in it. */
import { isInside, realpath } from '../../../disk/paths.ts';
import type { GitUse } from '../../../protocol/sandbox.ts';
import { withoutHooks } from '../../environment.ts';
import { worktreeOf } from './gitFolders.ts';

/**
 * Turns off hooks in a foreign repository. If all git commands run at the top of one submodule or linked worktree
 * inside the workspace, git gets the checked folder instead of reading the `.git` file, which an earlier command that
 * still runs may replace at any moment. Git itself sets `GIT_DIR` for hooks there.
 */
export function gitVariablesFor(
  use: GitUse,
  workspace: readonly string[],
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (use.type !== 'only') return env;
  if (use.isForeign) return withoutHooks(env);
  const [folder, ...others] = use.folders;
  if (folder === undefined || others.length > 0) return env;
  const worktree = realpath(worktreeOf(folder));
  // Commands cannot replace what is at the top of the workspace.
  const mayBeReplaced = workspace.some((root) => isInside(worktree, root)) && !workspace.includes(worktree);
  return mayBeReplaced && use.place === worktree ? { ...env, GIT_DIR: folder, GIT_WORK_TREE: worktree } : env;
}
