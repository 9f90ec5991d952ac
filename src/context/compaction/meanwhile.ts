/** What happened to a session while a compaction of it was made, and what that means for the compaction. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { atomEntries } from '../history/atoms.ts';
import { epochOf } from '../history/epoch.ts';
import type { View } from '../history/view.ts';
import type { CompactionOutcome } from './job.ts';

/** The outcome, unless what it was made from no longer stands: something was rewound, dropped or restored. */
export function ifStillTrue(
  outcome: CompactionOutcome,
  base: readonly JSONLEntry[],
  now: readonly JSONLEntry[],
): CompactionOutcome {
  if (outcome.type !== 'compacted' || epochOf(base) === epochOf(now)) return outcome;
  const { usage } = outcome;
  const message =
    'The conversation was changed while it was compacted (rewound, dropped or restored), so the summary was not used. Nothing else has changed.';
  return { type: 'refused', message, ...(usage === undefined ? {} : { usage }) };
}

/**
 * Uuids of what stays verbatim, with what was appended since `base`: it is in no summary. So is what was
 * pinned meanwhile, wherever it stands.
 */
export function retainedNow(
  retained: readonly string[],
  base: readonly JSONLEntry[],
  now: readonly JSONLEntry[],
  { atoms, pinned }: Pick<View, 'atoms' | 'pinned'>,
): string[] {
  // The newest instructions are pinned before the summary.
  const isKept = ({ subtype }: JSONLEntry): boolean => subtype !== 'instructions';
  const meanwhile = now.slice(base.length).filter(isKept);
  const pins = atoms.filter(({ head }) => pinned.has(head.uuid) && isKept(head)).flatMap(atomEntries);
  return [...new Set([...retained, ...[...pins, ...meanwhile].map(({ uuid }) => uuid)])];
}
