import { residueOf } from '../compaction/ledger.ts';
import type { Atom } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import type { MaskBudget } from '../tokens/budgets.ts';
import type { Draft } from './ThreadSummary.ts';

/** Of what may be left of the past before a summary is due, a draft leaves less than this share standing, or it is stale. */
const MOST_LEFT = 0.5;

/** True where too much of what only a summary can shorten was said after the draft was written. */
export function isStale(
  { lastMessageSeq }: Pick<Draft, 'lastMessageSeq'>,
  view: View,
  { protect, residue }: Pick<MaskBudget, 'protect' | 'residue'>,
  sizeOf: (atom: Atom) => number,
): boolean {
  const later = { ...view, atoms: view.atoms.filter(({ head }) => head.seq > lastMessageSeq) };
  return residueOf(later, protect, sizeOf) > MOST_LEFT * residue;
}
