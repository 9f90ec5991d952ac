/** Rounds: a user message and everything up to the next one. */
import { isRunning } from './alwaysKept.ts';
import { type Atom, isPrompt } from './atoms.ts';
import { tailStart } from './tail.ts';

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
