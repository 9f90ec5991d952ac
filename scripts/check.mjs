// Runs all checks in one command: build, architecture and tests; next to them format, lint and types. `--all` adds the
// tests tagged `long`; see CONTRIBUTING.md.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const isAll = process.argv.includes('--all');
const typesOf = [
  '--noEmit',
  '--singleThreaded',
  '--incremental',
  '--tsBuildInfoFile',
  'node_modules/.cache/types.tsbuildinfo',
];
/** One after the other, on screen as they run. */
const tests = [
  ['build', 'node', ['scripts/build.mjs', '--if-needed']],
  ['architecture and tests', 'vitest', ['run', ...(isAll ? [] : withoutLong())]],
];
/** At the same time: tests spend a part of theirs waiting. What they print is shown when they end. */
const sources = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['types', 'tsc', typesOf],
];

const running = new Set();
const started = Date.now();
await Promise.all([inTurn(tests, 'inherit'), inTurn(sources, 'pipe')]);
const seconds = Math.round((Date.now() - started) / 1000);
process.stdout.write(`\nEverything passes, after ${seconds} s.`);
process.stdout.write(isAll ? '\n' : ' "npm run test:all" adds the tests that take long.\n');

/** Leaves out the tests that take long; files with no others are not even loaded. */
function withoutLong() {
  const files = readdirSync('test', { recursive: true }).filter((file) => /\.test\.tsx?$/.test(file));
  const long = files.filter((file) =>
    /^ ?\/?\*.*@module-tag long\b/m.test(readFileSync(join('test', file), 'utf8')),
  );
  return ['--tagsFilter', '!long', ...long.map((file) => `--exclude=test/${file}`)];
}

/** Runs commands one after the other; ends this program if one fails. */
async function inTurn(steps, stdio) {
  for (const [name, command, args] of steps) {
    const shown = args.filter((arg) => !arg.startsWith('--exclude='));
    if (stdio === 'inherit') process.stdout.write(`\n— ${name}: ${command} ${shown.join(' ')}\n`);
    const { output, status, error } = await run(command, args, stdio);
    if (stdio === 'pipe')
      process.stdout.write(`\n— ${name}: ${status === 0 ? 'passed' : 'failed'}\n${output}`);
    if (error !== undefined)
      process.stderr.write(`${command} could not be started: ${error.message}. Run "npm install" first.\n`);
    if (status !== 0) fail(status ?? 1);
  }
}

function run(command, args, stdio) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', stdio, stdio],
      shell: process.platform === 'win32',
    });
    running.add(child);
    let output = '';
    const add = (text) => {
      output += text;
    };
    child.stdout?.setEncoding('utf8').on('data', add);
    child.stderr?.setEncoding('utf8').on('data', add);
    const end = (outcome) => {
      running.delete(child);
      resolve({ output, ...outcome });
    };
    child.on('error', (error) => end({ status: 1, error }));
    child.on('close', (status) => end({ status }));
  });
}

/** Ends what still runs: its outcome does not matter any more. */
function fail(status) {
  for (const child of running) child.kill();
  process.exit(status);
}
