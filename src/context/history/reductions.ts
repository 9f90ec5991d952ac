/** Reductions: entries that leave earlier ones out of requests or shorten them, and the notes that stand in their place. */
import type { Reduction } from '../../protocol/entries/kinds/reduction.ts';
import { type JSONLEntry, kindOf, type NewEntry } from '../../protocol/entries.ts';
import type { Atom } from './atoms.ts';

/** The reduction that an entry records; undefined for other entries, and where a newer program wrote another shape. */
export function reductionOf(entry: JSONLEntry): Reduction | undefined {
  return entry.subtype === 'reduction' ? entry.data : undefined;
}

/** `note`: what the model reads instead of what was left out; by default the reason. */
export function reductionEntry(data: Reduction, note: string = data.reason): NewEntry {
  return {
    type: 'system',
    subtype: 'reduction',
    message: { role: 'system', content: note },
    data,
  };
}

/** True for entries that change how earlier ones are seen. */
export function isReshaping(entry: JSONLEntry): boolean {
  return entry.isCompactSummary === true || kindOf(entry)?.reshapes === true;
}

// What reductions leave out of a view, and the notes that stand in its place.

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

/** What each note of a reduction stands for: heads, by the uuid of the note. */
export function stretchesOf(entry: JSONLEntry): ReadonlyMap<string, readonly string[]> {
  const notes = noteHeads(entry);
  const stretches = new Map<string, string[]>();
  let note = entry;
  for (const uuid of reductionOf(entry)?.removed ?? []) {
    note = notes.get(uuid) ?? note;
    const known = stretches.get(note.uuid);
    if (known === undefined) stretches.set(note.uuid, [uuid]);
    else known.push(uuid);
  }
  return stretches;
}

/** The same for all notes of a log. */
export function stretchesIn(entries: readonly JSONLEntry[]): ReadonlyMap<string, readonly string[]> {
  return new Map(entries.flatMap((entry) => (entry.subtype === 'reduction' ? [...stretchesOf(entry)] : [])));
}

/** These heads and notes, and whatever stands behind the notes among them, down to the messages. */
export function withAllBehind(
  uuids: Iterable<string>,
  stretches: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const all = new Set(uuids);
  // The loop also visits what it adds.
  for (const uuid of all) for (const head of stretches.get(uuid) ?? []) all.add(head);
  return all;
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
      // A later removal may have taken the note as well, and speaks for both.
      const last = this.#last(by, noted);
      return last === undefined ? [] : [this.#noteAtom(last)];
    });
  }

  /** Heads of the atoms in whose place a note stands. */
  places(atoms: readonly Atom[]): readonly JSONLEntry[] {
    const noted = new Set<JSONLEntry>();
    return atoms.flatMap(({ head }) => {
      const by = this.#by.get(head.uuid);
      return by === undefined || this.#last(by, noted) === undefined ? [] : [head];
    });
  }

  /** The note that speaks for this one; undefined where it stands already. */
  #last(note: JSONLEntry, noted: Set<JSONLEntry>): JSONLEntry | undefined {
    for (let one = note; !noted.has(one); ) {
      noted.add(one);
      const later = this.#by.get(one.uuid);
      if (later === undefined) return one;
      one = later;
    }
    return undefined;
  }

  #noteAtom(head: JSONLEntry): Atom {
    const known = this.#atoms.get(head);
    if (known !== undefined) return known;
    const atom: Atom = { kind: 'user', head, calls: [] };
    this.#atoms.set(head, atom);
    return atom;
  }
}

/** Notes that a compaction kept, by the first head of what they stand for: there they stay, several if need be. */
export function retainedNotes(
  past: readonly JSONLEntry[],
  kept: ReadonlySet<string>,
  undone: ReadonlySet<string>,
): ReadonlyMap<string, readonly JSONLEntry[]> {
  const notes = new Map<string, JSONLEntry[]>();
  for (const entry of past) {
    if (entry.subtype !== 'reduction' || undone.has(entry.uuid)) continue;
    for (const [at, head] of noteHeads(entry)) {
      if (!kept.has(head.uuid)) continue;
      // A restored step may have been removed again, under another note.
      const others = notes.get(at);
      if (others === undefined) notes.set(at, [head]);
      else others.push(head);
    }
  }
  return notes;
}
