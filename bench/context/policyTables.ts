/** The tables of costs, facts and tasks: policies against synthetic and recorded traces and price sheets. */
import { sheets } from './cache.ts';
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
  readonly settings: unknown;
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
  const scores = new RealScores(planted);
  const real: { name: string; figures: readonly Figures[]; seconds: number }[] = [];
  if (options.real) {
    for (const [index, group] of groups.entries()) {
      const [trace] = group;
      if (trace === undefined) continue;
      // The first trace bears the facts as well.
      const texts = index === 0 ? createTexts(planted.trace, planted.lines) : createTexts(trace);
      const run = await driveReal(index === 0 ? planted.trace : trace, texts, sheets, {
        settings: options.settings,
        ...(index === 0 ? { onRequest: scores.onRequest } : {}),
      });
      real.push({ name: trace.name, ...run });
      process.stderr.write(
        `real engine, ${trace.name}: ${run.seconds.toFixed(0)} s ${JSON.stringify(run.swaps)}, unexplained breaks ${run.unexplainedBreaks}\n`,
      );
    }
  }

  for (const [index, one] of sheets.entries()) {
    const figures = new Map(
      real.flatMap(({ name, figures: all }) => (all[index] ? [[name, all[index]] as const] : [])),
    );
    const measured: Measured[] = figures.size === 0 ? [] : [{ name: 'ClawdCode (real engine)', figures }];
    console.log(`\n${costTable(one, groups, policies, measured)}`);
  }
  const rows = await retentionRows(planted, policies, sheet, (policy) => variants.includes(policy));
  if (scores.scores.length > 0) rows.push(retentionRow('ClawdCode (real engine)', scores.scores));
  if (!quick && options.real) rows.push(await manySummaries(sheet));
  console.log(`\n${retentionTable(rows, planted.needles.length)}`);
  if (options.tasks) console.log(`\n${await taskTable(sheet, quick ? tasks.slice(0, 2) : tasks)}`);
  if (options.sweep) console.log(`\n${paretoTable(first, sheet)}`);
  console.log(`\n${groups.length} traces, ${seeds.length} seeds`);
}
