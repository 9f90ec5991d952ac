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

/** True for a reply that waits for a result. */
export function isRunning({ calls }: Atom): boolean {
  return calls.some(({ result }) => result === undefined);
}
