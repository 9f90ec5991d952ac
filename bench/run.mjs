// `npm run bench [-- --runs N]`: what starting and stepping cost. Medians over rounds in which everything is
// measured once, so that a slow minute of the machine falls on all alike; times also as a multiple of an empty
// Node in the same rounds, which travels better from machine to machine than milliseconds do.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, release, tmpdir, type } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { emptyMemory, headlessRun, interactiveStart, wholeRun } from './measures.mjs';
import { memoryKind } from './memory.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const runs = Math.max(1, Number.parseInt(values.runs, 10) || 1);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'bin/clawdcode.js');
const scratch = mkdtempSync(join(tmpdir(), 'clawdcode-bench-'));

try {
  const place = prepare();
  const rounds = [];
  // The first round fills the compile cache and the file cache, as a first use does; it does not count.
  for (let round = 0; round <= runs; round++) {
    progress(`round ${round} of ${runs}${round === 0 ? ' (warm-up)' : ''}`);
    rounds.push(await measure(place));
  }
  progress('');
  print(rounds.slice(1));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** A home and a repository of their own, and nothing of the user's environment but PATH. */
function prepare() {
  const home = join(scratch, 'home');
  const cwd = join(scratch, 'repository');
  mkdirSync(home);
  cpSync(join(root, 'examples/sample-project'), cwd, { recursive: true });
  cpSync(join(root, 'package-lock.json'), join(cwd, 'package-lock.json'));
  spawnSync('git', ['init', '--quiet', cwd]);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: scratch,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    // Never contacted: the screen is up long before anything is asked.
    OPENAI_API_KEY: 'bench',
    OPENAI_MODEL: 'gpt-4.1',
  };
  return { cwd, env, file: join(cwd, 'package-lock.json') };
}

async function measure(place) {
  const node = await wholeRun(['-e', '0'], place);
  const version = await wholeRun([program, '--version'], place);
  const { typedMs, bytes } = await interactiveStart(program, place);
  const empty = await emptyMemory(place);
  const { firstRequestMs, stepMs } = await headlessRun(program, place);
  return { node, version, typedMs, bytes, empty, firstRequestMs, stepMs };
}

function print(rounds) {
  const times = [
    ['node -e 0', 'node'],
    ['clawdcode --version', 'version'],
    ['spawn → first typed character on screen', 'typedMs'],
    ['-p hello: spawn → first request', 'firstRequestMs'],
    ['one tool step (reply, Read, result), headless', 'stepMs'],
  ].map(([label, key]) => {
    const ratio = median(rounds.map((round) => round[key] / round.node));
    return [label, ...spread(rounds, key, 1, 'ms'), `${ratio.toFixed(2)} ×`];
  });
  const memory = [
    [`memory of an empty node after 3 s (${memoryKind})`, ...spread(rounds, 'empty', 1e6, 'MB'), '1.00 ×'],
    [
      `memory 3 s after the first character (${memoryKind} of the tree)`,
      ...spread(rounds, 'bytes', 1e6, 'MB'),
      `${median(rounds.map((round) => round.bytes / round.empty)).toFixed(2)} ×`,
    ],
  ];
  const over = median(rounds.map((round) => round.bytes - round.empty)) / 1e6;
  const rows = [['', 'median', 'lowest – highest', 'empty node'], ...times, ...memory];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  ');
  const processors = cpus();
  process.stdout.write(
    [
      `${type()} ${release()}, ${processors.length} × ${processors[0]?.model ?? 'CPU'}, Node ${process.versions.node}; ${rounds.length} rounds`,
      '',
      ...rows.map(line),
      '',
      `Over an empty node: ${over.toFixed(1)} MB`,
      ...(memoryKind === 'PSS'
        ? ['(PSS counts the pages of other running Nodes in part: compare only runs with as many of them.)']
        : []),
      '',
    ].join('\n'),
  );
}

function spread(rounds, key, unit, name) {
  const sorted = rounds.map((round) => round[key] / unit).sort((a, b) => a - b);
  const show = (value) => value.toFixed(1);
  return [`${show(median(sorted))} ${name}`, `${show(sorted[0])} – ${show(sorted.at(-1))}`];
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** One line on standard error that is written over; nothing where it is not a terminal. */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}
