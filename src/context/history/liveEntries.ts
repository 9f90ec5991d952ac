/** Entries that are in effect: undone entries have no effect, and rewound ones are not in the conversation. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isPrompt } from './atoms.ts';
import { reductionOf } from './reductions.ts';

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

// Incremental functions of a growing log: each entry is processed once, however long the session is.

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

// Epochs: within an epoch, between two reductions, the request only grows at its end.

/**
 * Identifies the state for which a summary is written: changes when earlier entries are summarized, removed, restored,
 * undone or rewound. Masking only shortens entries and does not change it.
 */
export function epochOf(entries: readonly JSONLEntry[]): string {
  return followEpoch()(entries);
}

/** Incremental version for a growing log. */
export function followEpoch(): (entries: readonly JSONLEntry[]) => string {
  return foldLog('start', (epoch, entry) => (startsEpoch(entry) ? entry.uuid : epoch));
}

function startsEpoch(entry: JSONLEntry): boolean {
  if (entry.subtype === 'reduction') {
    const kind = reductionOf(entry)?.kind;
    return kind === 'remove' || kind === 'drop' || kind === 'restore';
  }
  return entry.subtype === 'compact_boundary' || entry.subtype === 'undo' || entry.subtype === 'rewind';
}

/** True after the user undid a compaction: until the next prompt nothing is reduced automatically. */
export function restsUntilPrompt(entries: readonly JSONLEntry[], { undone }: Pick<Live, 'undone'>): boolean {
  if (undone.size === 0) return false;
  const last = entries.findLast((entry) => isPrompt(entry) || isUndo(entry));
  return last !== undefined && isUndo(last);
}

function isUndo(entry: JSONLEntry): boolean {
  return entry.subtype === 'undo' && undoneBy(entry).length > 0;
}

/** Number of failed summaries since the last successful one or the last model change; incremental. */
export function followFailures(): (entries: readonly JSONLEntry[]) => number {
  return foldLog(0, (failures, { subtype, compactMetadata }) => {
    if (subtype === 'summary_failed') return failures + 1;
    const isOver =
      subtype === 'model' || (subtype === 'compact_boundary' && compactMetadata?.success !== false);
    return isOver ? 0 : failures;
  });
}

/**
 * Seq of the prompt that started the current turn, or the seq after the last turn's end; 0 before the first turn. A
 * prompt that arrives during tool calls belongs to the running turn.
 */
export function turnStart(entries: readonly JSONLEntry[]): number {
  let start = 0;
  let isWorking = false;
  for (const entry of entries) {
    if (isPrompt(entry) && !isWorking) start = entry.seq;
    if (isPrompt(entry) || entry.type === 'tool_use' || entry.type === 'tool_result') isWorking = true;
    else if (entry.type === 'assistant') isWorking = false;
    else if (entry.subtype === 'turn_end') {
      isWorking = false;
      start = entry.seq + 1;
    }
  }
  return start;
}
