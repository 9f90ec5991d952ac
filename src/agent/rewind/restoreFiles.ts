import type { ContextManager } from '../../context/index.ts';
import type { FileCheckpoints, PathChange, RestorePlan } from '../../protocol/checkpoints.ts';
import { checkpointDraft, linesIn } from '../checkpointDrafts.ts';
import type { CheckpointKeeper } from '../checkpoints.ts';
import { isChange } from './turns.ts';

export interface RestorePorts {
  readonly context: Pick<ContextManager, 'append' | 'sync'>;
  readonly files: FileCheckpoints | undefined;
  readonly checkpoints: Pick<CheckpointKeeper, 'alone'>;
}

export interface Restored {
  readonly done: readonly PathChange[];
  /** What was left unchanged and why, ready to show. */
  readonly left: readonly string[];
}

/**
 * Applies plans that the log already tells of, and records what came of it. `of` is the entry that tells of it;
 * `begun` what a program that was stopped had begun: it stands in the record too.
 */
export function createRestore({ context, files, checkpoints }: RestorePorts) {
  return async (
    { steps }: RestorePlan,
    cause: 'rewind' | 'undo',
    of: string,
    begun: readonly PathChange[] = [],
  ): Promise<Restored> => {
    if (files === undefined || steps.length === 0) return { done: [], left: [] };
    const refused = steps.filter(({ action }) => action === 'refuse');
    const why = refused.map(({ path, reason = '' }) => `${path}: ${reason}`);
    const isIdle = !steps.some(isChange);
    if (isIdle && begun.length === 0) return { done: [], left: why };
    // After a power cut the log must know what was going to be done to the files.
    await context.sync();
    const applied = isIdle
      ? { changes: [], notes: [] }
      : await checkpoints.alone(() => files.apply({ steps }));
    const put = begun.filter(({ path }) => !refused.some((step) => step.path === path));
    const captured = begun.length === 0 ? applied : { ...applied, changes: put };
    const lines = await linesIn(files, captured.changes);
    const draft = checkpointDraft({ cause, of, captured, lines });
    if (draft !== undefined) await context.append(draft);
    return { done: applied.changes, left: [...why, ...applied.notes] };
  };
}
