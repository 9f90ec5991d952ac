/**
 * The view: the part of a log that the model sees after compactions and reductions, before messages are built. A pure
 * function of the log that refers to entries by id.
 */
import type { JSONLEntry, KindEntry } from '../../protocol/entries.ts';
import { type KeptMessage, messagesNamed } from '../compaction/summaryMessage.ts';
import { pinnedInstructions } from '../memory/instructions.ts';
import { NOTE_FORMAT, type NoteKey } from '../request/systemNotes.ts';
import { isNoteKey } from '../storage/newEntries.ts';
import { type Atom, AtomGrouper } from './atoms.ts';
import { keptBy, lastCompaction } from './compactions.ts';
import { createGrowth, type Live, liveEntries } from './liveEntries.ts';
import { isReshaping, Removals, reductionOf, retainedNotes } from './reductions.ts';

export interface View {
  readonly systemPrompt: string;
  /** Key of the program's notes; undefined in sessions of earlier versions. */
  readonly noteKey?: NoteKey;
  /** True if notes contain only the program's words (request/untrustedText.ts). */
  readonly keepsApart?: boolean;
  /** Pinned instructions, one entry per file; empty while instructions are in `atoms`. */
  readonly instructions: readonly JSONLEntry[];
  readonly summary: JSONLEntry | undefined;
  /** Earlier user messages that the summary message quotes. */
  readonly userMessages: readonly KeptMessage[];
  readonly atoms: readonly Atom[];
  /** Replacements for the output of tool results, by uuid of the result's entry. */
  readonly replacements: ReadonlyMap<string, string>;
  /** Uuids of heads that the user pinned. */
  readonly pinned: ReadonlySet<string>;
}

/** Computes the view of a log. */
export function viewOf(entries: readonly JSONLEntry[]): View {
  return new LogView().of(entries);
}

/** Incremental version for a growing log; everything is processed again only if a reduction changes it. */
export class LogView {
  readonly #growth = createGrowth();
  #view: View | undefined;
  #atoms = new ShownAtoms();

  /** `entries` are those of the last call with new ones appended, or a reloaded log. */
  of(entries: readonly JSONLEntry[]): View {
    const from = this.#growth.readTo(entries);
    const known = from > 0 ? this.#view : undefined;
    if (known !== undefined && entries.length === from) return known;
    const later = entries.slice(from);
    if (known === undefined || later.some(isReshaping)) return this.#start(liveEntries(entries));
    for (const entry of later) this.#atoms.add(entry);
    this.#view = { ...known, atoms: this.#atoms.list() };
    return this.#view;
  }

  #start({ entries, undone }: Live): View {
    const at = lastCompaction(entries, undone);
    const before = entries.slice(0, Math.max(0, at));
    const kept = new Set(keptBy(entries[at], before));
    // Only later restorations: the compaction has already kept or dropped what was restored before it.
    for (const uuid of restoredIn(entries.slice(at + 1), undone)) kept.add(uuid);
    const replacements = new Map<string, string>();
    const pinned = new Set<string>();
    const instructions: JSONLEntry[] = [];
    let systemPrompt: string | undefined;
    let noteKey: NoteKey;
    let keepsApart = false;
    this.#atoms = new ShownAtoms();
    const notes = retainedNotes(before, kept, undone);
    for (const [index, entry] of entries.entries()) {
      if (undone.has(entry.uuid)) continue;
      const isPast = index < at;
      for (const note of (isPast ? notes.get(entry.uuid) : undefined) ?? []) this.#atoms.addNote(note);
      if (entry.subtype === 'session_start') {
        systemPrompt ??= entry.data?.systemPrompt ?? '';
        if (noteKey === undefined) keepsApart = entry.data?.noteFormat === NOTE_FORMAT;
        noteKey ??= noteKeyOf(entry);
      } else if (entry.subtype === 'pin') changePin(pinned, entry);
      else if (entry.subtype === 'reduction') this.#learn(entry, replacements);
      else if (index > at + 1 || at === -1) this.#atoms.add(entry);
      else if (isPast) {
        if (entry.subtype === 'instructions') instructions.push(entry);
        else if (kept.has(entry.uuid)) this.#atoms.add(entry);
      }
    }
    this.#view = {
      systemPrompt: systemPrompt ?? '',
      noteKey,
      keepsApart,
      // Instructions that the user dropped stay out even if a compaction would pin them.
      instructions: pinnedInstructions(instructions.filter((entry) => !this.#atoms.removals.has(entry))),
      summary: at === -1 ? undefined : entries[at + 1],
      userMessages: messagesNamed(entries[at]?.compactMetadata?.userMessages, before).filter(
        ({ entry }) => !this.#atoms.removals.has(entry) && !kept.has(entry.uuid),
      ),
      atoms: this.#atoms.list(),
      replacements,
      pinned,
    };
    return this.#view;
  }

  #learn(entry: JSONLEntry, replacements: Map<string, string>): void {
    const reduction = reductionOf(entry);
    if (reduction === undefined) return;
    for (const { uuid, output } of reduction.replacements ?? []) replacements.set(uuid, output);
    for (const uuid of reduction.restored ?? []) replacements.delete(uuid);
    this.#atoms.removals.learn(entry, reduction);
  }
}

function restoredIn(entries: readonly JSONLEntry[], undone: ReadonlySet<string>): string[] {
  return entries.flatMap((entry) => (undone.has(entry.uuid) ? [] : (reductionOf(entry)?.restored ?? [])));
}

function changePin(pinned: Set<string>, { data }: KindEntry<'pin'>): void {
  if (data?.uuid === undefined) return;
  if (data.pinned === false) pinned.delete(data.uuid);
  else pinned.add(data.uuid);
}

function noteKeyOf({ data }: KindEntry<'session_start'>): NoteKey {
  return isNoteKey(data?.noteKey) ? data.noteKey : undefined;
}

// The atoms of a view without removed ones, as the log grows. Returned lists never change.

class ShownAtoms {
  /** Removed atoms; after more removals the view is computed from the start. */
  readonly removals = new Removals();
  readonly #grouper = new AtomGrouper();
  /** Number of the log's atoms that were processed. */
  #taken = 0;
  #list: readonly Atom[] = [];
  readonly #placeOf = new Map<JSONLEntry, number>();

  add(entry: JSONLEntry): void {
    this.#grouper.add(entry);
  }

  /** Adds a note that replaces entries that were left out. */
  addNote(entry: JSONLEntry): void {
    this.#grouper.addNote(entry);
  }

  /** The list of atoms; processes only those that changed since the last call. */
  list(): readonly Atom[] {
    const { atoms, changed } = this.#grouper.take();
    const isNew = (index: number): boolean => index >= this.#taken;
    // A new atom that an earlier removal names needs its note placed, so recompute the list.
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
