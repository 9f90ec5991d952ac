/** Epochs: between two reductions the request only grows at its end. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isPrompt } from './atoms.ts';
import { foldLog } from './foldLog.ts';
import { type Live, undoneBy } from './liveEntries.ts';
import { reductionOf } from './reductions.ts';

/**
 * Names the state that a summary is written for: it changes when anything before its end is summarised,
 * removed, restored, undone or rewound. Masks only shorten what is there, so they change nothing.
 */
export function epochOf(entries: readonly JSONLEntry[]): string {
  return followEpoch()(entries);
}

/** The same of a log that grows. */
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

/** After the user undid a compaction, nothing is reduced automatically until their next message. */
export function restsUntilPrompt(entries: readonly JSONLEntry[], { undone }: Pick<Live, 'undone'>): boolean {
  if (undone.size === 0) return false;
  const last = entries.findLast((entry) => isPrompt(entry) || isUndo(entry));
  return last !== undefined && isUndo(last);
}

function isUndo(entry: JSONLEntry): boolean {
  return entry.subtype === 'undo' && undoneBy(entry).length > 0;
}

/** Summaries that failed since one was had, or since another model was chosen, in a log that grows. */
export function followFailures(): (entries: readonly JSONLEntry[]) => number {
  return foldLog(0, (failures, { subtype, compactMetadata }) => {
    if (subtype === 'summary_failed') return failures + 1;
    const isOver =
      subtype === 'model' || (subtype === 'compact_boundary' && compactMetadata?.success !== false);
    return isOver ? 0 : failures;
  });
}

/**
 * Position of the prompt with which the current turn began, or of the end of the last one; 0 before any. A prompt that
 * came while the model was still calling tools belongs to the turn that ran.
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
