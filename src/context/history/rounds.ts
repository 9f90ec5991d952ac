/** Rounds: a user message and everything up to the next one. */
import { type Atom, isPrompt } from './atoms.ts';

/** How many rounds a list holds. */
export function estimateRounds(messages: readonly { readonly role: string }[]): number {
  return findRoundBoundaries(messages).length;
}

/** Index of the message that starts each round: `[user, assistant, tool, user, assistant]` → `[0, 3]`. */
export function findRoundBoundaries(messages: readonly { readonly role: string }[]): number[] {
  return messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
}

/** The same for atoms: only what the user said starts a round, notes of the program belong to the one before. */
export function findAtomRounds(atoms: readonly Atom[]): number[] {
  return atoms.flatMap((atom, index) => (isPrompt(atom.head) ? [index] : []));
}

/**
 * Index of the first atom of as many of the newest `rounds` rounds as fit into `tokens`; undefined where not even the
 * newest fits, or none is asked for.
 */
export function newestRounds(
  atoms: readonly Atom[],
  { rounds, tokens, sizeOf }: RoundBudget,
): number | undefined {
  if (rounds <= 0) return undefined;
  const byTokens = tailStart(atoms, { tokens, sizeOf, isRequired: isRunning });
  return findAtomRounds(atoms)
    .slice(-rounds)
    .find((start) => start >= byTokens);
}

interface RoundBudget {
  readonly rounds: number;
  readonly tokens: number;
  readonly sizeOf: (atom: Atom) => number;
}

/** The same, and where not even the newest round fits, its newest part. 0 rounds keep nothing. */
export function retainRounds(atoms: readonly Atom[], budget: RoundBudget): number {
  if (budget.rounds <= 0) return atoms.length;
  const { tokens, sizeOf } = budget;
  return newestRounds(atoms, budget) ?? tailStart(atoms, { tokens, sizeOf, isRequired: isRunning });
}

// The one way in which a tail is chosen: newest first, until the budget is used up.

export interface TailBudget<T> {
  readonly tokens: number;
  readonly sizeOf: (item: T) => number;
  /** True for what stays though the budget is used up. The newest item always does. */
  readonly isRequired?: (item: T, index: number) => boolean;
}

/**
 * Index from which the newest items fit into the budget, in one piece. The newest stays whatever its size:
 * it is to be shortened, not left out.
 */
export function tailStart<T>(
  items: readonly T[],
  { tokens, sizeOf, isRequired = () => false }: TailBudget<T>,
): number {
  let used = 0;
  const tail = items.findLastIndex((item, index) => {
    used += sizeOf(item);
    return used > tokens && index !== items.length - 1 && !isRequired(item, index);
  });
  return tail + 1;
}

// What no window, removal or compaction leaves out.

/**
 * Instructions, the newest prompt, the latest word on permission mode and environment, and calls that wait
 * for their results.
 */
export function alwaysKept(atoms: readonly Atom[]): ReadonlySet<Atom> {
  const latest = [
    atoms.findLast(({ head }) => isPrompt(head)),
    atoms.findLast(({ head }) => head.subtype === 'mode'),
    atoms.findLast(({ head }) => head.subtype === 'environment'),
  ];
  const always = atoms.filter((atom) => atom.head.subtype === 'instructions' || isRunning(atom));
  return new Set([...always, ...latest.flatMap((atom) => atom ?? [])]);
}

/**
 * The same atoms without the notes of the environment that a newer one of them has overtaken, for whoever changes the
 * request anyway. What the user pinned stays.
 */
export function withoutOvertaken(atoms: readonly Atom[], pinned: ReadonlySet<string>): readonly Atom[] {
  const newest = atoms.findLast(({ head }) => head.subtype === 'environment');
  return atoms.filter(
    (atom) => atom.head.subtype !== 'environment' || atom === newest || pinned.has(atom.head.uuid),
  );
}

/** True for a reply that waits for a result. */
export function isRunning({ calls }: Atom): boolean {
  return calls.some(({ result }) => result === undefined);
}
