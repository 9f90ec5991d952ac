/** Rounds: a user message and everything up to the next one. */
import { type Atom, isPrompt } from './atoms.ts';

/** Number of rounds in a list of messages. */
export function estimateRounds(messages: readonly { readonly role: string }[]): number {
  return findRoundBoundaries(messages).length;
}

/** Index of the message that starts each round: `[user, assistant, tool, user, assistant]` → `[0, 3]`. */
export function findRoundBoundaries(messages: readonly { readonly role: string }[]): number[] {
  return messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
}

/** The same for atoms: only prompts start a round; notes of the program belong to the round before. */
function findAtomRounds(atoms: readonly Atom[]): number[] {
  return atoms.flatMap((atom, index) => (isPrompt(atom.head) ? [index] : []));
}

/**
 * Index of the first atom of the newest rounds, at most `rounds`, that fit into `tokens`; undefined if not even the
 * newest fits, or `rounds` is 0.
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

/** Like `newestRounds`; if not even the newest round fits, keeps its newest part. With 0 rounds nothing is kept. */
export function retainRounds(atoms: readonly Atom[], budget: RoundBudget): number {
  if (budget.rounds <= 0) return atoms.length;
  const { tokens, sizeOf } = budget;
  return newestRounds(atoms, budget) ?? tailStart(atoms, { tokens, sizeOf, isRequired: isRunning });
}

// Chooses the tail: newest items first, until the budget is used up.

interface TailBudget<T> {
  readonly tokens: number;
  readonly sizeOf: (item: T) => number;
  /** True for items that stay even if the budget is used up. The newest item always stays. */
  readonly isRequired?: (item: T, index: number) => boolean;
}

/**
 * Index from which on the newest items fit into the budget without a gap. The newest item is always included: if it is
 * too large it has to be shortened.
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

// Atoms that no window, removal or compaction leaves out.

/**
 * Instructions, the newest prompt, the latest permission mode and environment notes, and replies that wait for tool
 * results.
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

/** Removes superseded environment notes, for callers that change the request anyway. Pinned notes stay. */
export function withoutSupersededNotes(atoms: readonly Atom[], pinned: ReadonlySet<string>): readonly Atom[] {
  const newest = atoms.findLast(({ head }) => head.subtype === 'environment');
  return atoms.filter(
    (atom) => atom.head.subtype !== 'environment' || atom === newest || pinned.has(atom.head.uuid),
  );
}

/** True for a reply that waits for a result. */
export function isRunning({ calls }: Atom): boolean {
  return calls.some(({ result }) => result === undefined);
}
