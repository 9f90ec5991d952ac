/** The figures as tables, and whether they are within their bounds. */
import { fixed, table } from '../context/report/table.ts';
import type { CrowdFigures, SecondFigures } from './crowd.ts';
import type { DamageFigures } from './damage.ts';
import type { DiskFigures } from './disk.ts';
import type { KillFigures } from './kills.ts';

export interface Figures {
  readonly kills: KillFigures;
  readonly damage: readonly DamageFigures[];
  readonly disk: readonly DiskFigures[];
  readonly crowd: CrowdFigures;
  readonly second: SecondFigures;
}

export interface Bound {
  readonly what: string;
  readonly value: string;
  readonly bound: string;
  readonly isKept: boolean;
  /** True for one that depends on how busy the machine is. */
  readonly isTime?: true;
}

export function boundsOf({ kills, damage, disk, crowd, second }: Figures): readonly Bound[] {
  const count = (what: string, value: number): Bound => ({
    what,
    value: String(value),
    bound: '0',
    isKept: value === 0,
  });
  const worst = Math.max(...damage.map((one) => one.worst));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const failed = disk.filter((one) => one.lost !== 0 || !one.isSame || !one.wasTold || !one.hasRecovered);
  return [
    count('acknowledged entries lost after kill -9', kills.lost),
    count('broken chains after kill -9', kills.brokenChains),
    { what: 'entries lost per damaged spot, worst', value: fixed(worst), bound: '≤ 1', isKept: worst <= 1 },
    count('unreported damage', sum(damage.map(({ unreported }) => unreported))),
    count('sessions that do not open', kills.notOpening + sum(damage.map(({ notOpening }) => notOpening))),
    count('failing disks: entries lost, duplicated, out of order or unreported', failed.length),
    count('interleaved writes', crowd.interleaved + kills.glued),
    count('damaged logs and errors after many processes', (crowd.isSound ? 0 : 1) + crowd.errors.length),
    count('second openers not told which process holds the lock', second.attempts - second.named),
    {
      what: 'time to recover a stale lock, slowest',
      value: `${fixed(kills.slowestLockMs, 1)} ms`,
      bound: '≤ 2 s',
      isKept: kills.slowestLockMs <= 2000,
      isTime: true,
    },
    {
      what: 'time of a second opener, 95th percentile',
      value: `${fixed(second.p95Ms, 1)} ms`,
      bound: '≤ 50 ms',
      isKept: second.p95Ms <= 50,
      isTime: true,
    },
  ];
}

export function printBounds(bounds: readonly Bound[]): string {
  const rows = bounds.map(({ what, value, bound, isKept }) => [what, value, bound, isKept ? 'yes' : 'NO']);
  return `${table(['', 'measured', 'bound', 'kept'], rows)}\n`;
}

export function printFigures({ kills, damage, disk, crowd, second }: Figures): string {
  const yes = (is: boolean): string => (is ? 'yes' : 'NO');
  const tables = [
    table(
      ['kill -9', 'kills', 'acknowledged', 'lost', 'torn lines'],
      [['writers', String(kills.kills), String(kills.acknowledged), String(kills.lost), String(kills.torn)]],
    ),
    table(
      ['damage', 'files', 'spots', 'entries lost', 'per spot', 'worst', 'unreported', 'not opening'],
      damage.map((one) => [
        one.kind,
        String(one.trials),
        String(one.spots),
        String(one.lost),
        fixed(one.lost / one.spots),
        fixed(one.worst),
        String(one.unreported),
        String(one.notOpening),
      ]),
    ),
    table(
      ['disk', 'entries', 'lost', 'same order', 'reported', 'recovered automatically'],
      disk.map((one) => [
        one.what,
        String(one.entries),
        String(one.lost),
        yes(one.isSame),
        yes(one.wasTold),
        yes(one.hasRecovered),
      ]),
    ),
    table(
      ['one session', 'processes', 'turns', 'entries', 'interleaved', 'refused'],
      [
        [
          'many processes',
          String(crowd.processes),
          String(crowd.turns),
          String(crowd.entries),
          String(crowd.interleaved),
          String(crowd.refused),
        ],
      ],
    ),
    table(
      ['second opener', 'attempts', 'holder named', 'median ms', 'p95 ms'],
      [
        [
          '',
          String(second.attempts),
          String(second.named),
          fixed(second.medianMs, 1),
          fixed(second.p95Ms, 1),
        ],
      ],
    ),
  ];
  return `${tables.join('\n\n')}\n`;
}
