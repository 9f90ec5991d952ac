/**
 * `npm run bench:storage`: kills writers, damages logs, fills disks, and lets many programs at one session. Prints what
 * was lost, and exits with 1 when a bound is broken. `--kills <n>`, `--damages <n>` of each kind, `--processes <n>`,
 * `--seed <n>`; `--short` does a little of everything. docs/bench-storage.md explains the tables.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCrowd, runSecond } from './crowd.ts';
import { runDamage } from './damage.ts';
import { runDisk } from './disk.ts';
import { runKills } from './kills.ts';
import { boundsOf, printBounds, printFigures } from './report.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    damages: { type: 'string' },
    processes: { type: 'string' },
    seed: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
  },
});
const number = (text: string | undefined, full: number, short: number): number =>
  text === undefined ? (values.short ? short : full) : Number.parseInt(text, 10);

const folder = await mkdtemp(join(tmpdir(), 'clawdcode-bench-storage-'));
try {
  const seed = number(values.seed, 1, 1);
  const kills = await runKills(folder, number(values.kills, 1000, 20), seed);
  const damage = await runDamage(folder, number(values.damages, 2000, 100), seed);
  const disk = await runDisk(folder, seed);
  const crowd = await runCrowd(folder, number(values.processes, 32, 8), values.short ? 2 : 5);
  const second = await runSecond(folder, values.short ? 50 : 300);
  const figures = { kills, damage, disk, crowd, second };
  const bounds = boundsOf(figures);
  console.log(printFigures(figures));
  console.log(printBounds(bounds));
  if (bounds.some(({ isKept }) => !isKept)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
