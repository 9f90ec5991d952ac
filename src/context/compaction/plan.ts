/** Which atoms a compaction keeps: pure, by tokens, at atom boundaries. */

import { alwaysKept, isRunning } from '../history/alwaysKept.ts';
import type { Atom } from '../history/atoms.ts';
import { newestRounds } from '../history/rounds.ts';
import { tailStart } from '../history/tail.ts';

export interface CompactionPlan {
  /** In log order. What is pinned stands before the tail. */
  readonly kept: readonly Atom[];
  /** How many atoms, from the first, the summary has to speak for; the newest of them may be pinned too. */
  readonly cut: number;
  /** False when there is nothing that a summary could stand in for. */
  readonly worthwhile: boolean;
}

export interface PlanBudget {
  readonly retainTokens: number;
  readonly sizeOf: (atom: Atom) => number;
  /** True to keep nothing but what is pinned. */
  readonly bare?: boolean;
  /** Newest rounds that stay whole whatever `retainTokens` says; the caller tries without when it is too much. */
  readonly minRounds?: number | undefined;
  /** Where a summary that was written before ends; the tokens then decide nothing. */
  readonly cut?: number | undefined;
  /** Uuids of heads that the user pinned. */
  readonly pinned?: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * Keeps the newest atoms whose tokens fit into `retainTokens`, and always the newest one unless `bare`.
 * Pinned besides: the newest prompt, whole, and the latest word on permission mode and environment.
 * Instructions are pinned elsewhere and never kept.
 */
export function planCompaction(atoms: readonly Atom[], budget: PlanBudget): CompactionPlan {
  const cut = budget.cut ?? (budget.bare === true ? atoms.length : startOfTail(atoms, budget));
  const pins = pinnedAtoms(atoms, budget.pinned ?? none);
  const isInstructions = (atom: Atom): boolean => atom.head.subtype === 'instructions';
  const kept = atoms.filter((atom, index) => (index >= cut || pins.has(atom)) && !isInstructions(atom));
  const pinned = atoms.filter(isInstructions);
  return { kept, cut, worthwhile: kept.length + pinned.length < atoms.length };
}

function startOfTail(atoms: readonly Atom[], { retainTokens, sizeOf, minRounds = 0 }: PlanBudget): number {
  const newest = newestRounds(atoms, minRounds);
  return tailStart(atoms, {
    tokens: retainTokens,
    sizeOf,
    isRequired: (atom, index) => isRunning(atom) || index >= newest,
  });
}

/** What no reduction takes away: the newest of what the model has to go by, and what the user pinned. */
export function pinnedAtoms(atoms: readonly Atom[], pinned: ReadonlySet<string>): ReadonlySet<Atom> {
  return new Set([...alwaysKept(atoms), ...atoms.filter((atom) => pinned.has(atom.head.uuid))]);
}
