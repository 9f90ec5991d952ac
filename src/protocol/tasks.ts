/**
 * The port to what runs in the background: commands that outlive the call that started them. The agent tells of
 * them and stops them; who runs them is the tools' affair. All of them end with the program.
 */
import type { SandboxRecord } from './entries/fields.ts';

/** A background command as it is now; a snapshot. */
export interface TaskInfo {
  /** As the model calls it: `b1`, `b2` … in the order in which they went to the background. */
  readonly id: string;
  readonly command: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** The last line of its output that is not empty, cut; plain text, but as hostile as any output. */
  readonly lastLine: string;
  /** What its sandbox has let it do so far; absent where commands know of none. */
  readonly sandbox?: SandboxRecord;
  /** Absent while it runs. */
  readonly end?: TaskEnd;
}

/** How a task came to its end. */
export interface TaskEnd {
  readonly endedAtMs: number;
  /** `128 + n` after a signal; absent where the shell could not be started. */
  readonly code?: number;
  readonly signal?: string;
  /** Why the shell could not be started. */
  readonly problem?: string;
  /** Who stopped it, if it was stopped. */
  readonly stoppedBy?: TaskStopper;
}

export type TaskStopper = 'user' | 'model';

/** What can still be shown of a task's output. */
export interface TaskOutput {
  /** Its end, bounded; from the middle of a line on where `missing` is not 0. */
  readonly text: string;
  /** Characters that came before it. */
  readonly missing: number;
}

export type TaskChange =
  | { readonly type: 'started'; readonly id: string }
  /** `isKnown`: the model has seen how it ended, or ended it. */
  | { readonly type: 'ended'; readonly id: string; readonly isKnown: boolean };

/** The port to background commands. */
export interface TaskPort {
  /** Those that run and the newest of those that have ended, oldest first. */
  list(): readonly TaskInfo[];
  /** Undefined for an id that there is not. */
  output(id: string): TaskOutput | undefined;
  /** Ends it and everything it started, for the user. Nothing happens where it has ended. */
  stop(id: string): void;
  /** Those that have ended without the model having seen it, each given once. */
  takeUntold(): readonly TaskInfo[];
  /** Hears of tasks that start and end. Returns the unsubscriber. */
  subscribe(listener: (change: TaskChange) => void): () => void;
  /** Hears that a task has printed something; as often as it does. Returns the unsubscriber. */
  watch(id: string, listener: () => void): () => void;
}
