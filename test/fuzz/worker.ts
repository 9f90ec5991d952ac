/**
 * Runs programs until the time is over, each from a seed of its own, and prints counts and failures as lines
 * of JSON. `scripts/fuzz.mjs` starts two of these; `node test/fuzz/worker.ts --minutes 1 --seed 7` runs one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noCounts } from './counts.ts';
import { explore } from './explore.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    scale: { type: 'string', default: 'long' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const folder = await mkdtemp(join(values.folder, 'clawdcode-fuzz-'));
const until = Date.now() + Number(values.minutes) * 60_000;
const counts = noCounts();
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`);
try {
  for (let seed = Number(values.seed); Date.now() < until; seed += Number(values.step)) {
    const scale = values.scale === 'quick' ? 'quick' : 'long';
    const failure = await explore(seed, scale, folder, counts);
    if (failure !== undefined) say({ seed, ...failure });
    if (seed % 20 === 0) say({ counts });
  }
  say({ counts, done: true });
} finally {
  await rm(folder, { recursive: true, force: true });
}
// What a shrinking waited for may still be waiting.
process.exit(0);
