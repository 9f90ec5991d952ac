/** Records the removals required by limits that the user chose: sliding window, rounds, filter. */

import type { ContextSettings } from '../../protocol/contextSettings.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { clipResults } from '../compaction/clips.ts';
import { pinnedAtoms } from '../compaction/plan.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { reductionEntry, reductionOf } from '../history/reductions.ts';
import { SlidingWindow, type WindowFacts, type WindowResult, windowItems } from '../history/SlidingWindow.ts';
import type { View } from '../history/view.ts';
import type { Session } from '../session.ts';
import { type AtomRemoval, removalEntry, withNotes } from './removeAtoms.ts';

/**
 * Does nothing by default. `preTokens`: tokens of the current request. Returns true if anything was removed or clipped.
 */
export async function applyWindow(session: Session, preTokens: number): Promise<boolean> {
  const { projection, deps, append, log } = session;
  const isSliding = deps.settings.strategy === 'sliding-window';
  const sliding = isSliding ? slidingEntries(session, preTokens) : [];
  if (sliding.length > 0) await append(sliding);
  const plan = planWindow(projection.view(), deps.settings, {
    now: (deps.clock ?? Date.now)(),
    sizeOf: (atom) => projection.sizeOf(atom),
  });
  if (plan !== undefined)
    await append([removalEntry(plan, log.live(), sizes(session, preTokens, plan.removed))]);
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

function slidingEntries(session: Session, preTokens: number): NewEntry[] {
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
      : [reductionEntry({ kind: 'clip', strategy, reason, preTokens, replacements })]),
    ...(plan.removed.length === 0
      ? []
      : [removalEntry({ removed, strategy, reason }, log.live(), sizes(session, preTokens, removed))]),
  ];
}

// Applies the sliding window to a view: which atoms are removed and which results are clipped. Only with that strategy.

interface SlidingWindowPlan {
  /** Uuids of heads, in log order. */
  readonly removed: readonly string[];
  /** Results to clip, with the tokens that each may keep. */
  readonly clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[];
  readonly window: WindowResult;
}

/** Undefined if the view is already within the window. */
export function planSlidingWindow(
  { atoms, pinned }: Pick<View, 'atoms' | 'pinned'>,
  settings: ContextSettings['window'],
  facts: Pick<WindowFacts, 'sizeOf' | 'sizeOfResult'>,
): SlidingWindowPlan | undefined {
  // The note of an earlier removal is not a message; it is removed together with the next ones.
  const shown = atoms.filter(({ head }) => head.subtype !== 'reduction');
  const items = windowItems(shown, { ...facts, isPinned: ({ head }) => pinned.has(head.uuid) });
  const window = new SlidingWindow(settings).applyWindow(items);
  const included = new Set(window.included);
  const limits = new Map(window.clips.map(({ uuid, tokens }) => [uuid, tokens]));
  const removed = shown.flatMap(({ head }) => (included.has(head.uuid) ? [] : [head.uuid]));
  const clips = shown.flatMap(({ calls }) =>
    calls.flatMap(({ result }) => {
      const tokens = result === undefined ? undefined : limits.get(result.uuid);
      return result === undefined || tokens === undefined ? [] : [{ result, tokens }];
    }),
  );
  return removed.length === 0 && clips.length === 0 ? undefined : { removed, clips, window };
}

// Limits that apply only if the user set them: rounds and the filter.

interface LimitFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly sizeOf: (atom: Atom) => number;
}

/** The atoms outside the limits; undefined if there are none or no limit is set. */
function planWindow(
  view: View,
  settings: ContextSettings,
  facts: LimitFacts,
): Omit<AtomRemoval, 'freedTokens'> | undefined {
  const limits = limitsOf(settings);
  if (limits === undefined) return undefined;
  const removed = outside(view, limits, facts);
  if (removed.length === 0) return undefined;
  return { removed: withNotes(view, removed), strategy: limits.name, reason: limits.reason };
}

interface Limits {
  readonly name: string;
  readonly reason: string;
  readonly rounds: number;
  readonly tokens: number;
  readonly messages: number;
  readonly ageMs: number;
}

function limitsOf({ filter, slidingWindowSize }: ContextSettings): Limits | undefined {
  const none = Number.POSITIVE_INFINITY;
  if (!filter.enabled && slidingWindowSize === null) return undefined;
  return {
    name: filter.enabled ? 'filter' : 'rounds',
    reason: 'outside the window that the settings ask for',
    rounds: slidingWindowSize ?? none,
    tokens: filter.enabled ? filter.maxTokens : none,
    messages: filter.enabled ? filter.maxMessages : none,
    ageMs: filter.enabled ? filter.maxAgeHours * 3_600_000 : none,
  };
}

/** Counts the newest atoms first. The newest prompt, everything after it and pins always stay. */
function outside({ atoms, pinned }: View, limits: Limits, { now, sizeOf }: LimitFacts): string[] {
  const newest = atoms.findLastIndex((atom) => isPrompt(atom.head));
  const stays = pinnedAtoms(atoms, pinned);
  const removed: string[] = [];
  let rounds = 0;
  let tokens = 0;
  let messages = 0;
  let isFull = false;
  for (let index = atoms.length - 1; index >= 0; index--) {
    const atom = atoms[index];
    // The note of an earlier removal is removed together with the next ones.
    if (atom === undefined || reductionOf(atom.head)?.kind === 'remove') continue;
    tokens += sizeOf(atom);
    messages += 1 + atom.calls.length;
    isFull ||=
      rounds >= limits.rounds ||
      tokens > limits.tokens ||
      messages > limits.messages ||
      now - Date.parse(atom.head.timestamp) > limits.ageMs;
    if (isPrompt(atom.head)) rounds++;
    const isFree = index < newest && !stays.has(atom) && atom.head.subtype !== 'instructions';
    if (isFull && isFree) removed.push(atom.head.uuid);
  }
  return removed.reverse();
}
