/** Incremental functions of a growing log: each entry is processed once, however long the session is. */
import type { JSONLEntry } from '../../protocol/entries.ts';

/**
 * Returns a function that folds the log with `add`, starting from `start`; states must not be mutated. If the log has
 * grown since the last call, only new entries are processed; any other log (evicted or loaded again) is processed from
 * its first entry.
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
interface Growth {
  /** Index of the first new entry; 0 if this is not the log of the last call with entries appended. */
  readTo(entries: readonly JSONLEntry[]): number;
}

export function createGrowth(): Growth {
  let read = 0;
  let first: JSONLEntry | undefined;
  let last: JSONLEntry | undefined;
  return {
    readTo(entries) {
      // The entry for an evicted part is first or second, and entries keep their order, so comparing both ends is
      // enough.
      const isGrown = read > 0 && entries[read - 1] === last && entries[Math.min(1, read - 1)] === first;
      const from = isGrown ? read : 0;
      read = entries.length;
      first = entries[Math.min(1, read - 1)];
      last = entries[read - 1];
      return from;
    },
  };
}
