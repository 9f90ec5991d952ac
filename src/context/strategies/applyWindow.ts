/** Records the removals required by limits that the user chose: sliding window, rounds, filter. */

import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { ContextSettings } from '../../protocol/settings/contextSettings.ts';
import { clipResults } from '../compaction/clips.ts';
import { pinnedAtoms } from '../compaction/plan.ts';
import { type Atom, atomEntries, groupAtoms, isPrompt } from '../history/atoms.ts';
import type { Live } from '../history/liveEntries.ts';
import { reductionEntry, reductionOf, replacedHeadsIn, withReplaced } from '../history/reductions.ts';
import { SlidingWindow, type WindowFacts, type WindowResult, windowItems } from '../history/SlidingWindow.ts';
import type { View } from '../history/view.ts';
import type { Session } from '../session.ts';
import { strategyItems } from './priorities.ts';
import { planRemoval } from './removalStrategies.ts';
import type { RemovalPolicy } from './strategyForModel.ts';

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

// Plans a removal from a view: which atoms are removed and which note replaces them.

interface AtomRemoval {
  /** Uuids of heads. */
  readonly removed: readonly string[];
  readonly strategy: string;
  readonly reason: string;
  readonly freedTokens: number;
}

interface Excess {
  /** Tokens to remove to reach the target. */
  readonly tokens: number;
  /** Tokens to remove before the request can be sent; 0 or less if it already can. */
  readonly overLimit: number;
}

/**
 * Removes atoms until the excess is gone, as far as pins, ends and minimum allow; ends and minimum are only given up
 * for tokens over the limit. Undefined if nothing can be removed.
 */
export function planAtomRemoval(
  view: View,
  excess: Excess,
  policy: RemovalPolicy,
  { sizeOf }: { readonly sizeOf: (atom: Atom) => number },
): AtomRemoval | undefined {
  const items = strategyItems(view.atoms, {
    sizeOf,
    isPinned: ({ head }) => view.pinned.has(head.uuid),
    isMasked: ({ uuid }) => view.replacements.has(uuid),
  });
  const total = items.reduce((sum, { tokens }) => sum + tokens, 0);
  const result = planRemoval(items, Math.max(0, total - excess.tokens), {
    ...policy,
    mustFitTokens: Math.max(0, total - Math.max(0, excess.overLimit)),
  });
  if (result === undefined || result.removed.length === 0) return undefined;
  const { removed, strategy, reason } = result;
  return { removed: withNotes(view, removed), strategy, reason, freedTokens: total - result.tokens };
}

/** Also removes the notes of earlier removals: the new note covers them. */
export function withNotes(view: View, removed: readonly string[]): readonly string[] {
  const notes = view.atoms
    .filter(({ head }) => reductionOf(head)?.kind === 'remove')
    .map(({ head }) => head.uuid);
  return [...new Set([...removed, ...notes])];
}

/**
 * The entry of a removal; its text is the note at the place of the first removed atom. `live`: the entries in effect.
 */
export function removalEntry(
  { removed, strategy, reason }: Omit<AtomRemoval, 'freedTokens'>,
  live: Live,
  facts: { readonly preTokens: number; readonly postTokens?: number; readonly kind?: 'remove' | 'drop' },
): NewEntry {
  // Undone reductions no longer have notes.
  const entries = live.entries.filter(({ uuid }) => !live.undone.has(uuid));
  const gone = withoutNotes(removed, entries);
  const at = entries.flatMap(({ uuid }, index) => (gone.has(uuid) ? [index] : []));
  const from = entries[at[0] ?? 0]?.seq ?? 0;
  const to = lastSeq(entries.slice(at.at(-1) ?? 0));
  const range = from === to ? `#${from}` : `#${from}-#${to}`;
  const note =
    facts.kind === 'drop' ? `The user left ${range} out of the conversation.` : removalNote(gone.size, range);
  return reductionEntry({ kind: 'remove', ...facts, strategy, reason, removed: [...removed] }, note);
}

/** Heads of removed messages, including those behind removed notes: the new note becomes their only pointer. */
function withoutNotes(removed: readonly string[], entries: readonly JSONLEntry[]): ReadonlySet<string> {
  const headsByNote = replacedHeadsIn(entries);
  return new Set([...withReplaced(removed, headsByNote)].filter((uuid) => !headsByNote.has(uuid)));
}

/** Last seq of the atom that begins here, including its results, which are removed with it. */
function lastSeq(entries: readonly JSONLEntry[]): number {
  const [atom] = groupAtoms(entries);
  return atom === undefined
    ? (entries[0]?.seq ?? 0)
    : atomEntries(atom).reduce((last, { seq }) => Math.max(last, seq), 0);
}

function removalNote(count: number, range: string): string {
  const what = count === 1 ? 'An earlier message was' : `${count} earlier messages were`;
  return `${what} removed to make room (${range}). Nothing is lost: Recall returns any of it, by pointer ("${range}") or by a search.`;
}
