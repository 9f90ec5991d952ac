/** Entries that are in effect: undone entries have no effect, and rewound ones are not in the conversation. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { createGrowth } from './foldLog.ts';

export interface Live {
  /** In log order, without rewound entries. */
  readonly entries: readonly JSONLEntry[];
  /** Uuids named by an undo that is not itself undone. */
  readonly undone: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/**
 * Finds the entries in effect. Reads from the newest to the oldest, since a later undo can undo an earlier one, and a
 * rewind hides everything that it skips, including undos and rewinds.
 */
export function liveEntries(entries: readonly JSONLEntry[]): Live {
  if (!entries.some(isCorrection)) return { entries, undone: nothing };
  const positions = new Map(entries.map(({ uuid }, index) => [uuid, index]));
  const undone = new Set<string>();
  const live: JSONLEntry[] = [];
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined) continue;
    live.push(entry);
    if (!isCorrection(entry) || undone.has(entry.uuid)) continue;
    if (entry.subtype === 'undo') {
      for (const uuid of undoneBy(entry)) undone.add(uuid);
      continue;
    }
    const target = positions.get(rewindTarget(entry) ?? '');
    if (target !== undefined && target < index) index = target + 1;
  }
  return { entries: live.reverse(), undone };
}

/** Incremental version for a growing log; recomputes everything only after a correction. */
export class LiveLog {
  readonly #growth = createGrowth();
  #live: Live = { entries: [], undone: nothing };
  /** True until the first correction. */
  #isWhole = true;

  of(entries: readonly JSONLEntry[]): Live {
    const from = this.#growth.readTo(entries);
    if (from === entries.length && from > 0) return this.#live;
    const later = entries.slice(from);
    if (from === 0 || later.some(isCorrection)) {
      this.#live = liveEntries(entries);
      this.#isWhole = this.#live.entries === entries;
    } else if (this.#isWhole) this.#live = { entries, undone: nothing };
    else this.#live = { ...this.#live, entries: [...this.#live.entries, ...later] };
    return this.#live;
  }
}

/** Uuids that an undo entry names. */
export function undoneBy(entry: JSONLEntry): readonly string[] {
  return (entry.subtype === 'undo' ? entry.data?.undoes : undefined) ?? [];
}

/** Uuid of the last entry that stays after a rewind. */
export function rewindTarget(entry: JSONLEntry): string | undefined {
  return entry.subtype === 'rewind' ? entry.data?.to : undefined;
}

/** True for entries that change which earlier entries are in effect. */
export function isCorrection({ subtype }: JSONLEntry): boolean {
  return subtype === 'undo' || subtype === 'rewind';
}
