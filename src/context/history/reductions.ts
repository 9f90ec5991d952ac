/** Entries that change what the projection shows of the log. */
import type { Reduction } from '../../protocol/entries/kinds/reduction.ts';
import { type EntryDraft, type JSONLEntry, kindOf } from '../../protocol/entries.ts';

/** The reduction that an entry records; undefined for other entries, and where a newer program wrote another shape. */
export function reductionOf(entry: JSONLEntry): Reduction | undefined {
  return entry.subtype === 'reduction' ? entry.data : undefined;
}

/** `note`: what the model reads in the place of what was left out; the reason where nothing is shown. */
export function reductionDraft(data: Reduction, note: string = data.reason): EntryDraft {
  return {
    type: 'system',
    subtype: 'reduction',
    message: { role: 'system', content: note },
    data,
  };
}

/** True for entries that change how earlier ones are seen. */
export function isReshaping(entry: JSONLEntry): boolean {
  return entry.isCompactSummary === true || kindOf(entry)?.reshapes === true;
}
