/** What a subscriber (UI, headless) sees of an agent. */

import type { ContextData } from '../context/index.ts';
import type { RestoreStep } from '../protocol/checkpoints.ts';
import type {
  CompactionDiff,
  ContextItem,
  ContextMeasure,
  ContextReport,
} from '../protocol/contextReport.ts';
import type { Todo } from '../protocol/entries/fields.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { IdentifiedEvent } from '../protocol/events.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/model.ts';
import type { Op, PromptOp } from '../protocol/ops.ts';
import type { PermissionMode, PermissionQuestion } from '../protocol/permissions.ts';
import type { RewindPlan, TurnRecord } from '../protocol/rewind.ts';
import type { SandboxState } from '../protocol/sandbox.ts';
import type { TaskInfo, TaskOutput } from '../protocol/tasks.ts';
import type { RefusedModes } from './modes.ts';

/** A snapshot; a new object whenever something changed. */
export interface AgentState {
  readonly sessionId: string;
  readonly title: string | undefined;
  /** Absolute path of the project's root. */
  readonly root: string;
  /** Absolute path of the folder that the shell is in; absent where nothing can run. */
  readonly cwd?: string;
  readonly model: ModelInfo;
  readonly mode: PermissionMode;
  readonly modes: {
    /** What Shift+Tab goes through, in this order. */
    readonly cycle: readonly PermissionMode[];
    readonly refused: RefusedModes;
  };
  readonly busy: boolean;
  /** Nothing can be added to the session; see `readOnlyAgent`. */
  readonly readOnly?: boolean;
  readonly queue: readonly PromptOp[];
  readonly questions: readonly PermissionQuestion[];
  readonly todos: readonly Todo[];
  /** Background commands that run, and the newest of those that have ended, oldest first. */
  readonly tasks: readonly TaskInfo[];
  /** Something runs in front that `background` would move. */
  readonly canBackground: boolean;
  /** Last measurement of the request; absent before the first. */
  readonly measure: ContextMeasure | undefined;
  /** Totals of the session, summaries included; `costUsd` is absent when the price is unknown. */
  readonly usage: Usage & { readonly costUsd: number | undefined; readonly requests: number };
  /** What confines commands; absent until it was looked at, and where nothing could. */
  readonly sandbox: SandboxState | undefined;
  /** True for the built-in demo model: every screen says so. */
  readonly demo: boolean;
}

export interface Agent {
  /** Unique among the agents of a process; every event and question carries it. */
  readonly id: string;
  /** Never throws; what goes wrong comes back as an event. */
  submit(op: Op): void;
  /** A subscriber that throws does not disturb the others. Returns the unsubscriber. */
  subscribe(listener: (event: IdentifiedEvent) => void): () => void;
  state(): AgentState;
  /** The log so far, oldest first. Of a large session what came before its last compaction is not among them. */
  entries(): readonly JSONLEntry[];
  /** Older history, wherever it lies: at most `count` entries before a position, oldest first. */
  page(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]>;
  /** Those of them that count: without what was rewound or undone. */
  liveEntries(): readonly JSONLEntry[];
  /** The newest `limit` turns of the conversation, oldest first, each with what it changed. */
  turns(limit: number): Promise<readonly TurnRecord[]>;
  /** What going back to before the turn of this prompt would do; undefined where there is no such turn. */
  planRewind(uuid: string): Promise<RewindPlan | undefined>;
  /**
   * What was changed on disk, first before to last after: by the whole session as far as it still stands, or by the
   * turn of one prompt. Undefined where there is no such turn.
   */
  diff(uuid?: string): Promise<readonly RestoreStep[] | undefined>;
  /** Takes the newest queued prompt back, before it is sent. */
  takeBackQueued(): PromptOp | undefined;
  /** Resolves when nothing runs and nothing is queued. */
  idle(): Promise<void>;
  /** Measures the request as it would be sent now. */
  measure(): Promise<ContextMeasure>;
  /** The same, after a moment in which as much as possible is counted exactly: for whoever looks at the numbers. */
  refine(): Promise<ContextMeasure>;
  /** Everything for `/context`. */
  report(): ContextReport;
  /** Of the next summary, written beside the work; as in the report, and cheap. */
  draft(): ContextReport['draft'];
  /** Everything known about the session, by layer; undefined without a session. */
  contextData(): ContextData | undefined;
  /** The conversation as items that can be pinned, dropped and restored, oldest first. */
  items(): readonly ContextItem[];
  /** What the last compaction did; undefined when there is none. */
  lastDiff(): CompactionDiff | undefined;
  /** A new session that begins as this one is now, or as it was up to an entry; this one stays open. Returns its id. */
  fork(uptoUuid?: string): Promise<string>;
  /** The end of a background task's output; undefined where there is no such task. */
  taskOutput(id: string): TaskOutput | undefined;
  /** Hears that a task has printed something; as often as it does. Returns the unsubscriber. */
  watchTask(id: string, listener: () => void): () => void;
  /** Stops what runs, flushes the log, releases the session. */
  close(): Promise<void>;
}

/** Which session to open, and what to call it. */
export type SessionTarget = {
  /** A title of the user's own, given as soon as it is open. */
  readonly title?: string;
} & (
  | { readonly type: 'new'; readonly sessionId?: string }
  /** `fork` opens a copy and leaves the session as it is. */
  | { readonly type: 'latest'; readonly mode?: 'fork' }
  | {
      readonly type: 'id';
      /** An id, the beginning of one, or a title. */
      readonly id: string;
      /** `read` only looks. Absent = go on in it. */
      readonly mode?: 'read' | 'fork';
      /** Of a fork: the last entry that it takes along. */
      readonly uptoSeq?: number;
      /** The folder below `projects/` that it lies in, when that is not this project's. */
      readonly project?: string;
    }
);
