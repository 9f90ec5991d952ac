/** Epochs: within an epoch, between two reductions, the request only grows at its end. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isPrompt } from './atoms.ts';
import { foldLog } from './foldLog.ts';
import { type Live, undoneBy } from './liveEntries.ts';
import { reductionOf } from './reductions.ts';

/**
 * Identifies the state for which a summary is written: changes when earlier entries are summarised, removed, restored,
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
