// Runs all checks in one command: build, architecture and tests; next to them format, lint and types. `--all` adds the
// tests tagged `long`; see CONTRIBUTING.md.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

const isAll = process.argv.includes('--all');
const typesOf = [
  '--noEmit',
  '--singleThreaded',
  '--incremental',
  '--tsBuildInfoFile',
  'node_modules/.cache/types.tsbuildinfo',
];
const runTests = [
  'run',
  ...(isAll ? [] : ['--tagsFilter', '!long']),
  // The output is a pipe, which Vitest would not color.
  ...(process.stdout.isTTY ? ['--color'] : []),
];
/** One after the other; what they print is shown when they end. */
const sources = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', '--diagnostic-level=warn', '.']],
  ['types', 'tsc', typesOf],
];
const build = ['build', 'node', ['scripts/build.mjs', '--if-needed']];
/** At the same time: those of the program spend most of their time waiting. */
const tests = [
  ['architecture and parts', 'vitest', [...runTests, '--project=parts', '--project=alone']],
  ['program, permissions, requirements', 'vitest', [...runTests, '--project=!parts', '--project=!alone']],
];

const running = new Set();
const started = Date.now();
await Promise.all([buildAndTest(), checkSources()]);
const seconds = Math.round((Date.now() - started) / 1000);
process.stdout.write(`\nEverything passes, after ${seconds} s.`);
process.stdout.write(isAll ? '\n' : ' "npm run test:all" adds the tests that take long.\n');

async function checkSources() {
  for (const step of sources) {
    const { status, output } = await run(step);
    report(step, status, output);
    if (status !== 0) fail(status);
  }
}

/** Shows each finished test file as it ends; failures and totals follow when all tests have ended. */
async function buildAndTest() {
  const built = await run(build);
  if (built.status !== 0) {
    report(build, built.status, built.output);
    fail(built.status);
  }
  const ends = await Promise.all(tests.map((step) => run(step, showProgress)));
  for (const [index, { status, output }] of ends.entries()) report(tests[index], status, output);
  const failed = ends.find(({ status }) => status !== 0);
  if (failed !== undefined) fail(failed.status);
}

/** Prints a line about a test file, or about a test in it, and returns true; keeps other lines for later. */
function showProgress(line) {
  const isShown = /^ +[✓×↓→]|^ ❯ +\w+ +test\//.test(stripVTControlCharacters(line));
  if (isShown) process.stdout.write(`${line}\n`);
  return isShown;
}

function report([name], status, output) {
  process.stdout.write(`\n— ${name}: ${status === 0 ? 'passed' : 'failed'}\n${output}`);
}

/** Runs a command; resolves with its exit status and with the lines of its output that `take` did not take. */
function run([, command, args], take = () => false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    running.add(child);
    let output = '';
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        if (!take(line)) output += `${line}\n`;
      });
    const end = (status) => {
      running.delete(child);
      resolve({ status, output });
    };
    child.on('error', (error) => {
      output += `${command} could not be started: ${error.message}. Run "npm install" first.\n`;
      end(1);
    });
    child.on('close', (status) => end(status ?? 1));
  });
}

/** Ends what still runs: its outcome does not matter any more. */
function fail(status) {
  for (const child of running) child.kill();
  process.exit(status);
}
