/**
 * The port to background tasks: commands that outlive the call that started them. The agent reports and stops them; the
 * tools run them. All of them end with the program.
 */
import type { SandboxRecord } from './entries/fields.ts';

/** A snapshot of a background task. */
export interface TaskInfo {
  /**
   * The id that the model uses: `b1`, `b2` …, in the order in which tasks moved to the background; `a1` … for
   * subagents.
   */
  readonly id: string;
  /** Absent for a command. */
  readonly kind?: 'subagent';
  /** The command line; for a subagent its name and task. */
  readonly command: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** The last non-empty line of its output, truncated. Untrusted: may contain control characters. */
  readonly lastLine: string;
  /** For the model: how a subagent ended, with its last message. Only in what `takeUnreported` returns. */
  readonly note?: string;
  /** What its sandbox has allowed so far; absent without a sandbox. */
  readonly sandbox?: SandboxRecord;
  /** Absent while it runs. */
  readonly end?: TaskEnd;
}

/** How a task ended. */
interface TaskEnd {
  readonly endedAtMs: number;
  /** `128 + n` after signal n; absent if the shell could not be started. */
  readonly code?: number;
  readonly signal?: string;
  /** Why the shell could not be started. */
  readonly problem?: string;
  /** How a subagent ended, in a few words. */
  readonly outcome?: string;
  /** Who stopped it; absent if it ended on its own. */
  readonly stoppedBy?: TaskStopper;
}

export type TaskStopper = 'user' | 'model';

/** The part of a task's output that is still available. */
export interface TaskOutput {
  /** The end of the output, bounded; starts in the middle of a line if `missing` is not 0. */
  readonly text: string;
  /** Number of characters dropped before it. */
  readonly missing: number;
}

export type TaskChange =
  | { readonly type: 'started'; readonly id: string }
  /** `isKnown`: the model has already seen the end, or caused it. */
  | { readonly type: 'ended'; readonly id: string; readonly isKnown: boolean };

/** The port to background tasks. */
export interface TaskPort {
  /** Returns running tasks and the newest ended ones, oldest first. */
  list(): readonly TaskInfo[];
  /** Returns undefined for an unknown id. */
  output(id: string): TaskOutput | undefined;
  /** Stops a task and all its processes on behalf of the user; does nothing if it has ended. */
  stop(id: string): void;
  /** Returns ended tasks that were not reported to the model, each only once. */
  takeUnreported(): readonly TaskInfo[];
  /** Subscribes to starts and ends of tasks. Returns a function that unsubscribes. */
  subscribe(listener: (change: TaskChange) => void): () => void;
  /** Calls `listener` whenever the task prints something. Returns a function that unsubscribes. */
  watch(id: string, listener: () => void): () => void;
}
