/** Types of rewinds: turns, plans and results. */
import type { RestorePlan } from './checkpoints.ts';
import type { PromptOp } from './ops.ts';

/** One turn of the conversation: a prompt and everything up to the next one. */
export interface TurnRecord {
  /** Uuid of the prompt's entry. */
  readonly uuid: string;
  /** Position of that entry in the session. */
  readonly seq: number;
  /** Position of the last entry before the turn: the end of a fork from there. */
  readonly beforeSeq: number;
  /** The prompt as displayed to the user. */
  readonly text: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Number of the model's replies. */
  readonly steps: number;
  /** Number of distinct files that its calls and commands changed. */
  readonly files: number;
  /** Lines over all its changes; undefined if there were too many to count. */
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
}

/** What a rewind to before a turn would do. */
export interface RewindPlan {
  readonly turn: TurnRecord;
  /** Why the files cannot be restored; ready to show. */
  readonly noFiles?: string;
  /** The plan for the files; has no steps if nothing has changed since. */
  readonly plan: RestorePlan;
  /** What checkpoints do not cover, as noted since then; ready to show. */
  readonly notes: readonly string[];
}

/** The result of a rewind or of undoing one. */
export interface RewindReport {
  readonly type: 'rewind' | 'undo';
  /** `partly`: some paths were left unchanged; the message lists them with reasons. */
  readonly outcome: 'done' | 'partly' | 'refused';
  /** Ready to show. */
  readonly message: string;
  /** True if the conversation changed. */
  readonly conversation: boolean;
  /** The prompt that was rewound, for the composer. Only if the conversation was rewound. */
  readonly prompt?: PromptOp;
}
