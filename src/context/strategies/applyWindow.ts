/** Records what the limits that the user chose leave out: the sliding window, rounds, the filter. */
import type { EntryDraft } from '../../protocol/entries.ts';
import { clipResults } from '../compaction/clips.ts';
import { reductionDraft } from '../history/reductions.ts';
import type { Session } from '../session.ts';
import { planSlidingWindow } from './planSlidingWindow.ts';
import { removalDraft, withNotes } from './removeAtoms.ts';
import { planWindow } from './windowing.ts';

/** Does nothing by default. `preTokens`: of the request as it is. True when anything was left out. */
export async function applyWindow(session: Session, preTokens: number): Promise<boolean> {
  const { projection, deps, append, log } = session;
  const isSliding = deps.settings.strategy === 'sliding-window';
  const sliding = isSliding ? slidingDrafts(session, preTokens) : [];
  if (sliding.length > 0) await append(sliding);
  const plan = planWindow(projection.view(), deps.settings, {
    now: (deps.clock ?? Date.now)(),
    sizeOf: (atom) => projection.sizeOf(atom),
  });
  if (plan !== undefined)
    await append([removalDraft(plan, log.live(), sizes(session, preTokens, plan.removed))]);
  return sliding.length > 0 || plan !== undefined;
}

function sizes(
  { projection }: Session,
  preTokens: number,
  removed: readonly string[],
): { readonly preTokens: number; readonly postTokens: number } {
  const gone = new Set(removed);
  const freed = projection
    .view()
    .atoms.reduce((sum, atom) => sum + (gone.has(atom.head.uuid) ? projection.sizeOf(atom) : 0), 0);
  return { preTokens, postTokens: Math.ceil(preTokens - freed) };
}

function slidingDrafts(session: Session, preTokens: number): EntryDraft[] {
  const { projection, deps, log } = session;
  const view = projection.view();
  const plan = planSlidingWindow(view, deps.settings.window, {
    sizeOf: (atom) => projection.sizeOf(atom),
    sizeOfResult: (atom, index) => projection.sizeOfResult(atom, index),
  });
  if (plan === undefined) return [];
  const strategy = 'sliding-window';
  const reason = 'outside the window that the settings ask for';
  const clips = plan.clips.filter(({ result }) => !view.replacements.has(result.uuid));
  const replacements = clipResults(clips, (text) => projection.sizeOfText(text));
  const removed = withNotes(view, plan.removed);
  return [
    ...(replacements.length === 0
      ? []
      : [reductionDraft({ kind: 'clip', strategy, reason, preTokens, replacements })]),
    ...(plan.removed.length === 0
      ? []
      : [removalDraft({ removed, strategy, reason }, log.live(), sizes(session, preTokens, removed))]),
  ];
}
