// `npm run bench [-- --runs N --only burst,paced --quick --json]`: how fast the built program is, beside its peers.
// Medians over rounds in which everything is measured once, so that a slow minute of the machine falls on all alike;
// times also as a multiple of an empty Node in the same round, which travels better from machine to machine.
import { cpus, loadavg, release, type } from 'node:os';
import { parseArgs } from 'node:util';
import * as burst from './measures/burst.mjs';
import * as faults from './measures/faults.mjs';
import * as headless from './measures/headless.mjs';
import * as idle from './measures/idle.mjs';
import * as killed from './measures/killed.mjs';
import * as longRun from './measures/longRun.mjs';
import * as mcpServers from './measures/mcpServers.mjs';
import * as mixedSteps from './measures/mixedSteps.mjs';
import * as paced from './measures/paced.mjs';
import * as start from './measures/start.mjs';
import * as unknownServer from './measures/unknownServer.mjs';
import { memoryKind } from './parts/memory.mjs';
import { createPlace } from './parts/place.mjs';
import { wholeRun } from './parts/runs.mjs';
import { renderReport } from './report.mjs';

const measures = {
  start,
  idle,
  headless,
  mcpServers,
  unknownServer,
  mixedSteps,
  burst,
  paced,
  longRun,
  killed,
  faults,
};

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const { quick } = values;
const runs = Math.max(1, Number.parseInt(values.runs ?? (quick ? '1' : '5'), 10) || 1);
const names = values.only?.split(',') ?? Object.keys(measures);
const unknown = names.filter((name) => measures[name] === undefined);
if (unknown.length > 0)
  throw new Error(`No such measure: ${unknown.join(', ')}. There are: ${Object.keys(measures).join(', ')}`);

const loadBefore = loadavg()[0];
const notes = [];
const rounds = new Map(names.map((name) => [name, []]));
const place = createPlace();
try {
  // The first start fills the compile cache and the file cache, as a first use does; it does not count.
  progress('warm-up');
  await headless.measure(place);
  for (let round = 1; round <= runs; round++) {
    const node = await wholeRun(['-e', '0'], place);
    for (const name of names) {
      const measure = measures[name];
      const many = measure.isOnce === true ? 1 : measure.isLong === true ? Math.ceil(runs / 3) : runs;
      if (round > many) continue;
      progress(`round ${round} of ${many}: ${name}`);
      const figures = await measure.measure(place, { quick, note: (text) => notes.push(text) });
      rounds.get(name).push({ node, figures });
    }
  }
} finally {
  progress('');
  place.remove();
}

const results = names.flatMap((name) =>
  measures[name].rows.map((row) => ({
    row,
    values: rounds.get(name).map(({ figures }) => figures[row.key]),
    ...(row.isTime === true
      ? { ratios: rounds.get(name).map(({ node, figures }) => figures[row.key] / node) }
      : {}),
  })),
);
const processors = cpus();
if (values.json)
  process.stdout.write(
    `${JSON.stringify(
      results.map(({ row, ...rest }) => ({ ...row, ...rest })),
      null,
      2,
    )}\n`,
  );
else
  process.stdout.write(
    `${[
      `${type()} ${release()}, ${processors.length} × ${processors[0]?.model ?? 'CPU'}, Node ${process.versions.node}; ` +
        `load ${loadBefore.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after; memory is ${memoryKind} of the process tree`,
      '',
      renderReport(results),
      '',
      'The peers were measured on another day, on a machine of the same kind; × node holds for ours in this run.',
      ...notes,
    ].join('\n')}\n`,
  );

/** One line on standard error that is written over; nothing where it is not a terminal. */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}
