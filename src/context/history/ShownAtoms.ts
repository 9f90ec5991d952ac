/** The atoms of a view as its log grows: without what reductions leave out. A list that was given out never changes. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type Atom, AtomGrouper } from './atoms.ts';
import { Removals } from './removals.ts';

export class ShownAtoms {
  /** What is left out; whoever learns of more begins anew. */
  readonly removals = new Removals();
  readonly #grouper = new AtomGrouper();
  /** How many atoms of the log are in the list or left out of it. */
  #taken = 0;
  #list: readonly Atom[] = [];
  readonly #placeOf = new Map<JSONLEntry, number>();

  add(entry: JSONLEntry): void {
    this.#grouper.add(entry);
  }

  /** A note of the program in the place of what was left out. */
  addNote(entry: JSONLEntry): void {
    this.#grouper.addNote(entry);
  }

  /** Takes what only a few have changed since the last call: the rest is not looked at again. */
  list(): readonly Atom[] {
    const { atoms, changed } = this.#grouper.take();
    const isNew = (index: number): boolean => index >= this.#taken;
    // What a removal named before it came stands somewhere in a stretch, with a note for all of it.
    const isOdd = changed.some((index) => isNew(index) && this.#isLeftOut(atoms[index]));
    if (this.#taken === 0 || isOdd) this.#begin(atoms);
    else if (changed.length > 0) this.#change(changed.flatMap((index) => atoms[index] ?? []));
    this.#taken = atoms.length;
    return this.#list;
  }

  #begin(atoms: readonly Atom[]): void {
    this.#list = [...this.removals.applyTo(atoms)];
    this.#placeOf.clear();
    for (const [index, { head }] of this.#list.entries()) this.#placeOf.set(head, index);
  }

  #change(changed: readonly Atom[]): void {
    const list = [...this.#list];
    for (const atom of changed) {
      if (this.#isLeftOut(atom)) continue;
      const place = this.#placeOf.get(atom.head) ?? list.length;
      list[place] = atom;
      this.#placeOf.set(atom.head, place);
    }
    this.#list = list;
  }

  #isLeftOut(atom: Atom | undefined): boolean {
    return atom !== undefined && this.removals.has(atom.head);
  }
}
