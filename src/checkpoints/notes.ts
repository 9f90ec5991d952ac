import type { PathChange, PathState } from '../protocol/checkpoints.ts';
import { grouped } from '../protocol/grouped.ts';
import { describePath } from './words.ts';

/** More than these are summed up. */
const MAX_NOTES = 10;

/** What of these changes cannot be restored, ready to show. */
export function changeNotes(root: string, changes: readonly PathChange[]): readonly string[] {
  const lost = changes.flatMap(({ path, before }) =>
    isLost(before) ? [`${describePath(root, path)} cannot be restored: ${before.omitted}`] : [],
  );
  if (lost.length <= MAX_NOTES) return lost;
  return [...lost.slice(0, MAX_NOTES), `${grouped(lost.length - MAX_NOTES)} more cannot be restored`];
}

const isLost = (
  state: PathState | undefined,
): state is Extract<PathState, { type: 'file' }> & { omitted: string } =>
  state?.type === 'file' && state.omitted !== undefined;
