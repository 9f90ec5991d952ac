/**
 * What comes out of an agent. `entry` is the only event that survives a restart: it is on disk before
 * anyone hears of it and replaces the live text that led to it. Everything else is for whoever watches.
 */
import type { CompactionPreview, ContextMeasure } from './contextReport.ts';
import type { JSONLEntry } from './entries.ts';
import type { ModelError, ModelInfo } from './model.ts';
import type { PromptOp } from './ops.ts';
import type { PermissionAnswer, PermissionMode, PermissionQuestion } from './permissions.ts';
import type { RewindReport } from './rewind.ts';

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

/** An event as subscribers get it: a screen may show several agents at once. Ids of calls are unique within an agent only. */
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
  /** What was streamed of this reply does not count; another try follows. */
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
  | { readonly type: 'permission_question'; readonly question: PermissionQuestion }
  | { readonly type: 'permission_answered'; readonly id: string; readonly answer: PermissionAnswer }
  | { readonly type: 'queue_changed'; readonly queue: readonly PromptOp[] }
  /** After an interrupt: what was queued goes back to the composer, unsent. */
  | { readonly type: 'queue_returned'; readonly prompts: readonly PromptOp[] }
  | { readonly type: 'compaction_started'; readonly trigger: 'auto' | 'manual'; readonly preTokens: number }
  | { readonly type: 'compaction_progress'; readonly characters: number }
  | { readonly type: 'compaction_ended'; readonly report: CompactionReport }
  | { readonly type: 'compaction_previewed'; readonly preview: CompactionPreview }
  | { readonly type: 'rewind_ended'; readonly report: RewindReport }
  | { readonly type: 'context_measured'; readonly measure: ContextMeasure }
  | { readonly type: 'mode_changed'; readonly mode: PermissionMode }
  /** A background task has started or ended; the state has them. */
  | { readonly type: 'tasks_changed' }
  | { readonly type: 'model_changed'; readonly model: ModelInfo }
  /** It is known what confines commands; the state has it. */
  | { readonly type: 'sandbox_known' }
  | { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };
