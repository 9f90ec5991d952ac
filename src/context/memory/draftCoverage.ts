import type { Atom } from '../history/atoms.ts';
import { tailStart } from '../history/tail.ts';
import type { Draft } from './ThreadSummary.ts';

/** A draft that speaks for less than this share of what is old by now is not worth a rewritten cache. */
const LEAST_COVERAGE = 0.5;

/** True where most of what is older than the tail was said after the draft was written. */
export function isStale(
  { lastMessageSeq }: Pick<Draft, 'lastMessageSeq'>,
  atoms: readonly Atom[],
  tailTokens: number,
  sizeOf: (atom: Atom) => number,
): boolean {
  const old = atoms.slice(0, tailStart(atoms, { tokens: tailTokens, sizeOf }));
  const sum = (some: readonly Atom[]): number => some.reduce((tokens, atom) => tokens + sizeOf(atom), 0);
  return sum(old.filter(({ head }) => head.seq <= lastMessageSeq)) < LEAST_COVERAGE * sum(old);
}
