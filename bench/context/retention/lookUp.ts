/** Looking something up in a trace as `Recall` with a query does: the newest text that holds the words. */

import type { TraceTexts } from '../trace/texts.ts';
import type { Trace } from '../trace/types.ts';
import type { Needle } from './needles.ts';
import type { LookUp } from './score.ts';

/** A look-up in what was said up to `event`. The index is built once for a trace. */
export function createLookUp(
  trace: Trace,
  texts: TraceTexts,
  needles: readonly Needle[],
): (event: number) => LookUp {
  const wanted = new Set(needles.map(({ label }) => label));
  const said = new Map<string, number[]>();
  for (let event = 0; event < trace.events.length; event++) {
    for (const [label] of texts.whole(event).matchAll(/[a-z]+-?\d{4}/g)) {
      if (wanted.has(label)) said.set(label, [...(said.get(label) ?? []), event]);
    }
  }
  return (until) =>
    ({ label }) => {
      const event = said.get(label)?.findLast((one) => one <= until);
      return event === undefined ? undefined : texts.whole(event);
    };
}
