/** How much of a view a draft of a summary speaks for. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Atom } from '../history/atoms.ts';
import { stretchesIn, withAllBehind } from '../history/removals.ts';
import type { Draft } from '../memory/ThreadSummary.ts';

/** How many atoms, from the first. A note counts as what it stands for: its own entry may be newer than the draft. */
export function coveredBy(
  { lastMessageSeq }: Pick<Draft, 'lastMessageSeq'>,
  atoms: readonly Atom[],
  entries: readonly JSONLEntry[],
): number {
  const endOf = endOfNotes(atoms, entries);
  return atoms.findLastIndex(({ head }) => (endOf.get(head.uuid) ?? head.seq) <= lastMessageSeq) + 1;
}

/** Seq of the newest entry that each note among the atoms stands for, by the uuid of the note. */
function endOfNotes(atoms: readonly Atom[], entries: readonly JSONLEntry[]): ReadonlyMap<string, number> {
  const notes = atoms.filter(({ head }) => head.subtype === 'reduction');
  if (notes.length === 0) return new Map();
  const stretches = stretchesIn(entries);
  const seqOf = new Map(entries.map(({ uuid, seq }) => [uuid, seq]));
  return new Map(
    notes.map(({ head: { uuid, seq } }) => {
      const behind = [...withAllBehind(stretches.get(uuid) ?? [], stretches)];
      return [uuid, behind.reduce((end, one) => Math.max(end, seqOf.get(one) ?? 0), 0) || seq];
    }),
  );
}
