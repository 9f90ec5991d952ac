/** From atoms to what the sliding window chooses among. */
import { alwaysKept } from './alwaysKept.ts';
import { type Atom, atomEntries, isPrompt } from './atoms.ts';
import type { WindowItem } from './SlidingWindow.ts';

export interface WindowFacts {
  /** Tokens of a whole atom as it is sent, and of its `index`-th result; both calibrated. */
  readonly sizeOf: (atom: Atom) => number;
  readonly sizeOfResult: (atom: Atom, index: number) => number;
  /** What the user holds on to, besides what is always kept. */
  readonly isPinned?: (atom: Atom) => boolean;
}

/** One item per atom, in order. */
export function windowItems(
  atoms: readonly Atom[],
  { sizeOf, sizeOfResult, isPinned = () => false }: WindowFacts,
): WindowItem[] {
  const kept = alwaysKept(atoms);
  return atoms.map((atom) => ({
    id: atom.head.uuid,
    seq: atom.head.seq,
    lastSeq: atomEntries(atom).reduce((highest, { seq }) => Math.max(highest, seq), atom.head.seq),
    isPrompt: isPrompt(atom.head),
    hasCalls: atom.calls.length > 0,
    isPinned: kept.has(atom) || isPinned(atom),
    tokens: sizeOf(atom),
    results: atom.calls.flatMap(({ result }, index) =>
      result === undefined ? [] : [{ uuid: result.uuid, tokens: sizeOfResult(atom, index) }],
    ),
  }));
}
