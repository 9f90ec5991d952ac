/** What is known of a log that grows, worked out as it grows: each entry is looked at once, however long the session is. */
import type { JSONLEntry } from '../../protocol/entries.ts';

/**
 * A function of the log, from `start` on one entry at a time; what `add` returns is not changed afterwards. Of a log
 * that has grown since the last call only what is new is read; any other (its past has left memory, it was read
 * anew) is read from its first entry.
 */
export function foldLog<State>(
  start: State,
  add: (state: State, entry: JSONLEntry) => State,
): (entries: readonly JSONLEntry[]) => State {
  let state = start;
  const growth = createGrowth();
  return (entries) => {
    const from = growth.readTo(entries);
    if (from === 0) state = start;
    for (let index = from; index < entries.length; index++) {
      const entry = entries[index];
      if (entry !== undefined) state = add(state, entry);
    }
    return state;
  };
}

/** Remembers how far a log was read. */
export interface Growth {
  /** Index of the first entry that is new; 0 where this is not the log of the last call, grown. */
  readTo(entries: readonly JSONLEntry[]): number;
}

export function createGrowth(): Growth {
  let read = 0;
  let first: JSONLEntry | undefined;
  let last: JSONLEntry | undefined;
  return {
    readTo(entries) {
      // What stands for a past is first or second; entries keep their order, so with both ends all between is the same.
      const isGrown = read > 0 && entries[read - 1] === last && entries[Math.min(1, read - 1)] === first;
      const from = isGrown ? read : 0;
      read = entries.length;
      first = entries[Math.min(1, read - 1)];
      last = entries[read - 1];
      return from;
    },
  };
}
