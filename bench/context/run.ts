/**
 * `npm run bench:context`: policies against traces and prices. `--quick` takes a tenth of every trace,
 * `--session <file or folder>` adds recorded sessions, `--settings <json>` drives the real engine with other settings,
 * `--sweep` tries many settings of our policy. docs/bench-context.md explains the tables.
 */
import { parseArgs } from 'node:util';
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

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    session: { type: 'string', multiple: true, default: [] },
    settings: { type: 'string', default: '{}' },
    window: { type: 'string', default: '200000' },
    'no-real': { type: 'boolean', default: false },
    sweep: { type: 'boolean', default: false },
    'no-tasks': { type: 'boolean', default: false },
  },
});
const started = performance.now();
const windowTokens = Number.parseInt(values.window, 10);
const seeds = values.quick ? [1] : [1, 2, 3];
const sized = shapes.map((shape) =>
  values.quick ? { ...shape, steps: Math.ceil(shape.steps / 10) } : shape,
);
const files = (await Promise.all(values.session.map(sessionFiles))).flat();
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
const planted = plant(first, values.quick ? 200 : 2000);
const scores = new RealScores(planted);
const real: { name: string; figures: readonly Figures[]; seconds: number }[] = [];
if (!values['no-real']) {
  for (const [index, group] of groups.entries()) {
    const [trace] = group;
    if (trace === undefined) continue;
    // The first trace bears the facts as well.
    const texts = index === 0 ? createTexts(planted.trace, planted.lines) : createTexts(trace);
    const run = await driveReal(index === 0 ? planted.trace : trace, texts, sheets, {
      settings: JSON.parse(values.settings),
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
if (!values.quick && !values['no-real']) rows.push(await manySummaries(sheet));
console.log(`\n${retentionTable(rows, planted.needles.length)}`);
if (!values['no-tasks']) console.log(`\n${await taskTable(sheet, values.quick ? tasks.slice(0, 2) : tasks)}`);
if (values.sweep) console.log(`\n${paretoTable(first, sheet)}`);
console.log(
  `\n${groups.length} traces, ${seeds.length} seeds, ${((performance.now() - started) / 1000).toFixed(0)} s`,
);
