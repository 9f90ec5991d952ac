/** Creates git worktrees for subagents, with separate rules and a sandbox. */
import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { getProjectStoragePath } from '../../context/index.ts';
import { isInside } from '../../disk/paths.ts';
import { gitIsElsewhere } from '../../permissions/lookups/gitPrograms.ts';
import type { WorktreeEnd, WorktreePort, WorktreeRecord } from '../../protocol/extensions/worktrees.ts';
import { type Confinement, type ConfinementParts, createConfinement } from '../confinement.ts';
import { type AppPaths, workspaceOf } from '../process/appPaths.ts';

/** A worktree in use. */
export interface OpenedWorktree {
  readonly record: WorktreeRecord;
  /** What is missing in it, one sentence each, for the model. */
  readonly notes: readonly string[];
  readonly confinement: Confinement;
  /** The same directory in it, if it is there, otherwise its root. */
  readonly cwd: string;
  /** Removes it if nothing was changed in it. Never rejects. */
  readonly end: () => Promise<WorktreeEnd>;
}

export interface Worktrees {
  /**
   * `cwd`: a directory of the project. Rejects with an `Error` whose message is for the model; if `signal` has stopped
   * it, once nothing is left of the worktree.
   */
  open(owner: WorktreeRecord['owner'], cwd: string, signal: AbortSignal): Promise<OpenedWorktree>;
}

export function createWorktrees(
  place: AppPaths,
  { permissions }: Pick<Confinement, 'permissions'>,
  parts: Omit<ConfinementParts, 'place' | 'permissions'>,
): Worktrees {
  /** Git takes locks: one at a time. */
  let queue: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };
  const { root } = place;
  const folder = worktreesFolder(place);
  return {
    async open(owner, cwd, signal) {
      const [{ createGit }, { createWorktree, endWorktree }] = await Promise.all([
        import('../../worktrees/git.ts'),
        import('../../worktrees/worktree.ts'),
      ]);
      const git = createGit(place.env, workspaceOf(place));
      const { record, notes } = await alone(() =>
        createWorktree({ git, isElsewhere: gitIsElsewhere, root, folder, owner, now: Date.now(), signal }),
      );
      const { path } = record;
      const same = isInside(cwd, root) ? join(path, relative(root, cwd)) : path;
      return {
        record,
        notes,
        cwd: existsSync(same) ? same : path,
        confinement: createConfinement({
          ...parts,
          place: { ...place, root: path, cwd: path },
          project: root,
          permissions: permissions.inWorktree(path),
        }),
        end: () =>
          alone(() =>
            shortlyAfter(signal, END_MS, (late) =>
              endWorktree((at, args) => git(at, args, late), folder, record),
            ),
          ),
      };
    },
  };
}

/** If git takes longer to compare or remove the worktree of a stopped subagent, it is kept. */
const END_MS = 10_000;

/** Runs `work` with a signal that aborts so many milliseconds after another one. */
async function shortlyAfter<T>(
  signal: AbortSignal,
  ms: number,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    timer = setTimeout(() => late.abort(), ms);
  };
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  try {
    return await work(late.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', start);
  }
}

const MAX_NAME = 40;

/**
 * The folder for a project's worktrees. Outside the project, so that its searches, checkpoints, watchers and git status
 * do not see them; outside `projects`, whose files are secrets.
 */
function worktreesFolder({ dataRoot, root }: Pick<AppPaths, 'dataRoot' | 'root'>): string {
  // The end of that name is a hash of the whole path: the user reads and types this one.
  const [, hash = ''] = /-([0-9a-f]{8})$/.exec(getProjectStoragePath(dataRoot, root)) ?? [];
  const name = basename(root)
    .replace(/[^\w.-]+/g, '-')
    .slice(0, MAX_NAME);
  return join(dataRoot, 'worktrees', `${name}-${hash}`);
}

/** Lists and cleans the worktrees of a project. */
export async function worktreePort(place: AppPaths): Promise<WorktreePort> {
  const folder = worktreesFolder(place);
  if (!existsSync(folder)) return { list: async () => [], clean: async () => ({ removed: [], kept: [] }) };
  const [{ createGit }, { createWorktreePort }] = await Promise.all([
    import('../../worktrees/git.ts'),
    import('../../worktrees/worktree.ts'),
  ]);
  return createWorktreePort(createGit(place.env, workspaceOf(place)), folder);
}

/** Names the worktrees that a killed process left behind; usually empty. */
export async function orphanedWorktreeNotices(place: AppPaths): Promise<readonly string[]> {
  const folder = worktreesFolder(place);
  if (!existsSync(folder)) return [];
  const { orphanedBranches } = await import('../../worktrees/worktree.ts');
  const left = orphanedBranches(folder);
  if (left.length === 0) return [];
  const [what, them] =
    left.length === 1 ? ['The worktree of a subagent was', 'it'] : ['Worktrees of subagents were', 'them'];
  const names = `${left.slice(0, 3).join(', ')}${left.length > 3 ? ' …' : ''}`;
  return [
    `${what} left when the program was killed: ${names}. /agents lists ${them}; /agents clean removes what is unchanged.`,
  ];
}
