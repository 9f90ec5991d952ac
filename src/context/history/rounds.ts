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

/** Index of the first atom of the newest `rounds` rounds; 0 where there are no more than that. */
export function newestRounds(atoms: readonly Atom[], rounds: number): number {
  if (rounds <= 0) return atoms.length;
  const starts = findAtomRounds(atoms);
  return starts.length < rounds ? 0 : (starts.at(-rounds) ?? 0);
}

/**
 * Index of the first atom of the newest `rounds` rounds that fit into `tokens`; of fewer rounds where they do
 * not; and where not even the newest round fits, of its newest part. 0 rounds keep nothing.
 */
export function retainRounds(
  atoms: readonly Atom[],
  {
    rounds,
    tokens,
    sizeOf,
  }: { readonly rounds: number; readonly tokens: number; readonly sizeOf: (atom: Atom) => number },
): number {
  if (rounds <= 0) return atoms.length;
  const starts = findAtomRounds(atoms).slice(-rounds);
  const byTokens = tailStart(atoms, { tokens, sizeOf, isRequired: isRunning });
  return starts.find((start) => start >= byTokens) ?? byTokens;
}
