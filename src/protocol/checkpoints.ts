/**
 * File checkpoints: changes on disk by calls, and plans to rewind them. Contents are stored by hash next to the log;
 * entries of subtype `checkpoint` record the state of each path before and after.
 */
import * as z from 'zod';
import type { PromptOp } from './ops.ts';

/** The state of a path at one time. */
const pathStateSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('file'),
    /** Permission bits, e.g. 0o644. */
    mode: z.number(),
    bytes: z.number(),
    /** SHA-256 of the content, which is in the blob store unless `omitted` is set. */
    hash: z.string().optional(),
    /** Why the content was not stored, ready to show. */
    omitted: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('link'), target: z.string() }),
  z.looseObject({ type: z.literal('folder'), mode: z.number() }),
  /** Never opened; only pipes are ever created or removed. */
  z.looseObject({ type: z.literal('special'), kind: z.enum(['pipe', 'socket', 'device']) }),
]);
export type PathState = z.infer<typeof pathStateSchema>;

/** One path before and after; an absent state means that the path did not exist. */
export const pathChangeSchema = z.looseObject({
  /** Absolute path. */
  path: z.string(),
  before: pathStateSchema.optional(),
  after: pathStateSchema.optional(),
});
export type PathChange = z.infer<typeof pathChangeSchema> & {
  /** Never stored. True if a rewind was interrupted, so that it is unknown whether the change was made. */
  readonly unsure?: boolean;
};

/** The cause of the changes: a call of the model, a `!command`, a rewind, or the undo of one. */
const checkpointCauses = ['call', 'shell', 'rewind', 'undo'] as const;
export type CheckpointCause = (typeof checkpointCauses)[number];

/** `data` of an entry of subtype `checkpoint`. */
export const checkpointSchema = z.looseObject({
  cause: z.enum(checkpointCauses),
  /** The calls that ran since the last scan; several if they ran in parallel. */
  callIds: z.array(z.string()).optional(),
  changes: z.array(pathChangeSchema),
  /**
   * Logged before a call: what it is about to change, each path with its state `before`. A later checkpoint names this
   * entry in `of`, unless the program was stopped in between.
   */
  kept: z.array(pathChangeSchema).optional(),
  /** Lines over all changes; absent if there are too many to count. */
  lines: z.looseObject({ added: z.number(), removed: z.number() }).optional(),
  /** Uuid of the entry that announced the changes: of a `rewind` or `undo`, or the one with what was `kept`. */
  of: z.string().optional(),
  /** What is not covered and why, ready to show. */
  notes: z.array(z.string()).optional(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** The result of a scan. */
export interface Captured {
  readonly changes: readonly PathChange[];
  readonly notes: readonly string[];
}

/** What a rewind would do to one path. */
export interface RestoreStep {
  /** Absolute path. */
  readonly path: string;
  /**
   * `merge`: the user has changed the file since, and both changes can be combined. `refuse`: they cannot, or the
   * content was not stored; the path is left unchanged. `nothing`: the path already has the wanted state.
   */
  readonly action: 'create' | 'modify' | 'delete' | 'mode' | 'merge' | 'refuse' | 'nothing';
  /** Why it is refused or merged, ready to show. */
  readonly reason?: string;
  /** Unified diff from the current to the future content; absent for binary content and for links. */
  readonly diff?: string;
  readonly added: number;
  readonly removed: number;
  /** The current state on disk and the future one; absent if the path does not exist. */
  readonly from?: PathState | undefined;
  readonly to?: PathState | undefined;
}

/** Planning changes nothing. A plan is applied only to paths that have not changed since. */
export interface RestorePlan {
  readonly steps: readonly RestoreStep[];
}

/** The port between the agent and the file checkpoints. Paths are absolute. File system errors never throw. */
export interface FileCheckpoints {
  /**
   * Scans the tree, so that later changes can be attributed to calls. Runs when a turn starts and before each step, so
   * that the user's own edits are not attributed to a call. If aborted, it stops early and the next one continues.
   */
  baseline(signal?: AbortSignal): Promise<void>;
  /**
   * Returns the changes since the last scan and stores their contents. With `paths`, checks only these (a tool that
   * knows what it touches); without, scans the tree (Bash).
   */
  capture(paths?: readonly string[]): Promise<Captured>;
  /**
   * Stores the current content of files that a call is about to change; it outlives the process. The result has the
   * state `before` of each path; its notes say what cannot be restored afterwards and why, ready to show.
   */
  keep(paths: readonly string[]): Promise<Captured>;
  /** Returns the changes since the states that an earlier process has kept. */
  since(kept: readonly PathChange[]): Promise<Captured>;
  /**
   * Plans a rewind to before these changes, which are in chronological order. `foreign`: paths of changes that
   * another program may have logged. A log may name any path, so those whose write would need approval are left unchanged.
   */
  plan(changes: readonly PathChange[], foreign?: ReadonlySet<string>): Promise<RestorePlan>;
  /**
   * Applies the plan. Returns the changes made, for the log, and notes about steps that were not applied, ready to
   * show.
   */
  apply(plan: RestorePlan): Promise<Captured>;
  /** Returns unified diffs by path, from the state before the first change to the state after the last. */
  diff(changes: readonly PathChange[]): Promise<readonly RestoreStep[]>;
}

// Rewinds: turns, plans and results.

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
