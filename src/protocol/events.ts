/**
 * Events of an agent. `entry` is the only one that survives a restart: it is emitted after the entry is on disk, and
 * replaces the live text that led to it. All others are only for subscribers.
 */

import type { RewindReport } from './checkpoints.ts';
import type { CompactionPreview, ContextMeasure } from './contextReport.ts';
import type { JSONLEntry } from './entries.ts';
import type { HookProgress } from './extensions/hooks.ts';
import type { SubagentStatus } from './extensions/subagents.ts';
import type { ModelError, ModelInfo } from './models/model.ts';
import type { PromptOp } from './ops.ts';
import type { PermissionAnswer, PermissionMode, PermissionQuestion } from './permissions.ts';

export type TurnOutcome = 'done' | 'interrupted' | 'failed' | 'max_turns' | 'loop';

export interface CompactionReport {
  readonly outcome: 'done' | 'fallback' | 'cancelled' | 'refused';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number;
  readonly postTokens: number;
  readonly files: readonly string[];
  readonly durationMs: number;
  /** Why it fell back, was refused or cancelled; ready to show. */
  readonly message?: string;
}

/** An event with its agent's id, since a screen may show several agents. Call ids are unique only within an agent. */
export type IdentifiedEvent = AgentEvent & { readonly agentId: string };

export type AgentEvent =
  | { readonly type: 'entry'; readonly entry: JSONLEntry }
  | { readonly type: 'turn_started' }
  | {
      readonly type: 'turn_ended';
      readonly outcome: TurnOutcome;
      readonly steps: number;
      readonly error?: ModelError;
    }
  | { readonly type: 'step_started'; readonly step: number }
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'reasoning_delta'; readonly text: string }
  | {
      readonly type: 'tool_call_delta';
      readonly index: number;
      readonly name: string;
      readonly argumentsLength: number;
    }
  /** Discards what was streamed of this reply; another attempt follows. */
  | { readonly type: 'reply_discarded' }
  | {
      readonly type: 'retrying';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly error: ModelError;
    }
  | { readonly type: 'tool_started'; readonly callId: string; readonly tool: string; readonly title: string }
  | { readonly type: 'tool_output'; readonly callId: string; readonly text: string }
  | { readonly type: 'tool_ended'; readonly callId: string }
  /** What a subagent is doing; repeated until its call or background task ends. */
  | { readonly type: 'subagent_changed'; readonly status: SubagentStatus }
  /** An entry of a subagent's own log. */
  | {
      readonly type: 'subagent_entry';
      readonly callId: string;
      readonly id: string;
      readonly entry: JSONLEntry;
    }
  | { readonly type: 'permission_question'; readonly question: PermissionQuestion }
  | { readonly type: 'permission_answered'; readonly id: string; readonly answer: PermissionAnswer }
  /** A hook started or ended. */
  | { readonly type: 'hook'; readonly progress: HookProgress }
  | { readonly type: 'queue_changed'; readonly queue: readonly PromptOp[] }
  /** After an interrupt: queued prompts return to the composer, unsent. */
  | { readonly type: 'queue_returned'; readonly prompts: readonly PromptOp[] }
  | { readonly type: 'compaction_started'; readonly trigger: 'auto' | 'manual'; readonly preTokens: number }
  | { readonly type: 'compaction_progress'; readonly characters: number }
  | { readonly type: 'compaction_ended'; readonly report: CompactionReport }
  | { readonly type: 'compaction_previewed'; readonly preview: CompactionPreview }
  | { readonly type: 'rewind_ended'; readonly report: RewindReport }
  | { readonly type: 'context_measured'; readonly measure: ContextMeasure }
  | { readonly type: 'mode_changed'; readonly mode: PermissionMode }
  /** A background task started or ended; the state has the list. */
  | { readonly type: 'tasks_changed' }
  | { readonly type: 'model_changed'; readonly model: ModelInfo }
  /** The sandbox has been probed; the state has the result. */
  | { readonly type: 'sandbox_probed' }
  | { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };
