/** Rewinding: the turns to rewind to, what it would do, and its result. */
import type { RestorePlan } from './checkpoints.ts';
import type { PromptOp } from './ops.ts';

/** One turn of the conversation: a prompt, and everything up to the next one. */
export interface TurnRecord {
  /** Of the prompt's entry. */
  readonly uuid: string;
  /** Position of that entry in the session. */
  readonly seq: number;
  /** Position of the last entry before the turn: where a fork from there ends. */
  readonly beforeSeq: number;
  /** What the user typed, as the user saw it. */
  readonly text: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Replies of the model. */
  readonly steps: number;
  /** Files that its calls and commands changed, each once. */
  readonly files: number;
  /** Lines, over all its changes; undefined where there were too many to count them. */
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
}

/** What rewinding to before a turn would do. */
export interface RewindPlan {
  readonly turn: TurnRecord;
  /** Why the files cannot be restored; ready to show. */
  readonly noFiles?: string;
  /** Of the files; without steps where nothing was changed since. */
  readonly plan: RestorePlan;
  /** What checkpoints do not cover, as far as it was noted since; ready to show. */
  readonly notes: readonly string[];
}

/** The result of a rewind, or of undoing one. */
export interface RewindReport {
  readonly type: 'rewind' | 'undo';
  /** `partly`: some paths were left as they are; the message says which and why. */
  readonly outcome: 'done' | 'partly' | 'refused';
  /** Ready to show. */
  readonly message: string;
  /** The conversation is another one now. */
  readonly conversation: boolean;
  /** The prompt that was rewound to, for the composer. Only if the conversation was rewound. */
  readonly prompt?: PromptOp;
}
