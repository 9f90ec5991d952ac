/**
 * Runs programs until the time is up, each from its own seed, and prints counts and failures as JSON lines.
 * `scripts/fuzz.mjs` starts two of these; to run one: `node test/fuzz/worker.ts --minutes 1 --seed 7`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noCounts } from './counts.ts';
import { explore } from './explore.ts';
import { runGiants } from './giants.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    /** Distance between two seeds, so that workers do not overlap. */
    step: { type: 'string', default: '1' },
    folder: { type: 'string', default: tmpdir() },
    /** Megabytes of the largest output; 0 for none. */
    giant: { type: 'string', default: '0' },
  },
});
const folder = await mkdtemp(join(values.folder, 'clawdcode-fuzz-'));
const until = Date.now() + Number(values.minutes) * 60_000;
const counts = noCounts();
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`);
/** One program in this many has large windows, large outputs and many calls. */
const LONG_EVERY = 4;
/** Milliseconds between two lines of counts. */
const TELL_MS = 5000;

try {
  if (values.giant !== '0') {
    await runGiants(folder, Number(values.giant) * 1_000_000, counts).catch((error: Error) =>
      say({ seed: 0, message: `Giants: ${error.message}` }),
    );
  }
  let reportedAt = 0;
  for (let seed = Number(values.seed); Date.now() < until; seed += Number(values.step)) {
    const scale = Math.floor(seed / Number(values.step)) % LONG_EVERY === 0 ? 'long' : 'quick';
    const failure = await explore(seed, scale, folder, counts);
    if (failure !== undefined) say({ seed, scale, ...failure });
    if (Date.now() - reportedAt < TELL_MS) continue;
    reportedAt = Date.now();
    say({ counts });
  }
  say({ counts });
} finally {
  await rm(folder, { recursive: true, force: true });
}
