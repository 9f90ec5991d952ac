/** Epochs: between two reductions the request only grows at its end. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isPrompt } from './atoms.ts';
import { liveEntries, undoneBy } from './live.ts';
import { reductionOf } from './reductions.ts';

/**
 * Names the state that a summary is written for: it changes when anything before its end is summarised,
 * removed, restored, undone or rewound. Masks only shorten what is there, so they change nothing.
 */
export function epochOf(entries: readonly JSONLEntry[]): string {
  return entries.findLast(startsEpoch)?.uuid ?? 'start';
}

function startsEpoch(entry: JSONLEntry): boolean {
  if (entry.subtype === 'reduction') {
    const kind = reductionOf(entry)?.kind;
    return kind === 'remove' || kind === 'drop' || kind === 'restore';
  }
  return entry.subtype === 'compact_boundary' || entry.subtype === 'undo' || entry.subtype === 'rewind';
}

/** After the user took a compaction back, nothing is reduced by itself until they say something new. */
export function restsUntilPrompt(entries: readonly JSONLEntry[]): boolean {
  const undo = entries.findLastIndex((entry) => entry.subtype === 'undo' && undoneBy(entry).length > 0);
  return undo !== -1 && !entries.slice(undo).some(isPrompt) && liveEntries(entries).undone.size > 0;
}

/** Summaries that failed since one was had, or since another model was chosen. */
export function failuresInARow(entries: readonly JSONLEntry[]): number {
  let failures = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.subtype === 'summary_failed') failures++;
    if (entry?.subtype === 'model') break;
    if (entry?.subtype === 'compact_boundary' && entry.compactMetadata?.success !== false) break;
  }
  return failures;
}
