/** The tables of costs, facts and tasks: policies against synthetic and recorded traces and price sheets. */
import { sheets } from './cache.ts';
import { engineStrategies } from './engineStrategies.ts';
import type { Figures } from './meter.ts';
import { policies, variants } from './policies.ts';
import { driveReal } from './real/drive.ts';
import { manySummaries } from './real/manySummaries.ts';
import { RealScores } from './real/retention.ts';
import { costTable, type Measured, type TraceGroup } from './report/costs.ts';
import { paretoTable } from './report/pareto.ts';
import { retentionRow, retentionRows, retentionTable } from './report/retention.ts';
import { plant } from './retention/needles.ts';
import { tasks, taskTable } from './tasks/tasks.ts';
import { readSession, sessionFiles } from './trace/recorded.ts';
import { makeTrace, shapes } from './trace/standard.ts';
import { createTexts } from './trace/texts.ts';

export interface PolicyTableOptions {
  /** A tenth of every trace, one seed, two tasks. */
  readonly quick: boolean;
  readonly windowTokens: number;
  /** Files or folders of recorded sessions. */
  readonly sessions: readonly string[];
  /** The settings' `context` section for the real engine. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Whether the real engine runs. */
  readonly real: boolean;
  readonly tasks: boolean;
  readonly sweep: boolean;
}

/** Prints one table after the other, as they are ready. */
export async function printPolicyTables(options: PolicyTableOptions): Promise<void> {
  const { quick } = options;
  const windowTokens = options.windowTokens;
  const seeds = quick ? [1] : [1, 2, 3];
  const sized = shapes.map((shape) => (quick ? { ...shape, steps: Math.ceil(shape.steps / 10) } : shape));
  const files = (await Promise.all(options.sessions.map(sessionFiles))).flat();
  const recorded = (await Promise.all(files.map((file) => readSession(file, windowTokens)))).filter(
    ({ events }) => events.some(({ type }) => type === 'step'),
  );
  const groups: TraceGroup[] = [
    ...sized.map((shape) => seeds.map((seed) => makeTrace(shape, seed, windowTokens))),
    ...recorded.map((trace) => [trace]),
  ];

  const [first] = groups[0] ?? [];
  const [sheet] = sheets;
  if (first === undefined || sheet === undefined) throw new Error('There is nothing to run.');
  const planted = plant(first, quick ? 200 : 2000);
  const engines: EngineRun[] = [];
  for (const { name, settings } of options.real ? engineStrategies : [])
    engines.push(await runEngine(name, { ...options.settings, ...settings }, groups, planted));

  for (const [index, one] of sheets.entries()) {
    const measured = engines.map(({ name, figures }): Measured => {
      const ofSheet = [...figures].flatMap(([trace, all]) =>
        all[index] ? [[trace, all[index]] as const] : [],
      );
      return { name, figures: new Map(ofSheet) };
    });
    console.log(`\n${costTable(one, groups, policies, measured)}`);
  }
  const rows = await retentionRows(planted, policies, sheet, (policy) => variants.includes(policy));
  for (const { name, scores } of engines) rows.push(retentionRow(name, scores));
  if (!quick && options.real) rows.push(await manySummaries(sheet));
  console.log(`\n${retentionTable(rows, planted.needles.length)}`);
  if (options.tasks) console.log(`\n${await taskTable(sheet, quick ? tasks.slice(0, 2) : tasks)}`);
  if (options.sweep) console.log(`\n${paretoTable(first, sheet)}`);
  console.log(`\n${groups.length} traces, ${seeds.length} seeds`);
}

interface EngineRun {
  readonly name: string;
  /** By trace, one for each price sheet. */
  readonly figures: ReadonlyMap<string, readonly Figures[]>;
  readonly scores: RealScores['scores'];
}

/** The product's engine over the first trace of each group; the very first bears the facts as well. */
async function runEngine(
  name: string,
  settings: object,
  groups: readonly TraceGroup[],
  planted: ReturnType<typeof plant>,
): Promise<EngineRun> {
  const scores = new RealScores(planted);
  const figures = new Map<string, readonly Figures[]>();
  for (const [index, [trace]] of groups.entries()) {
    if (trace === undefined) continue;
    const texts = index === 0 ? createTexts(planted.trace, planted.lines) : createTexts(trace);
    const run = await driveReal(index === 0 ? planted.trace : trace, texts, sheets, {
      settings,
      ...(index === 0 ? { onRequest: scores.onRequest } : {}),
    });
    figures.set(trace.name, run.figures);
    process.stderr.write(
      `${name}, ${trace.name}: ${run.seconds.toFixed(0)} s ${JSON.stringify(run.swaps)}, unexplained breaks ${run.unexplainedBreaks}\n`,
    );
  }
  return { name, figures, scores: scores.scores };
}
