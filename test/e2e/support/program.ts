/** Installs the program as a user would: the files that npm would pack, in a temporary prefix, once per run. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, link, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startModelServer } from './server.ts';
import { openTerminal } from './terminal.ts';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../../..');

/**
 * Vitest's global setup for the e2e tests: builds and installs the program, and passes its location to the tests. Does
 * not use npm to install, which would query the registry for dependencies that the bundle already contains;
 * test/e2e/packed.test.ts covers that.
 */
export default async function installProgram(): Promise<() => Promise<void>> {
  // An installed program may be given in advance, which saves time while writing a test.
  if (process.env.CLAWDCODE_TEST_PROGRAM !== undefined) return () => Promise.resolve();
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-e2e-'));
  const installed = join(base, 'prefix/lib/node_modules/clawdcode');
  await run(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: checkout });
  const options = ['--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: checkout, maxBuffer: 10_000_000 });
  for (const path of packedFiles(stdout)) await cp(join(checkout, path), join(installed, path));
  // The parts that are not in the bundle.
  await cp(join(checkout, 'node_modules/@vscode'), join(installed, 'node_modules/@vscode'), {
    recursive: true,
  });
  process.env.CLAWDCODE_TEST_PROGRAM = join(installed, 'bin/clawdcode.js');
  process.env.CLAWDCODE_TEST_CODE = await learnCode(join(base, 'learned'), installed);
  return () => rm(base, { recursive: true, force: true });
}

/** As in bin/pieces.js: the number of runs in which the program looks for more code to cache. */
const LEARNING_RUNS = 5;

/**
 * Starts the program with and without a screen, and returns the data folder with the resulting code cache. Without the
 * cache a start takes half as long again, and every test has a new home.
 */
async function learnCode(base: string, installed: string): Promise<string> {
  const [home, repository] = [join(base, 'home'), join(base, 'repository')];
  const dataRoot = join(home, '.clawdcode');
  await mkdir(dataRoot, { recursive: true, mode: 0o700 });
  await mkdir(repository);
  const server = await startModelServer();
  server.otherwise(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { text: '# Done\n\nIt said **hello**:\n\n```js\nhello();\n```\n' }
      : { calls: [{ name: 'Bash', input: { command: 'echo hello' } }] },
  );
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    COLORTERM: 'truecolor',
    OPENAI_BASE_URL: server.baseUrl,
    OPENAI_API_KEY: 'sk-test-key',
    OPENAI_MODEL: 'mock-1',
    CLAWDCODE_CONTEXT_WINDOW: '48000',
  };
  const [node = '', ...rest] = program();
  await run(node, [...rest, '-p', 'hello', '--output-format', 'json'], { cwd: repository, env });
  const terminal = openTerminal(program(), { cwd: repository, env });
  await terminal.waitFor(/context ~?\d+%/);
  terminal.send('hello\r');
  await terminal.waitFor('hello();');
  await terminal.waitForIdle();
  terminal.send('/exit\r');
  await terminal.exited;
  await server.stop();
  await pretendLearned({ dataRoot, cwd: repository }, join(installed, 'dist'));
  return dataRoot;
}

/** Makes the cache look complete, as after many runs. */
async function pretendLearned(
  place: { readonly dataRoot: string; readonly cwd: string },
  dist: string,
): Promise<void> {
  const { readCode, sumOf } = await import(join(checkout, 'bin/codeCache.js'));
  // As in bin/pieces.js.
  const identity = [process.version, process.arch, dist, undefined].join('\n');
  for (let times = 1; times < LEARNING_RUNS; times++) {
    const kept = readCode(place, identity);
    const found = readdirSync(dist).map((name) =>
      kept.find(name, sumOf(readFileSync(join(dist, name), 'utf8'))),
    );
    kept.write(
      found.filter((code) => code !== undefined),
      () => true,
    );
  }
}

/** Copies the code cache into a new home; does nothing if the program was given in advance. */
export async function giveCode(data: string): Promise<void> {
  const learned = process.env.CLAWDCODE_TEST_CODE;
  if (learned === undefined) return;
  const folder = 'compile-cache';
  await mkdir(join(data, folder), { recursive: true, mode: 0o700 });
  for (const name of [
    `${folder}.key`,
    ...(await readdir(join(learned, folder))).map((one) => join(folder, one)),
  ])
    await link(join(learned, name), join(data, name));
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
