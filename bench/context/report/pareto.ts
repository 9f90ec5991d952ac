/** Many settings of our policy on one trace: those that no other beats both in cost and in lossy swaps. */
import type { PriceSheet } from '../cache.ts';
import { type Dials, ours } from '../ours/model.ts';
import { simulate } from '../simulate.ts';
import type { Trace } from '../trace/types.ts';
import { fixed, type Row, table } from './table.ts';

type Tried = Pick<Dials, 'at' | 'protect' | 'batch' | 'residue' | 'ledgerTokens'>;

interface Point {
  readonly row: Row;
  readonly cost: number;
  readonly lossy: number;
}

export function paretoTable(trace: Trace, sheet: PriceSheet): string {
  const points = settings().map((dials): Point => {
    const policy = ours('', dials);
    const { cost, lossyPerMillion: lossy, averageRequest } = simulate(trace, policy, sheet);
    const rework = simulate(trace, policy, sheet, { reworkSteps: 10, recallPercent: 2 }).cost;
    const { at, protect, batch, residue, ledgerTokens } = dials;
    const shape = [ledgerTokens === undefined ? 'stubs' : 'ledger', at, protect, batch, residue].map(String);
    return {
      row: [...shape, fixed(cost), fixed(rework), fixed(lossy, 1), fixed(averageRequest / 1000, 0)],
      cost,
      lossy,
    };
  });
  const best = points
    .filter((one) => !points.some((other) => beats(other, one)))
    .sort((a, b) => a.cost - b.cost);
  const head = ['kind', 'at', 'protect', 'batch', 'residue', 'cost', 'with rework', 'lossy/M', 'request (k)'];
  return `${points.length} settings on "${trace.name}", ${sheet.name}: those that nothing beats in both\n${table(
    head,
    best.map(({ row }) => row),
  )}`;
}

function beats(one: Point, other: Point): boolean {
  if (one.cost > other.cost || one.lossy > other.lossy) return false;
  return one.cost < other.cost || one.lossy < other.lossy;
}

function settings(): readonly Tried[] {
  const all: Tried[] = [];
  for (const at of [0.15, 0.2, 0.3, 0.5])
    for (const protect of [0.06, 0.08])
      for (const batch of [0.04, 0.06, 0.1])
        for (const residue of [0.04, 0.08, 0.12, 0.2, 1]) {
          all.push({ at, protect, batch, residue });
          all.push({ at, protect, batch, residue, ledgerTokens: 45 });
        }
  return all;
}
