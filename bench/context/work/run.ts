/** The work traces: which there are, and their tables. docs/bench-context.md explains them. */
import type { Random } from '../random.ts';
import { ourPolicies } from './engine.ts';
import { makePlan, type WorkShape } from './Planner.ts';
import { peerPolicies } from './peers.ts';
import { aimsOf, aimsTable, unmetTable, workTable } from './tables.ts';
import { type WorkResult, work } from './work.ts';

const NIGHT = 14 * 60;

/** A coffee or a meeting now and then. */
const breaks = (random: Random): number => {
  const drawn = random.next();
  if (drawn < 0.08) return 45;
  return drawn < 0.25 ? 8 : 1;
};

export const project: WorkShape = { name: 'project', files: 170, steps: 480, pause: breaks };

export const days: WorkShape = {
  name: 'five days',
  files: 130,
  steps: 340,
  pause: (random, turn) => (turn % 4 === 0 ? NIGHT : breaks(random)),
};

/** Ends long before any trigger. */
export const shortTask: WorkShape = { name: 'short task', files: 40, steps: 40, pause: () => 1 };

interface Run {
  readonly shape: WorkShape;
  readonly windowTokens: number;
}

const runs: readonly Run[] = [
  { shape: project, windowTokens: 200_000 },
  { shape: days, windowTokens: 200_000 },
  { shape: { ...project, name: 'project', steps: 240 }, windowTokens: 64_000 },
  { shape: shortTask, windowTokens: 200_000 },
];

export interface WorkOptions {
  /** A quarter of the steps, in a window of 64,000 tokens. */
  readonly quick: boolean;
  /** Laid over the engine's settings. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** All tables, with progress told as it comes. */
export async function workTables(
  { quick, settings }: WorkOptions,
  tell: (line: string) => void,
): Promise<string> {
  const quickRuns = [{ shape: { ...project, steps: 120 }, windowTokens: 64_000 }];
  const tables: string[] = [];
  const aims: Parameters<typeof aimsTable>[0][number][] = [];
  for (const { shape, windowTokens } of quick ? quickRuns : runs) {
    const plan = makePlan(shape, 1);
    const results: WorkResult[] = [];
    for (const policy of [...peerPolicies, ...ourPolicies(settings)]) {
      const started = performance.now();
      results.push(await work(plan, policy, windowTokens));
      tell(`${shape.name}, ${policy.name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    }
    const name = `${shape.name}, ${windowTokens / 1000}k`;
    const steps = `${results[0]?.planned ?? 0} steps, ${Math.round((results[0]?.workTokens ?? 0) / 1000)}k tokens of work`;
    tables.push(`Work trace "${shape.name}", window ${windowTokens}: ${steps}`, workTable(results));
    tables.push(unmetTable(results));
    aims.push({ name, aims: aimsOf(results) });
  }
  return [...tables, aimsTable(aims)].join('\n\n');
}
