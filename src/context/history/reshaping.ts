import type { JSONLEntry } from '../../protocol/entries.ts';

/** True for entries that change how earlier ones are seen. */
export function isReshaping({ subtype, isCompactSummary }: JSONLEntry): boolean {
  return isCompactSummary === true || (subtype !== undefined && reshapingSubtypes.has(subtype));
}

const reshapingSubtypes: ReadonlySet<string> = new Set([
  'session_start',
  'compact_boundary',
  'reduction',
  'pin',
  'undo',
  'rewind',
]);
