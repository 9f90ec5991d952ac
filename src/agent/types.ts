/** What a subscriber (UI, headless) sees of an agent. */
import type { ContextData } from '../context/index.ts';
import type { CompactionDiff, ContextItem, ContextReport } from '../protocol/contextReport.ts';
import type { JSONLEntry, Todo } from '../protocol/entries.ts';
import type { AgentEvent, ContextMeasure } from '../protocol/events.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/model.ts';
import type { Op, PromptOp } from '../protocol/ops.ts';
import type { PermissionMode, PermissionQuestion } from '../protocol/permissions.ts';

/** A snapshot; a new object whenever something changed. */
export interface AgentState {
  readonly sessionId: string;
  readonly title: string | undefined;
  /** Absolute path of the project's root. */
  readonly root: string;
  readonly model: ModelInfo;
  readonly mode: PermissionMode;
  readonly busy: boolean;
  readonly queue: readonly PromptOp[];
  readonly questions: readonly PermissionQuestion[];
  readonly todos: readonly Todo[];
  /** Last measurement of the request; absent before the first. */
  readonly measure: ContextMeasure | undefined;
  /** Totals of the session, summaries included; `costUsd` is absent when no price is known. */
  readonly usage: Usage & { readonly costUsd: number | undefined; readonly requests: number };
  /** True for the built-in demo model: every screen says so. */
  readonly demo: boolean;
}

export interface Agent {
  /** Never throws; what goes wrong comes back as an event. */
  submit(op: Op): void;
  /** A subscriber that throws does not disturb the others. Returns the unsubscriber. */
  subscribe(listener: (event: AgentEvent) => void): () => void;
  state(): AgentState;
  /** The log so far, oldest first. */
  entries(): readonly JSONLEntry[];
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
  /** Everything known about the session, by layer; undefined without a session. */
  contextData(): ContextData | undefined;
  /** The conversation as items that can be pinned, dropped and restored, oldest first. */
  items(): readonly ContextItem[];
  /** What the last compaction did; undefined when there is none. */
  lastDiff(): CompactionDiff | undefined;
  /** Stops what runs, flushes the log, releases the session. */
  close(): Promise<void>;
}

/** Which session to open; `id` may be the beginning of one. */
export type SessionTarget =
  | { readonly type: 'new'; readonly sessionId?: string }
  | { readonly type: 'latest' }
  | { readonly type: 'id'; readonly id: string };
