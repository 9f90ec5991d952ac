/** Plans a removal from a view: which atoms are removed and which note replaces them. */
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { type Atom, atomEntries, groupAtoms } from '../history/atoms.ts';
import type { Live } from '../history/liveEntries.ts';
import { reductionEntry, reductionOf, replacedHeadsIn, withReplaced } from '../history/reductions.ts';
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
  const what = count === 1 ? 'An earlier message is' : `${count} earlier messages are`;
  return `${what} not shown any more, to make room (${range}). Nothing is lost: Recall brings any of it back, by pointer ("${range}") or by a search.`;
}
