/**
 * The entries of a session that are kept in memory. Beyond `maxSize` the oldest are dropped, down to 80 %: only whole
 * atoms, and never entries that every request needs (header, instructions, the last summary and the entries it kept).
 * Dropped entries are still in the log.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { retainedBy } from '../history/compactions.ts';
import { frozenCopy } from './newEntries.ts';

const residentShare = 0.8;

export class MemoryStore {
  readonly #maxSize: number;
  #resident: JSONLEntry[] = [];
  #total = 0;
  /** Size at which the next trim runs. Exceeds `maxSize` only if pinned entries alone do. */
  #room: number;

  constructor(maxSize = 1000) {
    this.#maxSize = maxSize;
    this.#room = maxSize;
  }

  /** Adds an entry; returns the entries dropped for it, oldest first. */
  addMessage(entry: JSONLEntry): readonly JSONLEntry[] {
    this.#total += 1;
    this.#resident.push(frozenCopy(entry));
    return this.#enforceLimit();
  }

  /** Replaces all entries. Returns the new entries that did not fit. */
  setMessages(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
    this.#total = entries.length;
    this.#resident = entries.map(frozenCopy);
    this.#room = this.#maxSize;
    return this.#enforceLimit();
  }

  /** The entries in memory, oldest first, as a new array. */
  getMessages(): JSONLEntry[] {
    return [...this.#resident];
  }

  /** Number of entries in memory. */
  getMessageCount(): number {
    return this.#resident.length;
  }

  /** Number of entries added, including those dropped since. */
  getTotalCount(): number {
    return this.#total;
  }

  clear(): void {
    this.#resident = [];
    this.#total = 0;
    this.#room = this.#maxSize;
  }

  #enforceLimit(): readonly JSONLEntry[] {
    if (this.#resident.length <= this.#room) return none;
    const before = this.#resident;
    this.#resident = trimAtAtoms(before, Math.floor(this.#maxSize * residentShare));
    // Avoids trimming again at every new entry if most of the rest is pinned.
    this.#room = Math.max(this.#maxSize, Math.floor(this.#resident.length / residentShare));
    const stayed = new Set(this.#resident);
    return before.filter((entry) => !stayed.has(entry));
  }
}

const none: readonly JSONLEntry[] = [];

/**
 * Drops the oldest entries until at most `target` are left, or as close as atoms and pins allow; the newest atom always
 * stays.
 */
export function trimAtAtoms(entries: readonly JSONLEntry[], target: number): JSONLEntry[] {
  const pinned = pinnedIn(entries);
  const cuts = cutsIn(entries);
  let excess = entries.length - target;
  let cut = 0;
  for (const next of cuts) {
    if (excess <= 0) break;
    for (let index = cut; index < next; index += 1) if (!pinned.has(index)) excess -= 1;
    cut = next;
  }
  return entries.filter((_, index) => index >= cut || pinned.has(index));
}

/** Indices before which the list can be cut without separating a reply from its calls or a call from its result. */
function cutsIn(entries: readonly JSONLEntry[]): number[] {
  const cuts: number[] = [];
  const open = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    if (entry.type === 'assistant') open.clear(); // calls without a result by the next reply never get one
    const inside = entry.type === 'tool_use' || entry.type === 'tool_result' || open.size > 0;
    if (index > 0 && !inside && !entry.isCompactSummary) cuts.push(index);
    if (entry.tool) open.add(entry.tool.id);
    if (entry.toolResult) open.delete(entry.toolResult.id);
  }
  return cuts;
}

function pinnedIn(entries: readonly JSONLEntry[]): Set<number> {
  const summary = entries.findLastIndex((entry) => entry.isCompactSummary);
  const boundary = entries[summary - 1]?.subtype === 'compact_boundary' ? summary - 1 : summary;
  const retained = retainedBy(entries[boundary], entries);
  const pinned = new Set<number>();
  for (const [index, { subtype, uuid }] of entries.entries()) {
    const always = subtype === 'session_start' || subtype === 'instructions';
    if (always || retained.has(uuid) || (summary >= 0 && (index === summary || index === boundary)))
      pinned.add(index);
  }
  return pinned;
}
