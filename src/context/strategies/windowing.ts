/** Limits on what a request shows that only act when the user chose them: rounds, and the filter. */
import type { ContextSettings } from '../../protocol/contextSettings.ts';
import { pinnedAtoms } from '../compaction/plan.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { reductionOf } from '../history/reductions.ts';
import type { View } from '../history/view.ts';
import { type AtomRemoval, withNotes } from './removeAtoms.ts';

interface WindowFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly sizeOf: (atom: Atom) => number;
}

/** What lies outside the chosen limits; undefined when nothing does, or when none is chosen. */
export function planWindow(
  view: View,
  settings: ContextSettings,
  facts: WindowFacts,
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

/** Newest first into the limits. The newest prompt and whatever follows it always stay, and so do pins. */
function outside({ atoms, pinned }: View, limits: Limits, { now, sizeOf }: WindowFacts): string[] {
  const newest = atoms.findLastIndex((atom) => isPrompt(atom.head));
  const stays = pinnedAtoms(atoms, pinned);
  const removed: string[] = [];
  let rounds = 0;
  let tokens = 0;
  let messages = 0;
  let isFull = false;
  for (let index = atoms.length - 1; index >= 0; index--) {
    const atom = atoms[index];
    // The note of an earlier removal goes with the next one.
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
