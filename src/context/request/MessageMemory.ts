/**
 * Cache of built messages, so that a step only builds new ones. MemoryStore decides which entries' messages are kept;
 * messages of older entries are held weakly, and rebuilt from the log after the garbage collector has freed them. Token
 * counts are kept in both cases.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Message } from '../../protocol/messages.ts';
import type { Atom } from '../history/atoms.ts';
import { MemoryStore } from '../storage/MemoryStore.ts';
import type { BuiltAtom, Memo } from './standardMessages.ts';

/** A reference whose target may be gone, such as a `WeakRef`. */
interface WeakHandle {
  deref(): Message | undefined;
}

export class MessageMemory {
  readonly #store: MemoryStore;
  readonly #identify: (message: Message, name: object) => void;
  readonly #hold: (message: Message) => WeakHandle;
  readonly #resident = new WeakSet<JSONLEntry>();
  #slots = new WeakMap<JSONLEntry, Slot>();
  #atoms = new WeakMap<JSONLEntry, BuiltAtom & { readonly atom: Atom }>();

  /** `identify` gets each built message with a stable object for it: the same one whenever the message is rebuilt. */
  constructor(
    maxMessages: number,
    identify: (message: Message, name: object) => void,
    hold: (message: Message) => WeakHandle = (message) => new WeakRef(message),
  ) {
    this.#store = new MemoryStore(maxMessages);
    this.#identify = identify;
    this.#hold = hold;
  }

  /** Number of entries whose messages are kept. */
  get count(): number {
    return this.#store.getMessageCount();
  }

  /** Entries whose messages are kept, oldest first. */
  resident(): readonly JSONLEntry[] {
    return this.#store.getMessages();
  }

  /** Adds an entry of the log; the oldest may be dropped for it. Entries are frozen, so they are not copied. */
  learn(entry: JSONLEntry): void {
    this.#resident.add(entry);
    for (const left of this.#store.addMessage(entry)) this.#drop(left);
  }

  /** Drops all messages, because they are built differently from now on. */
  forget(): void {
    this.#slots = new WeakMap();
    this.#atoms = new WeakMap();
  }

  readonly memo: Memo<JSONLEntry, Message> = {
    get: (entry) => {
      const slot = this.#slots.get(entry);
      return slot?.kept ?? slot?.held?.deref();
    },
    set: (entry, message) => {
      const calls = message.role === 'assistant' ? message.toolCalls.length : 0;
      let slot = this.#slots.get(entry);
      if (slot?.calls !== calls) {
        slot = { calls, kept: undefined, held: undefined };
        this.#slots.set(entry, slot);
      }
      if (this.#resident.has(entry)) slot.kept = message;
      else slot.held = this.#hold(message);
      this.#identify(message, slot);
    },
  };

  readonly atomMemo: Memo<Atom, BuiltAtom> = {
    get: (atom) => {
      const built = this.#atoms.get(atom.head);
      return built?.atom === atom ? built : undefined;
    },
    set: (atom, built) => {
      if (this.#resident.has(atom.head)) this.#atoms.set(atom.head, { ...built, atom });
    },
  };

  #drop(entry: JSONLEntry): void {
    this.#resident.delete(entry);
    this.#atoms.delete(entry);
    const slot = this.#slots.get(entry);
    if (slot?.kept === undefined) return;
    slot.held = this.#hold(slot.kept);
    slot.kept = undefined;
  }
}

/** An entry's message for a number of calls: a reply changes while its calls are recorded. */
interface Slot {
  readonly calls: number;
  kept: Message | undefined;
  held: WeakHandle | undefined;
}
