// `npm run bench:soak [-- --turns 2000 --strategy hybrid]`: one session in a terminal, thousands of turns; whether
// memory, the time of a step and the time from a key to the screen stay what they were. Each turn is a prompt, a call,
// its result and an answer, so 2,000 turns are some 10,000 messages with what the program notes for itself. The
// strategy is that of `context.strategy`: by default summaries, and `hybrid` removes messages and never summarizes.
import { parseArgs } from 'node:util';
import { createPlace, program } from '../parts/place.mjs';
import { soak } from './soak.mjs';

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '2000' }, strategy: { type: 'string', default: 'auto' } },
});
const turns = Number.parseInt(values.turns, 10);
const place = createPlace();
try {
  const onSample = (sample) =>
    process.stderr.isTTY ? process.stderr.write(`\r\u001B[Kturn ${sample.turn} of ${turns}`) : undefined;
  const { strategy } = values;
  const { samples, entries, bodies, summaries } = await soak(program, place, turns, { strategy, onSample });
  const rows = [
    ['turns', 'memory, MB', 'CPU a turn, ms', 'a step, ms', 'a turn, ms', 'key → screen, ms', 'p95'],
    ...samples.map(({ turn, memory, cpuMs, stepMs, turnMs, echoMs, echoP95 }) =>
      [turn, memory, cpuMs, stepMs, turnMs, echoMs, echoP95].map((value) =>
        String(Math.round(value * 10) / 10),
      ),
    ),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  process.stdout.write(
    `\n${rows.map((row) => row.map((cell, at) => cell.padStart(widths[at])).join('  ')).join('\n')}\n\n` +
      `${entries} entries in the log, ${summaries} summaries; the last request had ${Math.round(bodies / 1000)} kB.\n`,
  );
} finally {
  place.remove();
}
