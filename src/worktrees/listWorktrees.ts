/** Lists a project's worktrees, and removes those that nothing is lost with. */
import type { WorktreeInfo, WorktreePort, WorktreeRecord } from '../protocol/extensions/worktrees.ts';
import type { Git } from './git.ts';
import { readRecords, stateNow } from './records.ts';
import { removeWorktree, stateOf } from './worktree.ts';

/** `folder`: that of the project's worktrees. */
export function createWorktreePort(git: Git, folder: string): WorktreePort {
  return {
    list: () => Promise.all(readRecords(folder).map((record) => infoOf(git, record))),
    async clean() {
      const removed: string[] = [];
      const kept: string[] = [];
      for (const record of readRecords(folder)) {
        if (stateNow(record) === 'working') continue;
        const tip = await needlessTip(git, record);
        const isGone = tip !== undefined && (await removeWorktree(git, folder, record, tip));
        (isGone ? removed : kept).push(record.branch);
      }
      return { removed, kept };
    },
  };
}

/** The branches of worktrees whose program ended before their subagent did. */
export function leftBranches(folder: string): readonly string[] {
  return readRecords(folder).flatMap((one) => (stateNow(one) === 'left' ? [one.branch] : []));
}

async function infoOf(git: Git, record: WorktreeRecord): Promise<WorktreeInfo> {
  const { path, branch, owner } = record;
  const state = stateNow(record);
  const summary = state === 'working' ? '' : (await stateOf(git, record)).summary;
  return { path, branch, agent: owner.agent, description: owner.description, state, summary };
}

/** The tip of a branch without which nothing is lost: no changes, or only commits that the current one contains. */
async function needlessTip(git: Git, record: WorktreeRecord): Promise<string | undefined> {
  const { isChanged, hasFiles } = await stateOf(git, record);
  if (!isChanged) return record.base;
  const { root, path, branch } = record;
  const tips = await git(path, ['rev-parse', 'HEAD^{commit}', `refs/heads/${branch}^{commit}`]);
  if (hasFiles || tips.code !== 0) return undefined;
  const [head = '', tip = ''] = tips.stdout.trim().split('\n');
  for (const one of [head, tip])
    if ((await git(root, ['merge-base', '--is-ancestor', one, 'HEAD'])).code !== 0) return undefined;
  return tip;
}
