/** The tables of the work traces, and which goals are reached. */

import { DEFAULT, ECONOMY } from '../engineStrategies.ts';
import { fixed, percent, type Row, table } from '../report/table.ts';
import { needKinds } from './plan.ts';
import { type WorkResult, workSheets } from './work.ts';

/** A mean of counts. */
const whole = (value: number): string => fixed(value, Number.isInteger(value) ? 0 : 1);

/** A row for each policy. */
export function workTable(results: readonly WorkResult[]): string {
  const head = [
    'policy',
    'steps',
    'extra before',
    'extra after',
    'wrong edits',
    'reuse',
    ...workSheets.map(({ name }) => name),
    'wait s',
    'longest',
    'summaries/M',
    'request',
  ];
  return table(
    head,
    results.map(
      (one): Row => [
        one.policy,
        whole(one.requests),
        whole(one.extraBefore),
        whole(one.extraAfter),
        whole(one.wrongEdits),
        percent(one.reuse),
        ...one.costs.map((cost) => fixed(cost)),
        fixed(one.waited, 0),
        fixed(one.longestWait, 0),
        fixed((one.compactions / one.workTokens) * 1e6, 1),
        `${fixed(one.meanRequest / 1000, 0)}k`,
      ],
    ),
  );
}

/** How often a request did not show what a step needed: noticed and looked up, or not noticed and gone wrong. */
export function unmetTable(results: readonly WorkResult[]): string {
  const head = ['looked up / gone wrong', ...needKinds, 'recalls'];
  return table(
    head,
    results.map(({ policy, unmet, recalls }): Row => {
      const cells = needKinds.map((kind) => {
        const wrong = (unmet.get(`${kind} stale`) ?? 0) + (unmet.get(`${kind} forgotten`) ?? 0);
        return `${whole(unmet.get(`${kind} missing`) ?? 0)} / ${whole(wrong)}`;
      });
      return [policy, ...cells, whole(recalls)];
    }),
  );
}

/** A ratio that is printed as 1.00 counts as equal. */
const EVEN = 1.005;

export interface Aim {
  readonly aim: string;
  readonly figure: string;
  readonly isReached: boolean;
}

/** Least reuse of the default over its first 300 requests. */
const REUSE = 0.985;

/** Of one trace; ratios are within this run. */
export function aimsOf(results: readonly WorkResult[]): readonly Aim[] {
  const own = results.find(({ policy }) => policy === DEFAULT);
  const economy = results.find(({ policy }) => policy === ECONOMY);
  const peers = results.filter(({ isOurs }) => !isOurs);
  if (own === undefined || economy === undefined || peers.length === 0) return [];
  const fewest = Math.min(...peers.map(({ extraAfter }) => extraAfter));
  const equals = peers.filter((peer) => flaws(peer) <= flaws(own));
  const isCheapest = (ours: WorkResult, others: readonly WorkResult[]): boolean =>
    ratios(ours, others).every((ratio) => ratio < EVEN);
  const others = results.filter((one) => one !== economy);
  return [
    {
      aim: 'default: no extra step before the first compaction',
      figure: whole(own.extraBefore),
      isReached: own.extraBefore === 0,
    },
    {
      aim: 'default: fewer extra steps after it than any peer model',
      figure: `${whole(own.extraAfter)} : ${whole(fewest)}`,
      isReached: own.extraAfter < fewest || (own.extraAfter === 0 && fewest === 0),
    },
    {
      aim: `default: reuse of at least ${REUSE} over 300 steps`,
      figure: fixed(own.earlyReuse, 4),
      isReached: own.earlyReuse >= REUSE,
    },
    {
      aim: 'default: no more expensive than the cheapest peer model of the same quality',
      figure: equals.length === 0 ? 'no such peer' : shares(own, equals),
      isReached: isCheapest(own, equals),
    },
    {
      aim: 'default: no more expensive than the cheapest peer model of any quality',
      figure: shares(own, peers),
      isReached: isCheapest(own, peers),
    },
    {
      aim: 'economy: the cheapest of all',
      figure: shares(economy, others),
      isReached: isCheapest(economy, others),
    },
  ];
}

/** The goals of several traces as one table. */
export function aimsTable(all: readonly { readonly name: string; readonly aims: readonly Aim[] }[]): string {
  const rows = all.flatMap(({ name, aims }) =>
    aims.map(({ aim, figure, isReached }): Row => [aim, name, figure, isReached ? 'reached' : 'not reached']),
  );
  const sheets = workSheets.map(({ name }) => name).join(', ');
  return `Goals; costs as ratios, ${sheets}\n${table(['goal', 'trace', 'figure', ''], rows)}`;
}

function flaws({ extraBefore, extraAfter, wrongEdits }: WorkResult): number {
  return extraBefore + extraAfter + wrongEdits;
}

/** Own cost over the lowest of the others, by sheet; empty when there are no others. */
function ratios(own: WorkResult, others: readonly WorkResult[]): readonly number[] {
  if (others.length === 0) return [];
  return own.costs.map(
    (cost, sheet) => cost / Math.min(...others.map(({ costs }) => costs[sheet] ?? Number.POSITIVE_INFINITY)),
  );
}

function shares(own: WorkResult, others: readonly WorkResult[]): string {
  return ratios(own, others)
    .map((ratio) => fixed(ratio))
    .join(' ');
}
