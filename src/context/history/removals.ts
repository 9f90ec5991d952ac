/** What reductions leave out of a view, and the notes that stand in its place. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Atom } from './atoms.ts';
import { type Reduction, reductionOf } from './reductions.ts';

/**
 * The notes of a reduction as heads of atoms: one for each stretch of what it leaves out, by the uuid of the
 * first head of that stretch. Without stretches of its own, a reduction has one note, its own text.
 */
export function noteHeads(entry: JSONLEntry): ReadonlyMap<string, JSONLEntry> {
  const known = heads.get(entry);
  if (known !== undefined) return known;
  const { removed = [], notes } = reductionOf(entry) ?? {};
  const [first] = removed;
  const made =
    notes === undefined
      ? new Map(first === undefined ? [] : [[first, entry]])
      : new Map(notes.map(({ at, text }, index) => [at, noteHead(entry, text, index)]));
  heads.set(entry, made);
  return made;
}

const heads = new WeakMap<JSONLEntry, ReadonlyMap<string, JSONLEntry>>();

/** Same entry, same head: an id of its own, so that a compaction can keep one stretch and not another. */
function noteHead(entry: JSONLEntry, content: string, index: number): JSONLEntry {
  return Object.freeze({
    ...entry,
    uuid: `${entry.uuid}:${index}`,
    message: Object.freeze({ ...entry.message, content }),
  });
}

/** Grows with the log: later reductions and restorations win. */
export class Removals {
  /** From the uuid of a removed head to the note of the stretch that it belongs to. */
  readonly #by = new Map<string, JSONLEntry>();
  readonly #atoms = new WeakMap<JSONLEntry, Atom>();

  learn(entry: JSONLEntry, { removed = [], restored = [] }: Reduction): void {
    const notes = noteHeads(entry);
    let note = entry;
    for (const uuid of removed) {
      note = notes.get(uuid) ?? note;
      this.#by.set(uuid, note);
    }
    for (const uuid of restored) this.#by.delete(uuid);
  }

  has({ uuid }: JSONLEntry): boolean {
    return this.#by.has(uuid);
  }

  /** A note stands where the first of its stretch was that is still left out. */
  applyTo(atoms: readonly Atom[]): readonly Atom[] {
    if (this.#by.size === 0) return atoms;
    const noted = new Set<JSONLEntry>();
    return atoms.flatMap((atom) => {
      const by = this.#by.get(atom.head.uuid);
      if (by === undefined) return [atom];
      if (noted.has(by)) return [];
      noted.add(by);
      // A later removal may have taken the note as well.
      return this.#by.has(by.uuid) ? [] : [this.#noteAtom(by)];
    });
  }

  #noteAtom(head: JSONLEntry): Atom {
    const known = this.#atoms.get(head);
    if (known !== undefined) return known;
    const atom: Atom = { kind: 'user', head, calls: [] };
    this.#atoms.set(head, atom);
    return atom;
  }
}

/** Notes that a compaction kept, by the first head of what they stand for: there they stay. */
export function retainedNotes(
  past: readonly JSONLEntry[],
  kept: ReadonlySet<string>,
  undone: ReadonlySet<string>,
): ReadonlyMap<string, JSONLEntry> {
  const notes = past
    .filter(({ subtype, uuid }) => subtype === 'reduction' && !undone.has(uuid))
    .flatMap((entry) => [...noteHeads(entry)]);
  return new Map(notes.filter(([, head]) => kept.has(head.uuid)));
}
