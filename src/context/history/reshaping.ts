import { type JSONLEntry, kindOf } from '../../protocol/entries.ts';

/** True for entries that change how earlier ones are seen. */
export function isReshaping(entry: JSONLEntry): boolean {
  return entry.isCompactSummary === true || kindOf(entry)?.reshapes === true;
}
