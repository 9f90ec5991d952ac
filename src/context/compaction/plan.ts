/** Which atoms a compaction keeps: pure, by tokens, at atom boundaries. */
import { type Atom, isPrompt } from '../history/atoms.ts';

export interface CompactionPlan {
  /** In log order. What is pinned stands before the tail. */
  readonly kept: readonly Atom[];
  /** How many atoms, from the first, the summary has to speak for; the newest of them may be pinned too. */
  readonly cut: number;
  /** False when there is nothing that a summary could stand in for. */
  readonly worthwhile: boolean;
}

/**
 * Keeps the newest atoms whose tokens fit into `retainTokens`, and always the newest one unless `bare`.
 * Pinned besides: the newest prompt, whole, and the latest word on permission mode and environment.
 * Instructions are pinned elsewhere and never kept.
 */
export function planCompaction(
  atoms: readonly Atom[],
  budget: { readonly retainTokens: number; readonly sizeOf: (atom: Atom) => number; readonly bare?: boolean },
): CompactionPlan {
  const cut = budget.bare === true ? atoms.length : tailStart(atoms, budget);
  const pins = pinnedAtoms(atoms);
  const isInstructions = (atom: Atom): boolean => atom.head.subtype === 'instructions';
  const kept = atoms.filter((atom, index) => (index >= cut || pins.has(atom)) && !isInstructions(atom));
  const pinned = atoms.filter(isInstructions);
  return { kept, cut, worthwhile: kept.length + pinned.length < atoms.length };
}

function tailStart(
  atoms: readonly Atom[],
  { retainTokens, sizeOf }: { retainTokens: number; sizeOf: (atom: Atom) => number },
): number {
  let used = 0;
  let start = atoms.length;
  while (start > 0) {
    const atom = atoms[start - 1];
    if (atom === undefined) break;
    used += sizeOf(atom);
    const isNewest = start === atoms.length;
    const isUnanswered = atom.calls.some(({ result }) => result === undefined);
    if (used > retainTokens && !isNewest && !isUnanswered) break;
    start--;
  }
  return start;
}

function pinnedAtoms(atoms: readonly Atom[]): ReadonlySet<Atom> {
  const pins = [
    atoms.findLast((atom) => isPrompt(atom.head)),
    atoms.findLast((atom) => atom.head.subtype === 'mode'),
    atoms.findLast((atom) => atom.head.subtype === 'environment'),
  ];
  return new Set(pins.flatMap((atom) => atom ?? []));
}
