/** The agent's interface for its subscribers (UI, headless). */

import type { ContextData } from '../context/index.ts';
import type { RestoreStep, RewindPlan, TurnRecord } from '../protocol/checkpoints.ts';
import type {
  CompactionDiff,
  ContextItem,
  ContextMeasure,
  ContextReport,
} from '../protocol/contextReport.ts';
import type { Todo } from '../protocol/entries/fields.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { IdentifiedEvent } from '../protocol/events.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import type { Effort } from '../protocol/models/wires.ts';
import type { Op, PromptOp } from '../protocol/ops.ts';
import type { PermissionMode, PermissionQuestion } from '../protocol/permissions.ts';
import type { SandboxState } from '../protocol/sandbox.ts';
import type { TaskInfo, TaskOutput } from '../protocol/tasks.ts';
import type { EndReason } from './hooks/turnHooks.ts';
import type { RefusedModes } from './modes.ts';
import type { Totals } from './sessionFacts.ts';

/** A snapshot of the agent. */
export interface AgentState {
  readonly sessionId: string;
  readonly title: string | undefined;
  /** Absolute path of the project's root. */
  readonly root: string;
  /** Absolute path of the shell's current directory; absent if the agent cannot run commands. */
  readonly cwd?: string;
  readonly model: ModelInfo;
  /** The model that the user chose; differs from `model` while a fallback is in use. */
  readonly chosenModel: string;
  readonly mode: PermissionMode;
  readonly modes: {
    /** The modes that Shift+Tab cycles through, in this order. */
    readonly cycle: readonly PermissionMode[];
    readonly refused: RefusedModes;
    /** The mode that would follow an approved plan. */
    readonly afterPlan: PermissionMode;
  };
  readonly busy: boolean;
  /** True if nothing can be added to the session; see `readOnlyAgent`. */
  readonly readOnly?: boolean;
  readonly queue: readonly PromptOp[];
  readonly questions: readonly PermissionQuestion[];
  readonly todos: readonly Todo[];
  /** Running background tasks and the newest ended ones, oldest first. */
  readonly tasks: readonly TaskInfo[];
  /** True if a foreground command is running that `background` would move to the background. */
  readonly canBackground: boolean;
  /** The last measurement of the context; absent before the first. */
  readonly measure: ContextMeasure | undefined;
  /** Totals of the session, including summaries; `costUsd` is absent if a price is unknown. */
  readonly usage: Totals;
  /** State of the sandbox; absent until it has been probed, and if there is none. */
  readonly sandbox: SandboxState | undefined;
  /** True for the built-in demo model; every screen shows it. */
  readonly demo: boolean;
}

export interface Agent {
  /** Unique within the process; every event and question carries it. */
  readonly id: string;
  /** Never throws; failures are reported as events. */
  submit(op: Op): void;
  /** An error thrown by one subscriber does not affect the others. Returns a function that unsubscribes. */
  subscribe(listener: (event: IdentifiedEvent) => void): () => void;
  state(): AgentState;
  /** The log so far, oldest first. In a large session, entries before the last compaction are missing. */
  entries(): readonly JSONLEntry[];
  /** Returns at most `count` entries before a position, oldest first, wherever they are stored. */
  page(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]>;
  /** The entries without those that were rewound or undone, for the screen and editors; exports contain all of them. */
  liveEntries(): readonly JSONLEntry[];
  /** Returns the newest `limit` turns of the conversation, oldest first, each with its changes on disk. */
  turns(limit: number): Promise<readonly TurnRecord[]>;
  /** True if there is a rewind that `undo_rewind` would undo. */
  canUndoRewind(): boolean;
  /**
   * Plans a rewind to before the turn of this prompt; undefined if there is no such turn. Files that another
   * process has recorded, and whose write would need approval, are left unchanged.
   */
  planRewind(uuid: string): Promise<RewindPlan | undefined>;
  /**
   * Returns the changes on disk, combined from the first state to the last: of the whole session, or of one prompt's
   * turn. Undefined if there is no such turn.
   */
  diff(uuid?: string): Promise<readonly RestoreStep[] | undefined>;
  /** Removes the newest prompt from the queue and returns it. */
  popQueued(): PromptOp | undefined;
  /** Resolves when nothing runs and nothing is queued. */
  idle(): Promise<void>;
  /** Measures the request as it would be sent now. */
  measure(): Promise<ContextMeasure>;
  /**
   * Like `measure`, but waits briefly so that as much as possible is counted exactly: for screens that show the
   * numbers.
   */
  refine(): Promise<ContextMeasure>;
  /** Returns the data for `/context`. */
  report(): ContextReport;
  /** Returns the state of the next summary, which is drafted in the background; as in `report`, but cheap. */
  draft(): ContextReport['draft'];
  /** Returns everything known about the session, by layer; undefined without a session. */
  contextData(): ContextData | undefined;
  /** Returns the conversation as items that can be pinned, dropped and restored, oldest first. */
  items(): readonly ContextItem[];
  /** Returns the result of the last compaction; undefined if there was none. */
  lastDiff(): CompactionDiff | undefined;
  /**
   * Creates a new session with this one's conversation, up to an entry if given; this one stays open. Returns the new
   * id.
   */
  fork(uptoUuid?: string): Promise<string>;
  /** Returns the end of a background task's output; undefined if there is no such task. */
  taskOutput(id: string): TaskOutput | undefined;
  /** Calls `listener` whenever a task prints something. Returns a function that unsubscribes. */
  watchTask(id: string, listener: () => void): () => void;
  /** Stops running work, flushes the log and releases the session. `reason` is for hooks. */
  close(reason?: EndReason): Promise<void>;
}

/** What a user sets while a session runs. */
export interface SessionChoices {
  readonly model: string;
  /** Undefined for the model's own default. */
  readonly effort: Effort | undefined;
  readonly mode: PermissionMode;
  /** The mode that would follow an approved plan. */
  readonly afterPlan: PermissionMode;
}

/** Which session to open, and its title. */
export type SessionTarget = {
  /** A title from the user, set as soon as the session is open. */
  readonly title?: string;
} /** `choices`: those of the session that the user leaves for this one; absent = as in the settings. */ & (
  | { readonly type: 'new'; readonly sessionId?: string; readonly choices?: SessionChoices }
  /** `fork` opens a copy and leaves the session unchanged. */
  | { readonly type: 'latest'; readonly mode?: 'fork' }
  | {
      readonly type: 'id';
      /** An id, the beginning of one, or a title. */
      readonly id: string;
      /** `read` opens it read-only. Absent = resume it. */
      readonly mode?: 'read' | 'fork';
      /** For a fork: the last entry to copy. */
      readonly uptoSeq?: number;
      /** The project's folder name in `projects/` if the session belongs to another project. */
      readonly project?: string;
    }
);
