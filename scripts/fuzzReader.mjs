// `npm run fuzz:reader -- --minutes 30 --seed 1`: random shell commands against the promises of the command reader
// (test/fuzz/reader), in two workers. Counts are printed and added to test/fuzz/reader/ledger.jsonl, with a hash of the
// reader's source. `npm run fuzz:reader -- --totals` prints what the ledger adds up to. `--words` compares words only: no
// program is started, so many times more commands are tested. `--found`: only commands whose words another one prints.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    workers: { type: 'string', default: '2' },
    totals: { type: 'boolean', default: false },
    words: { type: 'boolean', default: false },
    found: { type: 'boolean', default: false },
    'no-ledger': { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '..');
const ledger = join(root, 'test/fuzz/reader/ledger.jsonl');
const counted = ['generated', 'unasked', 'runs', 'compared', 'hung', 'surprises'];
const reader = hashOfReader();

if (values.totals) {
  printTotals();
  process.exit(0);
}
// In memory if available: files there change and are checked fastest.
const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const all = new Map();
let missing = [];
console.log(`reader ${reader}, seed ${values.seed}, ${values.minutes} minutes, ${values.workers} workers`);
const started = Date.now();
const ends = await Promise.all(Array.from({ length: Number(values.workers) }, (_, index) => run(index)));
const seconds = (Date.now() - started) / 1000;
const total = sum([...all.values()]);
print(total);
console.log(`${((total.runs + total.compared) / seconds).toFixed(1)} runs a second`);
if (missing.length > 0) console.log(`not installed, so not tested: ${missing.join(', ')}`);
if (!values['no-ledger'] && total.runs + total.compared > 0) {
  const facts = { date: new Date().toISOString().slice(0, 10), reader, seed: Number(values.seed) };
  const line = { ...facts, minutes: Number((seconds / 60).toFixed(1)), workers: ends.length, ...total };
  appendFileSync(ledger, `${JSON.stringify(line)}\n`);
}
process.exit(total.surprises > 0 || ends.some((code) => code !== 0) ? 1 : 0);

/** Resolves with the worker's exit code. */
function run(index) {
  const seed = String(Number(values.seed) + index);
  const args = [
    'test/fuzz/reader/worker.ts',
    '--minutes',
    values.minutes,
    '--seed',
    seed,
    '--folder',
    folder,
    ...(values.words ? ['--words'] : []),
    ...(values.found ? ['--found'] : []),
  ];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const news = JSON.parse(line);
    if (news.generated !== undefined) all.set(index, news);
    else if (news.missing !== undefined) missing = news.missing;
    else console.log(line);
  });
  return new Promise((resolve) => child.once('close', resolve));
}

function sum(list) {
  return Object.fromEntries(
    counted.map((name) => [name, list.reduce((added, one) => added + (one[name] ?? 0), 0)]),
  );
}

function print(counts) {
  for (const name of counted) console.log(`${name.padEnd(12)} ${counts[name]}`);
}

function printTotals() {
  const lines = existsSync(ledger)
    ? readFileSync(ledger, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  console.log(`all readers, ${lines.length} runs`);
  print(sum(lines));
  const same = lines.filter((line) => line.reader === reader);
  console.log(`this reader (${reader}), ${same.length} runs`);
  print(sum(same));
}

/** Of the source that decides about commands, and of the grammar. */
function hashOfReader() {
  const hash = createHash('sha256');
  const folders = ['src/permissions'];
  for (let at = 0; at < folders.length; at += 1)
    for (const entry of readdirSync(join(root, folders[at]), { withFileTypes: true }).sort(byName)) {
      const path = `${folders[at]}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else hash.update(`${path}\0`).update(readFileSync(join(root, path)));
    }
  const grammar = join(root, 'node_modules/tree-sitter-bash/tree-sitter-bash.wasm');
  if (existsSync(grammar)) hash.update(readFileSync(grammar));
  return hash.digest('hex').slice(0, 12);
}

function byName(one, other) {
  return one.name < other.name ? -1 : 1;
}
