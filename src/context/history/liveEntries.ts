/** Which entries count: what was undone has no effect, and what was rewound is not part of the conversation. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { createGrowth } from './foldLog.ts';

export interface Live {
  /** In log order, without what was rewound. */
  readonly entries: readonly JSONLEntry[];
  /** Uuids of entries that an undo, itself not undone, names. */
  readonly undone: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/**
 * Read from the newest to the oldest, since a later undo decides about an earlier one, and a rewind hides
 * whatever it goes back over, other undos and rewinds included.
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

/** The same for a log that grows: all of it is gone through again only when a correction comes. */
export class LiveLog {
  readonly #growth = createGrowth();
  #live: Live = { entries: [], undone: nothing };
  /** True while nothing was ever corrected. */
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

/** What an undo entry names. */
export function undoneBy(entry: JSONLEntry): readonly string[] {
  return (entry.subtype === 'undo' ? entry.data?.undoes : undefined) ?? [];
}

/** The last entry that stays after a rewind. */
export function rewindTarget(entry: JSONLEntry): string | undefined {
  return entry.subtype === 'rewind' ? entry.data?.to : undefined;
}

/** True for what decides about earlier entries. */
export function isCorrection({ subtype }: JSONLEntry): boolean {
  return subtype === 'undo' || subtype === 'rewind';
}
