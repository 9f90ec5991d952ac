/**
 * `npm run bench:context`: policies against traces and prices, then the work traces. `--quick` is a small version,
 * `--work` the work traces alone, `--session <file or folder>` adds recorded sessions, `--settings <json>` drives the
 * real engine with other settings, `--sweep` tries many settings of our policy. docs/bench-context.md explains the
 * tables.
 */
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { printPolicyTables } from './policyTables.ts';
import { workTables } from './workTraces/run.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    work: { type: 'boolean', default: false },
    session: { type: 'string', multiple: true, default: [] },
    settings: { type: 'string', default: '{}' },
    window: { type: 'string', default: '200000' },
    'no-real': { type: 'boolean', default: false },
    sweep: { type: 'boolean', default: false },
    'no-tasks': { type: 'boolean', default: false },
  },
});
const started = performance.now();
const settings = z.record(z.string(), z.unknown()).parse(JSON.parse(values.settings));
const { quick } = values;
if (!values.work) {
  await printPolicyTables({
    quick,
    windowTokens: Number.parseInt(values.window, 10),
    sessions: values.session,
    settings,
    real: !values['no-real'],
    tasks: !values['no-tasks'],
    sweep: values.sweep,
  });
}
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
console.log(`\n${await workTables({ quick, settings, tell })}`);
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s`);
