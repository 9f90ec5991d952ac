/** From a view to a removal that can be recorded: which atoms go, and what the model reads in their place. */
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { type Atom, atomEntries, groupAtoms } from '../history/atoms.ts';
import type { Live } from '../history/liveEntries.ts';
import { reductionEntry, reductionOf, stretchesIn, withAllBehind } from '../history/reductions.ts';
import type { View } from '../history/view.ts';
import { strategyItems } from './priorities.ts';
import { planRemoval } from './removalStrategies.ts';
import type { RemovalPolicy } from './strategyForModel.ts';

export interface AtomRemoval {
  /** Uuids of heads. */
  readonly removed: readonly string[];
  readonly strategy: string;
  readonly reason: string;
  readonly freedTokens: number;
}

export interface Excess {
  /** Tokens that have to go for the target. */
  readonly tokens: number;
  /** Tokens without which the request cannot be sent at all; 0 or less where it can. */
  readonly overLimit: number;
}

/**
 * Removes atoms until the excess is gone, as far as pins, ends and minimum allow; ends and minimum give way only
 * for what is over the limit. Undefined when nothing can go.
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

/** Notes of earlier removals go with a new one, whose note speaks for all. */
export function withNotes(view: View, removed: readonly string[]): readonly string[] {
  const notes = view.atoms
    .filter(({ head }) => reductionOf(head)?.kind === 'remove')
    .map(({ head }) => head.uuid);
  return [...new Set([...removed, ...notes])];
}

/** The entry of a removal; its text is what the model reads where the first of them was. `live`: of the log so far. */
export function removalEntry(
  { removed, strategy, reason }: Omit<AtomRemoval, 'freedTokens'>,
  live: Live,
  facts: { readonly preTokens: number; readonly postTokens?: number; readonly kind?: 'remove' | 'drop' },
): NewEntry {
  // Undone reductions no longer stand for anything.
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

/** Heads of what goes; of a note that goes as well, what it stands for: the new note is their only pointer. */
function withoutNotes(removed: readonly string[], entries: readonly JSONLEntry[]): ReadonlySet<string> {
  const stretches = stretchesIn(entries);
  return new Set([...withAllBehind(removed, stretches)].filter((uuid) => !stretches.has(uuid)));
}

/** Of the atom that begins here: its results are left out with it. */
function lastSeq(entries: readonly JSONLEntry[]): number {
  const [atom] = groupAtoms(entries);
  return atom === undefined
    ? (entries[0]?.seq ?? 0)
    : atomEntries(atom).reduce((last, { seq }) => Math.max(last, seq), 0);
}

function removalNote(count: number, range: string): string {
  const what = count === 1 ? 'An earlier message is' : `${count} earlier messages are`;
  return `${what} not shown any more, to make room (${range}). Nothing is lost: Recall brings any of it back, by pointer ("${range}") or by a search.`;
}
