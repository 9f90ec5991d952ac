// `npm run fuzz -- --minutes 30 --seed 1`: runs random programs over real sessions (test/fuzz) in two workers. Failures
// are minimized and saved as fixtures; the counts are printed and added to test/fuzz/ledger.jsonl.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    workers: { type: 'string', default: '2' },
    // Megabytes of the largest output; set by default for runs of ten minutes and more.
    giant: { type: 'string' },
    'no-ledger': { type: 'boolean', default: false },
  },
});
const workers = Number(values.workers);
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const giant = values.giant ?? (minutes >= 10 ? '500' : '0');
const root = join(import.meta.dirname, '..');
// In memory if available: the disk has its own tests.
const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const counts = new Map();
let failures = 0;

const commit = whatRuns();
console.log(`${commit}, seed ${seed}, ${minutes} minutes, ${workers} workers`);
const started = Date.now();
const ends = await Promise.all(Array.from({ length: workers }, (_, index) => run(index)));
const total = sum([...counts.values()]);
const tookMinutes = (Date.now() - started) / 60_000;
const broken = failures + ends.filter((code) => code !== 0).length;
report(total, tookMinutes);
if (!values['no-ledger']) appendFileSync(join(root, 'test/fuzz/ledger.jsonl'), `${ledgerLine(total)}\n`);
process.exit(broken > 0 ? 1 : 0);

/** Resolves with the worker's exit code. */
function run(index) {
  const args = ['test/fuzz/worker.ts', '--minutes', values.minutes, '--seed', String(seed + index)];
  const more = ['--step', values.workers, '--folder', folder, '--giant', index === 0 ? giant : '0'];
  const child = spawn(process.execPath, [...args, ...more], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => take(index, JSON.parse(line)));
  return new Promise((resolve) => child.once('close', resolve));
}

function take(index, news) {
  if (news.counts !== undefined) return void counts.set(index, news.counts);
  failures++;
  console.log(`seed ${news.seed}: ${news.message}`);
  if (news.program === undefined) return;
  const file = join(root, 'test/fuzz/fixtures', `seed-${news.seed}-${news.scale}.json`);
  writeFileSync(file, `${JSON.stringify(news, null, 2)}\n`);
  console.log(`  kept in ${file}`);
}

function sum(all) {
  const added = {};
  for (const one of all)
    for (const [name, value] of Object.entries(one))
      added[name] = name === 'marginMost' ? Math.max(added[name] ?? 0, value) : (added[name] ?? 0) + value;
  return added;
}

function report(all, took) {
  for (const [name, value] of Object.entries(all)) console.log(`${name.padEnd(20)} ${value}`);
  const perSecond = (value) => ((value ?? 0) / (took * 60)).toFixed(1);
  console.log(`failures             ${broken}`);
  console.log(`${perSecond(all.programs)} programs and ${perSecond(all.requests)} requests a second`);
  if (all.marginCount > 0)
    console.log(
      `of the window, estimates took ${(all.marginSum / all.marginCount / 10).toFixed(2)} % too much`,
    );
}

function ledgerLine(all) {
  const date = new Date().toISOString().slice(0, 10);
  const facts = { date, commit, seed, minutes: Number(tookMinutes.toFixed(1)), workers };
  return JSON.stringify({ ...facts, failures: broken, ...all });
}

/** The commit, with a plus if the sources differ from it. */
function whatRuns() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  const isChanged = git('status', '--porcelain', 'src', 'test/fuzz') !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? '+' : ''}`;
}
