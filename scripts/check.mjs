// Runs all checks in one command: format, lint, types, architecture, tests. `--all` adds the tests tagged `long`; see
// CONTRIBUTING.md.
import { spawnSync } from 'node:child_process';

const isAll = process.argv.includes('--all');
const steps = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['build', 'node', ['scripts/build.mjs', '--if-needed']],
  ['architecture and tests', 'vitest', ['run', ...(isAll ? [] : ['--tagsFilter', '!long'])]],
];
for (const [index, [name, command, args]] of steps.entries()) {
  process.stdout.write(`\n— ${index + 1} of ${steps.length}, ${name}: ${command} ${args.join(' ')}\n`);
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error)
    process.stderr.write(`${command} could not be started: ${error.message}. Run "npm install" first.\n`);
  if (status !== 0) process.exit(status ?? 1);
}
if (!isAll) process.stdout.write('\nEverything holds. "npm run test:all" adds the tests that take long.\n');
