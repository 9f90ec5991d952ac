/** What no window, removal or compaction leaves out, whoever runs it. */
import { type Atom, isPrompt } from './atoms.ts';

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
