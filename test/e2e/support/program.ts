/** The program as a user installs it: the files that npm would pack, below a temporary prefix, once a run. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../../..');

/**
 * Vitest's global set-up for the e2e tests: builds and installs, and tells the tests where. Without npm's own installation,
 * which asks the registry for everything that the bundle holds already; test/e2e/packed.test.ts tries that.
 */
export default async function installProgram(): Promise<() => Promise<void>> {
  // An installed program may be named beforehand, to save its installation while a test is being written.
  if (process.env.CLAWDCODE_TEST_PROGRAM !== undefined) return () => Promise.resolve();
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-e2e-'));
  const installed = join(base, 'prefix/lib/node_modules/clawdcode');
  await run(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: checkout });
  const options = ['--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: checkout, maxBuffer: 10_000_000 });
  for (const path of packedFiles(stdout)) await cp(join(checkout, path), join(installed, path));
  // All that the bundle leaves outside.
  await cp(join(checkout, 'node_modules/@vscode'), join(installed, 'node_modules/@vscode'), {
    recursive: true,
  });
  process.env.CLAWDCODE_TEST_PROGRAM = join(installed, 'bin/clawdcode.js');
  return () => rm(base, { recursive: true, force: true });
}

/** Older versions of npm list packages in an array, newer ones in an object by name. */
function packedFiles(json: string): readonly string[] {
  const packed: Record<string, { readonly files: readonly { readonly path: string }[] }> = JSON.parse(json);
  return Object.values(packed).flatMap(({ files }) => files.map(({ path }) => path));
}

/** The command line that starts the installed program with the Node that runs the tests. */
export function program(): readonly string[] {
  const path = process.env.CLAWDCODE_TEST_PROGRAM;
  if (path === undefined)
    throw new Error('the program was not installed: run the e2e project with its global set-up');
  return [process.execPath, path];
}
