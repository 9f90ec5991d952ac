/**
 * `npm run bench:sessions`: taking up large sessions, the picker over many, searching a gigabyte. `--quick` takes
 * smaller ones; `--only resume|picker|search` does one of them.
 */
import { parseArgs } from 'node:util';
import { fixed, table } from '../context/report/table.ts';
import { measurePicker } from './picker.ts';
import { measureResume } from './resume.ts';
import { measureSearch } from './search.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const program = new URL('../../bin/clawdcode.js', import.meta.url).pathname;
const wants = (part: string): boolean => values.only === undefined || values.only === part;

if (wants('resume')) {
  const lines = await measureResume(program, values.quick ? [10] : [10, 100, 1000]);
  console.log('\nTaking up a session\n');
  console.log(
    table(
      ['', 'typed, ms', 'ready, ms', 'memory, MB'],
      lines.map((line) => [
        line.what,
        fixed(line.typedMs, 0),
        fixed(line.readyMs, 0),
        fixed(line.megabytes, 0),
      ]),
    ),
  );
}

if (wants('picker')) {
  const lines = await measurePicker(program, values.quick ? [100] : [100, 1000, 10_000]);
  console.log(
    '\nThe list of sessions: the index in a fresh process; the program in a terminal, and a start without a list\n',
  );
  console.log(
    table(
      [
        'sessions',
        '100 rows, ms',
        'all rows, ms',
        'rows, MB',
        'on screen, ms',
        'start, ms',
        'MB',
        'start, MB',
        'first listed, s',
        'first indexed, s',
      ],
      lines.map((line) => [
        String(line.sessions),
        fixed(line.pageMs, 1),
        fixed(line.allMs, 0),
        fixed(line.rowsMegabytes, 0),
        fixed(line.screenMs, 0),
        fixed(line.startMs, 0),
        fixed(line.megabytes, 0),
        fixed(line.startMegabytes, 0),
        fixed(line.listedMs / 1000, 1),
        fixed(line.indexedMs / 1000, 1),
      ]),
    ),
  );
}

if (wants('search')) {
  const figures = await measureSearch(values.quick ? 50 : 1000, values.quick ? 20 : 100);
  const ratio = (100 * figures.indexMegabytes) / figures.logMegabytes;
  console.log(
    `\nSearching ${fixed(figures.logMegabytes, 0)} MB in ${figures.sessions} sessions: indexed in ` +
      `${fixed(figures.indexSeconds, 0)} s, index ${fixed(figures.indexMegabytes, 0)} MB (${fixed(ratio, 1)} % of the ` +
      `logs), longest stall of the asking thread ${fixed(figures.longestStallMs, 0)} ms\n`,
  );
  console.log(
    table(
      ['', 'queries', 'p50, ms', 'p95, ms', 'worst, ms', 'found nothing'],
      figures.kinds.map((line) => [
        line.kind,
        String(line.queries),
        fixed(line.p50Ms, 1),
        fixed(line.p95Ms, 1),
        fixed(line.worstMs, 1),
        String(line.empty),
      ]),
    ),
  );
}
