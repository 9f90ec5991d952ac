/**
 * Reductions: entries that remove earlier ones from requests or shorten them, and the notes that replace removed
 * entries.
 */
import type { Reduction } from '../../protocol/entries/kinds/compaction.ts';
import { type JSONLEntry, kindOf, type NewEntry } from '../../protocol/entries.ts';
import type { Atom } from './atoms.ts';

/** The reduction that an entry records; undefined for other entries and for unknown shapes of newer versions. */
export function reductionOf(entry: JSONLEntry): Reduction | undefined {
  return entry.subtype === 'reduction' ? entry.data : undefined;
}

/** `note`: text that the model reads instead of removed entries; by default the reason. */
export function reductionEntry(data: Reduction, note: string = data.reason): NewEntry {
  return {
    type: 'system',
    subtype: 'reduction',
    message: { role: 'system', content: note },
    data,
  };
}

/** True for entries that change the view of earlier ones. */
export function isReshaping(entry: JSONLEntry): boolean {
  return entry.isCompactSummary === true || kindOf(entry)?.affectsEarlierEntries === true;
}

// Entries removed from a view, and the notes that replace them.

/**
 * The notes of a reduction as heads of atoms: one per run of removed entries, by the uuid of the first head in the run.
 * A reduction without `notes` has a single note with its own text.
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

/** The head of one note. Has its own uuid, so that a compaction can keep one run and not another. */
function noteHead(entry: JSONLEntry, content: string, index: number): JSONLEntry {
  return Object.freeze({
    ...entry,
    uuid: `${entry.uuid}:${index}`,
    message: Object.freeze({ ...entry.message, content }),
  });
}

/** The heads that each note of a reduction replaces, by the uuid of the note. */
function replacedHeads(entry: JSONLEntry): ReadonlyMap<string, readonly string[]> {
  const notes = noteHeads(entry);
  const headsByNote = new Map<string, string[]>();
  let note = entry;
  for (const uuid of reductionOf(entry)?.removed ?? []) {
    note = notes.get(uuid) ?? note;
    const known = headsByNote.get(note.uuid);
    if (known === undefined) headsByNote.set(note.uuid, [uuid]);
    else known.push(uuid);
  }
  return headsByNote;
}

/** The same for all notes of a log. */
export function replacedHeadsIn(entries: readonly JSONLEntry[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    entries.flatMap((entry) => (entry.subtype === 'reduction' ? [...replacedHeads(entry)] : [])),
  );
}

/** These heads and notes, and everything that the notes among them replace, down to the messages. */
export function withReplaced(
  uuids: Iterable<string>,
  headsByNote: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const all = new Set(uuids);
  // The loop also visits uuids that it adds.
  for (const uuid of all) for (const head of headsByNote.get(uuid) ?? []) all.add(head);
  return all;
}

/** Tracks removed entries as the log grows; later reductions and restorations override earlier ones. */
export class Removals {
  /** Maps the uuid of a removed head to the note that replaces it. */
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

  /** Replaces removed atoms with notes: each note appears where the first removed atom of its run was. */
  applyTo(atoms: readonly Atom[]): readonly Atom[] {
    if (this.#by.size === 0) return atoms;
    const noted = new Set<JSONLEntry>();
    return atoms.flatMap((atom) => {
      const by = this.#by.get(atom.head.uuid);
      if (by === undefined) return [atom];
      if (noted.has(by)) return [];
      // A later removal may have removed the note itself; its note then replaces both.
      const last = this.#last(by, noted);
      return last === undefined ? [] : [this.#noteAtom(last)];
    });
  }

  /** Heads of the atoms that are replaced by a note. */
  places(atoms: readonly Atom[]): readonly JSONLEntry[] {
    const noted = new Set<JSONLEntry>();
    return atoms.flatMap(({ head }) => {
      const by = this.#by.get(head.uuid);
      return by === undefined || this.#last(by, noted) === undefined ? [] : [head];
    });
  }

  /** The last note that covers this one; undefined if it is already in the list. */
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

/** Notes that a compaction kept, by the first head that they replace: they stay at that place, several if necessary. */
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
      // A restored step may have been removed again with another note.
      const others = notes.get(at);
      if (others === undefined) notes.set(at, [head]);
      else others.push(head);
    }
  }
  return notes;
}
