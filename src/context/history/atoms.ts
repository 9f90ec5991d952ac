/**
 * Atoms: entries that must stay together. A user-side entry is an atom, and so is a reply with all its calls and their
 * results. All reductions work on atoms, so none can separate a call from its result.
 */
import { type JSONLEntry, kindOf, type NewEntry } from '../../protocol/entries.ts';

export interface AtomCall {
  readonly call: JSONLEntry;
  /** Absent while the call runs, or if the program was stopped during it. */
  readonly result: JSONLEntry | undefined;
}

export interface Atom {
  readonly kind: 'user' | 'reply';
  /** The user-side entry or the assistant's reply. */
  readonly head: JSONLEntry;
  readonly calls: readonly AtomCall[];
}

/**
 * Groups entries into atoms, in the order of their heads: an entry between a call and its result comes after the atom.
 * Skips results without a call and entries that the model never sees.
 */
export function groupAtoms(entries: Iterable<JSONLEntry>): readonly Atom[] {
  const grouper = new AtomGrouper();
  for (const entry of entries) grouper.add(entry);
  return grouper.atoms();
}

/** Incremental version for a growing log: each entry is processed once, and returned atoms never change. */
export class AtomGrouper {
  readonly #atoms: Atom[] = [];
  /** Calls of replies that changed since the last snapshot, by atom index: only these may be modified. */
  readonly #fresh = new Map<number, AtomCall[]>();
  /** Number of atoms that the last `take` returned. */
  #reportedCount = 0;
  /** Index of the reply whose calls are being read; they follow it directly. */
  #reply: number | undefined;
  /**
   * Positions of the calls that wait for a result, by id. Providers reuse ids (`call_0` in every reply), so an id
   * refers to the latest reply that has it.
   */
  readonly #latest = new Map<string, { readonly reply: number; readonly waiting: number[] }>();

  /** A snapshot of the atoms. */
  atoms(): readonly Atom[] {
    return [...this.take().atoms];
  }

  /**
   * Returns all atoms, in a list that keeps growing, and the indices of atoms that are new or changed since the last
   * call.
   */
  take(): { readonly atoms: readonly Atom[]; readonly changed: readonly number[] } {
    const changed = [...this.#fresh.keys()].filter((index) => index < this.#reportedCount);
    for (let index = this.#reportedCount; index < this.#atoms.length; index++) changed.push(index);
    this.#fresh.clear();
    this.#reportedCount = this.#atoms.length;
    return { atoms: this.#atoms, changed };
  }

  /** Adds a note that replaces entries that were left out. */
  addNote(entry: JSONLEntry): void {
    this.#reply = undefined;
    this.#start('user', entry);
  }

  add(entry: JSONLEntry): void {
    if (entry.type === 'assistant') {
      this.#reply = this.#start('reply', entry);
    } else if (entry.type === 'tool_use' && entry.tool !== undefined) {
      // If the reply of a call is lost (a damaged line), the call becomes the head.
      this.#reply ??= this.#start('reply', entry);
      const at = this.#callsOf(this.#reply).push({ call: entry, result: undefined }) - 1;
      const known = this.#latest.get(entry.tool.id);
      if (known?.reply === this.#reply) known.waiting.push(at);
      else this.#latest.set(entry.tool.id, { reply: this.#reply, waiting: [at] });
    } else if (entry.type === 'tool_result' && entry.toolResult !== undefined) {
      this.#reply = undefined;
      const { reply = 0, waiting = [] } = this.#latest.get(entry.toolResult.id) ?? {};
      const at = waiting.shift();
      if (at === undefined) return;
      const calls = this.#callsOf(reply);
      const open = calls[at];
      if (open !== undefined) calls[at] = { ...open, result: entry };
    } else if (isUserSide(entry)) {
      this.#reply = undefined;
      this.#start('user', entry);
    }
  }

  #start(kind: Atom['kind'], head: JSONLEntry): number {
    return this.#atoms.push({ kind, head, calls: [] }) - 1;
  }

  /** The calls of an atom for modification; copied if a snapshot already contains them. */
  #callsOf(index: number): AtomCall[] {
    const fresh = this.#fresh.get(index);
    if (fresh !== undefined) return fresh;
    const atom = this.#atoms[index];
    const calls = [...(atom?.calls ?? [])];
    if (atom !== undefined) this.#atoms[index] = { ...atom, calls };
    this.#fresh.set(index, calls);
    return calls;
  }
}

/** True for entries that the model receives as a user message. */
export function isUserSide(entry: JSONLEntry): boolean {
  if (entry.isCompactSummary === true) return false;
  if (entry.subtype !== undefined) return kindOf(entry)?.modelAccess === 'sent';
  return entry.type === 'user' || entry.type === 'system';
}

/** True for a prompt of the user, which starts a turn; false for notes of the program and for `!commands`. */
export function isPrompt(entry: JSONLEntry): boolean {
  const { type, subtype, isCompactSummary } = entry;
  return type === 'user' && isCompactSummary !== true && (subtype === 'prompt' || subtype === undefined);
}

/**
 * Where the part of a prompt begins that the user did not type, such as piped input; undefined if there is none, or
 * nothing before it.
 */
export function notTypedAt(text: string, entry: JSONLEntry | NewEntry): number | undefined {
  const typed = entry.subtype === 'prompt' ? entry.data?.typed : undefined;
  if (typeof typed !== 'string' || typed.trim() === '') return undefined;
  const lead = `${typed}\n\n`;
  return text.startsWith(lead) && text.length > lead.length ? lead.length : undefined;
}

/** The entries of an atom in log order: head, calls, results. */
export function atomEntries(atom: Atom): JSONLEntry[] {
  const calls = atom.calls.map(({ call }) => call).filter((call) => call !== atom.head);
  const results = atom.calls.flatMap(({ result }) => result ?? []);
  return [atom.head, ...calls, ...results];
}
