/**
 * The package as npm packs and installs it, in an empty folder.
 *
 * @module-tag long
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../..');

test('a packed copy can be installed, prints its version and replies with the demo model', long, async () => {
  const { work } = await setUpProgram();
  const folder = join(work.temporary, 'installed');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const packed = ['pack', '--ignore-scripts', '--pack-destination', work.temporary];
  await run('npm', packed, { cwd: checkout });
  const tarball = (await readdir(work.temporary)).find((name) => name.endsWith('.tgz')) ?? '';
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...options, join(work.temporary, tarball)], {
    cwd: folder,
    maxBuffer: 10_000_000,
  });
  const start = async (...args: string[]) => {
    const file = join(folder, 'node_modules/.bin/clawdcode');
    const child = run(file, args, { cwd: work.repository, env: work.env() });
    child.child.stdin?.end();
    return (await child).stdout;
  };
  expect(await start('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await start('--demo', '-p', 'hello')).toContain('demo');
});
