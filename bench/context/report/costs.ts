/** One table for each price sheet: what a token of work costs, on every trace, by every policy. */
import type { PriceSheet } from '../cache.ts';
import type { Figures } from '../meter.ts';
import type { Policy } from '../policy.ts';
import { simulate } from '../simulate.ts';
import type { Trace } from '../trace/types.ts';
import { fixed, mean, percent, type Row, table } from './table.ts';

/** The same trace under several seeds. */
export type TraceGroup = readonly Trace[];

/** Figures of something that was run elsewhere: the real engine. */
export interface Measured {
  readonly name: string;
  /** By trace name. */
  readonly figures: ReadonlyMap<string, Figures>;
}

/** After each lossy swap ten steps are made again, and two of a hundred masked results are asked for again. */
const REWORK = { reworkSteps: 10, recallPercent: 2 };

export function costTable(
  sheet: PriceSheet,
  groups: readonly TraceGroup[],
  policies: readonly Policy[],
  measured: readonly Measured[],
): string {
  const names = groups.map((group) => group[0]?.name ?? '');
  const head = [
    'policy',
    ...names,
    'with rework',
    'reuse',
    'writes',
    'lossy/M',
    'masks/M',
    'request',
    'overflow',
  ];
  const rows = policies.map((policy): Row => {
    const all = groups.map((group) => group.map((trace) => simulate(trace, policy, sheet)));
    const again = (groups[0] ?? []).map((trace) => simulate(trace, policy, sheet, REWORK).cost);
    const overflows = all.flat().reduce((sum, { overflows: some }) => sum + some, 0);
    return row(policy.name, all.map(average), fixed(mean(again)), overflows);
  });
  const real = measured.map(({ name, figures }): Row => {
    const all = names.map((trace) => figures.get(trace));
    const overflows = all.reduce((sum, one) => sum + (one?.overflows ?? 0), 0);
    return row(name, all, '', overflows);
  });
  return `${sheet.name}: cost of one token of work\n${table(head, [...rows, ...real])}`;
}

/** The figures behind the costs are those of the first trace. */
function row(name: string, all: readonly (Figures | undefined)[], again: string, overflows: number): Row {
  const first = all[0];
  const costs = all.map((one) => (one === undefined ? '' : fixed(one.cost)));
  if (first === undefined) return [name, ...costs, again, '', '', '', '', '', String(overflows)];
  return [
    name,
    ...costs,
    again,
    percent(first.reuse),
    fixed(first.writes),
    fixed(first.lossyPerMillion, 1),
    fixed(first.masksPerMillion, 1),
    fixed(first.averageRequest / 1000, 0).concat('k'),
    String(overflows),
  ];
}

function average(all: readonly Figures[]): Figures | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const entries = Object.keys(first).map((key) => [key, mean(all.map((one) => one[key as keyof Figures]))]);
  return Object.fromEntries(entries) as Figures;
}
