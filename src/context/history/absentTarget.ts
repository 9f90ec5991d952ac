/** Whether what is in memory of a log is enough: what goes back behind its past needs more than what requests show. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isCorrection, rewindTarget, undoneBy } from './live.ts';
import { type Past, pastOf } from './past.ts';
import { reductionOf } from './reductions.ts';
import { isRemoval } from './shownAt.ts';

/** A correction, and what it names. */
export interface Target {
  readonly uuid: string;
  readonly by: JSONLEntry;
}

/** The first correction that goes back behind what is in memory. */
export function absentTarget(entries: readonly JSONLEntry[]): Target | undefined {
  const past = pastOf(entries);
  if (past === undefined) return undefined;
  const { throughSeq: through, throughUuid } = past;
  const later = entries.filter((entry) => entry.seq > through);
  if (!later.some((entry) => isCorrection(entry) || entry.subtype === 'reduction')) return undefined;
  const known = new Set(entries.map(({ uuid }) => uuid));
  const own = new Set(later.map(({ uuid }) => uuid));
  const gone = goneBefore(entries, past);
  for (const by of later) {
    // Going back to right behind what was left needs nothing of it.
    const target = isCorrection(by) && rewindTarget(by) !== throughUuid ? rewindTarget(by) : undefined;
    const corrected = isCorrection(by) ? [...undoneBy(by), target ?? ''] : [];
    const uuid =
      corrected.find((one) => one !== '' && !own.has(one)) ??
      reductionOf(by)?.restored?.find((one) => !known.has(one)) ??
      namedBy(by).find((one) => gone.has(one));
    if (uuid !== undefined) return { uuid, by };
  }
  return undefined;
}

/** What had been removed where a removal left its past: whoever drops or restores it moves notes, and all of it counts. */
function goneBefore(entries: readonly JSONLEntry[], { throughSeq, throughUuid }: Past): ReadonlySet<string> {
  const past = entries.filter(({ seq }) => seq <= throughSeq);
  const isOfRemoval = past.some((entry) => entry.uuid === throughUuid && isRemoval(entry));
  return new Set(isOfRemoval ? past.flatMap((entry) => reductionOf(entry)?.removed ?? []) : []);
}

function namedBy(entry: JSONLEntry): readonly string[] {
  const { removed = [], restored = [] } = reductionOf(entry) ?? {};
  return [...removed, ...restored];
}
