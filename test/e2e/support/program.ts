/** Installs the program as a user would: the files that npm packs, in a temporary prefix, once per run. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, link, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startModelServer } from './server.ts';
import { openTerminal } from './terminal.ts';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../../..');

/**
 * Vitest's global setup for the e2e tests: builds and installs the program, and passes its location to the tests. Does
 * not use npm, which takes seconds to pack, and to install would query the registry for dependencies that the bundle
 * already contains; test/e2e/packed.test.ts covers that.
 */
export default async function installProgram(): Promise<() => Promise<void>> {
  // Another project of this run has installed it, or it was given in advance, which saves time while writing a test.
  if (process.env.CLAWDCODE_TEST_PROGRAM !== undefined) return () => Promise.resolve();
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-e2e-'));
  const installed = join(base, 'prefix/lib/node_modules/clawdcode');
  await run(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: checkout });
  for (const path of await packedPaths())
    await cp(join(checkout, path), join(installed, path), { recursive: true });
  // The parts that are not in the bundle.
  await cp(join(checkout, 'node_modules/@vscode'), join(installed, 'node_modules/@vscode'), {
    recursive: true,
  });
  process.env.CLAWDCODE_TEST_PROGRAM = join(installed, 'bin/clawdcode.js');
  process.env.CLAWDCODE_TEST_CODE = await learnCode(join(base, 'learned'), installed);
  return () => rm(base, { recursive: true, force: true, maxRetries: 10 });
}

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

/**
 * Makes the cache look complete, as after many runs: what the two starts did not use is compiled as well. Otherwise each
 * test of a subcommand would compile its code and, at exit, save it.
 */
async function pretendLearned(
  place: { readonly dataRoot: string; readonly cwd: string },
  dist: string,
): Promise<void> {
  const { readCode, sumOf } = await import(join(checkout, 'bin/codeCache.js'));
  const { compilePiece, LEARNING_RUNS } = await import(join(checkout, 'bin/pieces.js'));
  // As in bin/pieces.js, of a program that is started without options.
  const identity = [process.version, process.arch, dist, undefined].join('\n');
  const kept = readCode(place, identity);
  const codes = readdirSync(dist)
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => {
      const filename = join(dist, name);
      const source = readFileSync(filename, 'utf8');
      const sum = sumOf(source);
      const compile = () => ({ name, sum, code: compilePiece(filename, source).createCachedData() });
      return kept.find(name, sum) ?? compile();
    });
  for (let times = 1; times <= LEARNING_RUNS; times++) {
    const { write } = readCode(place, identity);
    write(codes, () => true);
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

/** What npm packs according to `package.json`: files and folders, without those that are excluded. */
async function packedPaths(): Promise<readonly string[]> {
  const { files }: { readonly files: readonly string[] } = JSON.parse(
    await readFile(join(checkout, 'package.json'), 'utf8'),
  );
  return ['package.json', 'README.md', 'LICENSE', ...files.filter((path) => !path.startsWith('!'))];
}

/** The command line that starts the installed program with the Node that runs the tests. */
export function program(): readonly string[] {
  const path = process.env.CLAWDCODE_TEST_PROGRAM;
  if (path === undefined)
    throw new Error('the program was not installed: run the e2e project with its global set-up');
  return [process.execPath, path];
}
