// Everything that must hold, in one command: format, lint, types, architecture, tests. CI runs this too.
import { spawnSync } from 'node:child_process';

const steps = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['build', 'node', ['scripts/build.mjs']],
  ['architecture and tests', 'vitest', ['run']],
];
for (const [name, command, args] of steps) {
  process.stdout.write(`\n— ${name}: ${command} ${args.join(' ')}\n`);
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error)
    process.stderr.write(`${command} could not be started: ${error.message}. Run "npm install" first.\n`);
  if (status !== 0) process.exit(status ?? 1);
}
