/**
 * Atoms: what may never be parted. A user-side entry is one; so is a reply with all its calls and all their
 * results. Every cut works on atoms, so no cut can leave a call without its result.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';

export interface AtomCall {
  readonly call: JSONLEntry;
  /** Absent while it runs, or when the program was stopped in it. */
  readonly result: JSONLEntry | undefined;
}

export interface Atom {
  readonly kind: 'user' | 'reply';
  /** The user-side entry, or the assistant's. */
  readonly head: JSONLEntry;
  readonly calls: readonly AtomCall[];
}

/**
 * Groups entries into atoms, in the order of their heads: what came between a call and its results stands
 * behind the atom. Results without a call and entries that the model never sees are left out.
 */
export function groupAtoms(entries: readonly JSONLEntry[]): Atom[] {
  const atoms: OpenAtom[] = [];
  /** The reply whose calls are being read; its calls follow it directly. */
  let reply: OpenAtom | undefined;
  /** Providers reuse ids (`call_0` in every reply), so an id means the calls of the latest reply that has it. */
  const latest = new Map<string, { atom: OpenAtom; calls: OpenCall[] }>();
  for (const entry of entries) {
    if (entry.type === 'assistant') {
      reply = { kind: 'reply', head: entry, calls: [] };
      atoms.push(reply);
    } else if (entry.type === 'tool_use' && entry.tool !== undefined) {
      // A call whose reply is lost (a damaged line) stands for it.
      if (reply === undefined) {
        reply = { kind: 'reply', head: entry, calls: [] };
        atoms.push(reply);
      }
      const open: OpenCall = { call: entry, result: undefined };
      reply.calls.push(open);
      const known = latest.get(entry.tool.id);
      if (known?.atom === reply) known.calls.push(open);
      else latest.set(entry.tool.id, { atom: reply, calls: [open] });
    } else if (entry.type === 'tool_result' && entry.toolResult !== undefined) {
      reply = undefined;
      const open = latest.get(entry.toolResult.id)?.calls.find((call) => call.result === undefined);
      if (open !== undefined) open.result = entry;
    } else if (isUserSide(entry)) {
      reply = undefined;
      atoms.push({ kind: 'user', head: entry, calls: [] });
    }
  }
  return atoms;
}

/** True for entries that reach the model as a user message. */
export function isUserSide(entry: JSONLEntry): boolean {
  if (entry.isCompactSummary === true) return false;
  if (entry.subtype !== undefined) return userSubtypes.has(entry.subtype);
  return entry.type === 'user' || entry.type === 'system';
}

/** True for what the user said, as against notes of the program. */
export function isPrompt(entry: JSONLEntry): boolean {
  return entry.type === 'user' && entry.isCompactSummary !== true && promptSubtypes.has(entry.subtype);
}

/** The entries of an atom in log order: head, calls, results. */
export function atomEntries(atom: Atom): JSONLEntry[] {
  const calls = atom.calls.map(({ call }) => call).filter((call) => call !== atom.head);
  const results = atom.calls.flatMap(({ result }) => result ?? []);
  return [atom.head, ...calls, ...results];
}

interface OpenCall {
  readonly call: JSONLEntry;
  result: JSONLEntry | undefined;
}

interface OpenAtom extends Atom {
  readonly calls: OpenCall[];
}

const userSubtypes: ReadonlySet<string> = new Set([
  'prompt',
  'shell',
  'environment',
  'mode',
  'reminder',
  'nudge',
  'instructions',
]);

const promptSubtypes: ReadonlySet<string | undefined> = new Set(['prompt', undefined]);
