/** Git worktrees in which subagents work apart from the project's files. */

/** A worktree that this program created. */
export interface WorktreeRecord {
  /** The name of its folder, unique in the project. */
  readonly name: string;
  /** Absolute, links resolved. */
  readonly path: string;
  readonly branch: string;
  /** The commit that it started from. */
  readonly base: string;
  /** The project's root. */
  readonly root: string;
  /** The subagent that works in it. */
  readonly owner: {
    readonly sessionId: string;
    readonly id: string;
    readonly agent: string;
    readonly description: string;
  };
  readonly pid: number;
  readonly startedAtMs: number;
  /** The subagent has ended, and left changes. */
  readonly isKept?: boolean;
}

/** The state of a worktree after its subagent ended. */
export interface WorktreeEnd {
  readonly path: string;
  readonly branch: string;
  /** False if it was removed, because nothing was changed in it. */
  readonly isKept: boolean;
  /** E.g. "2 commits, 1 uncommitted file"; empty if it was removed. */
  readonly summary: string;
  /** Changed files with their lines. */
  readonly stat: string;
  /** Ignored files and folders that were removed with it. */
  readonly ignored: readonly string[];
}

/** A worktree in a list. */
export interface WorktreeInfo {
  readonly path: string;
  readonly branch: string;
  readonly agent: string;
  readonly description: string;
  /** `left`: the program ended before the subagent did. */
  readonly state: 'working' | 'kept' | 'left';
  readonly summary: string;
}

/** The worktrees of a project's subagents. */
export interface WorktreePort {
  list(): Promise<readonly WorktreeInfo[]>;
  /**
   * Removes worktrees without loss: those without changes, or with all their commits in the current branch. Returns
   * the branches of those that were removed, and of those that stay.
   */
  clean(): Promise<{ readonly removed: readonly string[]; readonly kept: readonly string[] }>;
}
