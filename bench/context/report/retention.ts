/** What a request still says of the facts that were planted, and what one look-up brings back. */
import type { PriceSheet } from '../cache.ts';
import type { Policy } from '../policy.ts';
import { createLookUp } from '../retention/lookUp.ts';
import { needleKinds, type PlantedTrace } from '../retention/needles.ts';
import { type Score, score } from '../retention/score.ts';
import { simulate } from '../simulate.ts';
import { createTexts } from '../trace/texts.ts';
import { percent, type Row, table } from './table.ts';

/** Policies that have a tool to look up what the session has seen. */
export type HasRecall = (policy: Policy) => boolean;

export const retentionHead: Row = ['policy', ...needleKinds, 'all', 'one look-up', 'stale'];

export async function retentionRows(
  planted: PlantedTrace,
  policies: readonly Policy[],
  sheet: PriceSheet,
  hasRecall: HasRecall,
): Promise<Row[]> {
  const texts = createTexts(planted.trace, planted.lines);
  const lookUp = createLookUp(planted.trace, texts, planted.needles);
  const rows: Row[] = [];
  for (const policy of policies) {
    const seen = new Map<number, string>();
    const isScored = createScoring(planted.trace.events.length);
    const onRequest = (
      blocks: Parameters<NonNullable<Parameters<typeof simulate>[3]>['onRequest'] & {}>[0],
      event: number,
    ): void => {
      if (isScored(event)) seen.set(event, blocks.map((block) => block.text()).join('\n'));
    };
    simulate(planted.trace, policy, sheet, { texts, onRequest });
    const scores: Score[] = [];
    for (const [event, request] of seen) {
      const known = planted.needles.filter((needle) => needle.event < event);
      scores.push(await score(known, request, hasRecall(policy) ? lookUp(event - 1) : () => undefined));
    }
    rows.push(retentionRow(policy.name, scores));
  }
  return rows;
}

/** True four times in the second half, when everything has been reduced at least once; for one run. */
export function createScoring(events: number): (event: number) => boolean {
  const due = [0.55, 0.7, 0.85, 0.995];
  return (event) => {
    if (due.length === 0 || event < (due[0] ?? 1) * events) return false;
    due.shift();
    return true;
  };
}

/** Means over all scored requests. */
export function retentionRow(name: string, scores: readonly Score[]): Row {
  const average = (of: (score: Score) => number): string =>
    percent(scores.reduce((sum, one) => sum + of(one), 0) / Math.max(1, scores.length));
  return [
    name,
    ...needleKinds.map((kind) => average(({ verbatim }) => verbatim[kind])),
    average(({ verbatimAll }) => verbatimAll),
    average(({ reachable }) => reachable),
    average(({ staleAsserted }) => staleAsserted),
  ];
}

export function retentionTable(rows: readonly Row[], facts: number): string {
  return `What a request says of ${facts} planted facts, by kind, and what one look-up brings back\n${table(retentionHead, rows)}`;
}
