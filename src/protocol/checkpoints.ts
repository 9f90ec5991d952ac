/**
 * File checkpoints: what calls changed on disk, and what a rewind would do. The contents are next to the log,
 * by hash; the entries of subtype `checkpoint` say which path was what before and after.
 */
import * as z from 'zod';

/** What stood at a path at one moment. */
const pathStateSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('file'),
    /** Permission bits, e.g. 0o644. */
    mode: z.number(),
    bytes: z.number(),
    /** SHA-256 of the content, which is in the blob store unless `omitted` says why it is not. */
    hash: z.string().optional(),
    /** Why the content was not kept, ready to show. */
    omitted: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('link'), target: z.string() }),
  z.looseObject({ type: z.literal('folder'), mode: z.number() }),
  /** Never opened; only a pipe is ever made or removed. */
  z.looseObject({ type: z.literal('special'), kind: z.enum(['pipe', 'socket', 'device']) }),
]);
export type PathState = z.infer<typeof pathStateSchema>;

/** One path, before and after; an absent state means that nothing was there. */
export const pathChangeSchema = z.looseObject({
  /** Absolute path. */
  path: z.string(),
  before: pathStateSchema.optional(),
  after: pathStateSchema.optional(),
});
export type PathChange = z.infer<typeof pathChangeSchema> & {
  /** Never stored: a rewind was interrupted in it, so it is unknown whether it was made. */
  readonly unsure?: boolean;
};

/** Who changed the files: a call of the model, a `!command`, a rewind, or undoing one. */
const checkpointCauses = ['call', 'shell', 'rewind', 'undo'] as const;
export type CheckpointCause = (typeof checkpointCauses)[number];

/** `data` of an entry of subtype `checkpoint`. */
export const checkpointSchema = z.looseObject({
  cause: z.enum(checkpointCauses),
  /** The calls that ran since the last look; several if they ran in parallel. */
  callIds: z.array(z.string()).optional(),
  changes: z.array(pathChangeSchema),
  /** Lines, over all changes; absent where there are too many to count them. */
  lines: z.looseObject({ added: z.number(), removed: z.number() }).optional(),
  /** Of `rewind` and `undo`: uuid of the entry that said what was going to be done. */
  of: z.string().optional(),
  /** What is not covered and why, ready to show. */
  notes: z.array(z.string()).optional(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** What was found to have changed. */
export interface Captured {
  readonly changes: readonly PathChange[];
  readonly notes: readonly string[];
}

/** What a rewind would do to one path. */
export interface RestoreStep {
  /** Absolute path. */
  readonly path: string;
  /**
   * `merge`: the user changed the file since, and both changes go together. `refuse`: they do not, or the content
   * was not kept; the path is left unchanged. `nothing`: it already is as it was.
   */
  readonly action: 'create' | 'modify' | 'delete' | 'mode' | 'merge' | 'refuse' | 'nothing';
  /** Why it is refused or merged, ready to show. */
  readonly reason?: string;
  /** Unified diff from what is on disk now to what will be; absent for binary content and for links. */
  readonly diff?: string;
  readonly added: number;
  readonly removed: number;
  /** What is on disk now, and what will be; absent means nothing. */
  readonly from?: PathState | undefined;
  readonly to?: PathState | undefined;
}

/** Made without changing anything; applied only while the disk is still as it was when it was made. */
export interface RestorePlan {
  readonly steps: readonly RestoreStep[];
}

/** The port between the agent and the file checkpoints. Paths are absolute. Nothing here throws because of the disk. */
export interface FileCheckpoints {
  /**
   * Looks at the tree, so that what a call changes can be told from what was there. Called when a turn starts and
   * before each step, so that the user's own edits are not taken for a call's. Aborted, it stops early and the next
   * one goes on.
   */
  baseline(signal?: AbortSignal): Promise<void>;
  /**
   * What has changed since the last look, contents kept. With `paths` only these are looked at (a tool that knows
   * what it touches); without, the tree is scanned once (Bash).
   */
  capture(paths?: readonly string[]): Promise<Captured>;
  /** What is needed before a call that names the files that it will change: their content as it is now. */
  keep(paths: readonly string[]): Promise<void>;
  /**
   * What rewinding to before these changes would do; `changes` in the order in which they were made. For a plan that
   * the user does not see: outside the project only paths that were `isShown` before, since a log may name any.
   */
  plan(changes: readonly PathChange[], isShown?: (path: string) => boolean): Promise<RestorePlan>;
  /** Does it; answers what was changed, for the log, and what was not done after all, ready to show. */
  apply(plan: RestorePlan): Promise<Captured>;
  /** A unified diff of the changes taken together, first before to last after, by path. */
  diff(changes: readonly PathChange[]): Promise<readonly RestoreStep[]>;
}
