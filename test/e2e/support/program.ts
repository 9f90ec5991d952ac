/** The program as a user installs it: packed with npm, installed below a temporary prefix, once a run. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../../..');

/** Vitest's global set-up for the e2e tests: builds, packs and installs, and tells the tests where. */
export default async function installProgram(): Promise<() => Promise<void>> {
  // An installed program may be named beforehand, to save its installation while a test is being written.
  if (process.env.CLAWDCODE_TEST_PROGRAM !== undefined) return () => Promise.resolve();
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-e2e-'));
  const packed = join(base, 'packed');
  const prefix = join(base, 'prefix');
  await mkdir(packed);
  await run(process.execPath, ['scripts/build.mjs'], { cwd: checkout });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', packed], { cwd: checkout });
  const [tarball = ''] = await readdir(packed);
  const options = [
    '--global',
    '--prefix',
    prefix,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  await run('npm', ['install', ...options, join(packed, tarball)], { cwd: base, maxBuffer: 10_000_000 });
  process.env.CLAWDCODE_TEST_PROGRAM = join(prefix, 'lib/node_modules/clawdcode/bin/clawdcode.js');
  return () => rm(base, { recursive: true, force: true });
}

/** The command line that starts the installed program with the Node that runs the tests. */
export function program(): readonly string[] {
  const path = process.env.CLAWDCODE_TEST_PROGRAM;
  if (path === undefined)
    throw new Error('the program was not installed: run the e2e project with its global set-up');
  return [process.execPath, path];
}
