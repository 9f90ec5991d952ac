/** The work traces and their tables. docs/bench-context.md explains both. */
import type { Random } from '../random.ts';
import { ourPolicies } from './engine.ts';
import { makePlan, type WorkShape } from './Planner.ts';
import { peerPolicies } from './peers.ts';
import { aimsOf, aimsTable, unmetTable, workTable } from './tables.ts';
import { average, type WorkResult, work } from './work.ts';

const NIGHT = 14 * 60;

/** A coffee or a meeting now and then. */
const breaks = (random: Random): number => {
  const drawn = random.next();
  if (drawn < 0.08) return 45;
  return drawn < 0.25 ? 8 : 1;
};

export const project: WorkShape = { name: 'project', files: 220, steps: 600, pause: breaks };

export const days: WorkShape = {
  name: 'five days',
  files: 130,
  steps: 340,
  pause: (random, turn) => (turn % 4 === 0 ? NIGHT : breaks(random)),
};

/** Ends well below any trigger. */
export const shortTask: WorkShape = { name: 'short task', files: 40, steps: 40, pause: () => 1 };

interface Run {
  readonly shape: WorkShape;
  readonly windowTokens: number;
  readonly seeds: readonly number[];
}

const runs: readonly Run[] = [
  { shape: project, windowTokens: 200_000, seeds: [1, 2, 3] },
  { shape: days, windowTokens: 200_000, seeds: [1, 2, 3] },
  { shape: { ...project, steps: 240 }, windowTokens: 64_000, seeds: [1, 2, 3] },
  { shape: shortTask, windowTokens: 200_000, seeds: [1] },
];

const quickRuns: readonly Run[] = [
  { shape: { ...project, steps: 120 }, windowTokens: 64_000, seeds: [1] },
  { shape: shortTask, windowTokens: 200_000, seeds: [1] },
];

export interface WorkOptions {
  /** The small version: some ten seconds. */
  readonly quick: boolean;
  /** Laid over the engine's settings, for both strategies. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Hears how far it is. */
  readonly tell: (line: string) => void;
}

/** Runs every policy over every trace and returns the tables as text. */
export async function workTables({ quick, settings, tell }: WorkOptions): Promise<string> {
  const tables: string[] = [];
  const aims: Parameters<typeof aimsTable>[0][number][] = [];
  for (const { shape, windowTokens, seeds } of quick ? quickRuns : runs) {
    const plans = seeds.map((seed) => makePlan(shape, seed));
    const results: WorkResult[] = [];
    for (const policy of [...peerPolicies, ...ourPolicies(settings)]) {
      const started = performance.now();
      const all: WorkResult[] = [];
      for (const plan of plans) all.push(await work(plan, policy, windowTokens));
      const [first, ...others] = all;
      if (first !== undefined) results.push(average([first, ...others]));
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      tell(`work trace "${shape.name}", ${policy.name}: ${seconds} s`);
    }
    tables.push(heading(shape, windowTokens, results), workTable(results), unmetTable(results));
    aims.push({ name: `${shape.name}, ${windowTokens / 1000}k`, aims: aimsOf(results) });
  }
  return [...tables, aimsTable(aims)].join('\n\n');
}

function heading({ name }: WorkShape, windowTokens: number, results: readonly WorkResult[]): string {
  const { planned = 0, workTokens = 0 } = results[0] ?? {};
  const size = `${Math.round(planned)} steps, ${Math.round(workTokens / 1000)}k tokens of work`;
  const overflows = results.filter((one) => one.overflows > 0).map(({ policy }) => policy);
  const over = overflows.length === 0 ? '' : `; requests over the window: ${overflows.join(', ')}`;
  return `Work trace "${name}", window ${windowTokens}: ${size}${over}`;
}
