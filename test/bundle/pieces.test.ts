/** The program's pieces run with cached V8 code or without it, and behave the same. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toCommonJs } from '../../scripts/bundle/toCommonJs.mjs';

const root = resolve(import.meta.dirname, '../..');

let folder: string;
/** The user's data folder. */
let data: string;
/** The contents of the cache. */
let cache: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawdcode-pieces-'));
  data = await mkdtemp(join(tmpdir(), 'clawdcode-code-'));
  cache = join(data, 'compile-cache');
});

afterEach(async () => {
  for (const one of [folder, data]) await rm(one, { recursive: true });
});

async function lay(pieces: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, source] of Object.entries(pieces))
    await writeFile(join(folder, name), await toCommonJs(source));
}

/** Runs `code` in a separate process, where `pieces` are those of the folder, and returns its output. */
async function run(
  code: string,
  dataRoot: string | null = data,
  options = '{ worthKeeping: 1, small: 0, longMs: 0 }',
): Promise<string> {
  const script = join(folder, 'run.mjs');
  const place = dataRoot === null ? 'undefined' : JSON.stringify({ dataRoot, cwd: folder });
  await writeFile(
    script,
    `import { openPieces } from ${JSON.stringify(join(root, 'bin/pieces.js'))};
     const pieces = openPieces(${JSON.stringify(folder)}, ${place}, ${options});
     ${code}`,
  );
  return execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim();
}

const SUM = `export function sum(a, b) { return a + b; }
  export function never() { return 'never called'; }`;
const CALL = "console.log(pieces.load('cli.cjs').sum(1, 2))";

/** Whether V8 accepted the cached code of `cli.cjs`, according to the script itself. */
const TAKEN = `import vm from 'node:vm'; const { Script } = vm; let taken;
  vm.Script = class extends Script { constructor(...given) { super(...given); taken = this.cachedDataRejected === false; } };`;

async function keptFile(): Promise<string> {
  const [name = '', ...others] = await readdir(cache);
  expect(others).toEqual([]);
  return join(cache, name);
}

test('pieces see changes of an exported binding, and import() returns the piece’s module', async () => {
  await lay({
    'cli.cjs': `import { count as c, up as u } from "./chunk-A.cjs"; import { join as j } from "node:path";
      export const before = c; u(); export const after = c; export const path = j('a', 'b');
      export const later = () => import("./chunk-A.cjs");`,
    'chunk-A.cjs': 'export let count = 1; export function up() { count += 1; } export default [1];',
  });
  expect(
    await run(`const { before, after, path, later } = pieces.load('cli.cjs'); const { count, default: all } = await later();
      console.log(before, after, path, count, all[0])`),
  ).toBe('1 2 a/b 2 1');
});

test('memory for new objects is several megabytes once a large piece is loaded: V8 starts with one', async () => {
  await lay({ 'cli.cjs': SUM, 'chunk-A.cjs': `export const long = '${'-'.repeat(2000)}';` });
  const size = `process.getBuiltinModule('node:v8').getHeapSpaceStatistics()
    .find(({ space_name }) => space_name === 'new_space').space_size`;
  const show = (piece: string) => `pieces.load('${piece}'); console.log(${size});`;
  const sizes = await run(show('cli.cjs') + show('chunk-A.cjs'), data, '{ small: 1000 }');
  const [before = 0, after = 0] = sizes.split('\n').map(Number);
  expect(before).toBeLessThan(3_000_000);
  expect(after).toBeGreaterThan(5_000_000);
});

test('import() works for packages and Node modules, and import.meta for its file', async () => {
  await lay({
    'cli.cjs': `export const url = import.meta.url; export const folder = import.meta.dirname;
      export const sep = async () => (await import("node:path")).sep;`,
  });
  const printed = await run(
    `const { url, folder, sep } = pieces.load('cli.cjs'); console.log(url, folder, await sep())`,
  );
  expect(printed).toBe(`file://${join(folder, 'cli.cjs')} ${folder} /`);
});

test('a piece with its own require is rejected at build time', async () => {
  // In a direct eval, no name can be changed.
  const source = `export async function f(code) { eval(code);
    const { createRequire } = await import("node:module"); var require = createRequire(import.meta.url);
    return require("node:fs"); }`;
  await expect(toCommonJs(source)).rejects.toThrow('named require');
});

test('a source contains only ASCII, which V8 stores in one byte per character', async () => {
  const source = 'export const stops = (text) => /[。😀]$/u.test(text); export const name = () => `ä「`;';
  const written = await toCommonJs(source);
  expect(written).toMatch(/^[\0-\x7f]+$/);
  await lay({ 'cli.cjs': source });
  expect(
    await run(`const { stops, name } = pieces.load('cli.cjs');
      console.log(stops('了。'), stops('😀'), stops('.'), name())`),
  ).toBe('true true false ä「');
});

test('code that has run is cached, with its compiled functions', async () => {
  await lay({ 'cli.cjs': SUM });
  expect(await run(CALL)).toBe('3');
  const small = (await stat(await keptFile())).size;
  expect((await stat(await keptFile())).mode & 0o077).toBe(0);
  await run("pieces.load('cli.cjs').never(); pieces.load('cli.cjs').sum()");
  expect((await stat(await keptFile())).size).toBeGreaterThan(small);
  // Code that a later run does not use is kept; bytes outside of functions may differ.
  const both = (await stat(await keptFile())).size;
  await run("pieces.load('cli.cjs')");
  expect((await stat(await keptFile())).size).toBeGreaterThan((small + both) / 2);
});

test('after five runs nothing is written until there is a new piece', {
  tags: 'long',
}, async () => {
  const pieces = { 'cli.cjs': `${SUM} export const more = () => import("./chunk-B.cjs");` };
  await lay({ ...pieces, 'chunk-B.cjs': 'export const b = 1;' });
  for (let times = 0; times < 5; times++) await run(CALL);
  const before = await readFile(await keptFile());
  await run(CALL);
  expect((await readFile(await keptFile())).equals(before)).toBe(true);
  await run("await pieces.load('cli.cjs').more()");
  expect((await readFile(await keptFile())).equals(before)).toBe(false);
});

test('short runs write twice, so that no wait follows a reply', { tags: 'long' }, async () => {
  await lay({ 'cli.cjs': `${SUM} export const more = () => import("./chunk-B.cjs");`, 'chunk-B.cjs': SUM });
  // Even on a busy machine, where a start takes longer than a short run.
  const short = '{ worthKeeping: 1, small: 0, longMs: Infinity }';
  const written: number[] = [];
  for (let count = 0; count < 3; count++) {
    await run(count === 0 ? CALL : "pieces.load('cli.cjs').never()", data, short);
    written.push((await stat(await keptFile())).mtimeMs);
  }
  expect(written[1]).not.toBe(written[0]);
  expect(written[2]).toBe(written[1]);
  // Code that a longer run has used is still added.
  await run(CALL);
  expect((await stat(await keptFile())).mtimeMs).not.toBe(written[2]);
  const before = await readFile(await keptFile());
  await run("await pieces.load('cli.cjs').more()", data, short);
  expect((await readFile(await keptFile())).equals(before), 'a new piece').toBe(false);
});

test('a changed piece is recorded again for five runs, and a removed one leaves nothing behind', {
  tags: 'long',
}, async () => {
  const asks = (name: string) => `${SUM} export const more = () => import("./${name}");`;
  const use = "await pieces.load('cli.cjs').more()";
  await lay({ 'cli.cjs': asks('chunk-A.cjs'), 'chunk-A.cjs': 'export const a = 1;' });
  for (let times = 0; times < 6; times++) await run(use);
  expect(await readFile(await keptFile(), 'latin1')).toContain('chunk-A.cjs');
  await rm(join(folder, 'chunk-A.cjs'));
  await lay({ 'cli.cjs': asks('chunk-B.cjs'), 'chunk-B.cjs': 'export const b = 1;' });
  await run(use);
  expect(await readFile(await keptFile(), 'latin1')).not.toContain('"chunk-A.cjs"');
  const small = (await stat(await keptFile())).size;
  await run("pieces.load('cli.cjs').never()");
  expect((await stat(await keptFile())).size).toBeGreaterThan(small);
});

test('a piece that fails to load fails again on the next request', async () => {
  await lay({
    'cli.cjs': 'export const more = () => import("./chunk-A.cjs");',
    'chunk-A.cjs': 'export const half = 1; throw new Error("not today");',
  });
  const twice = `const { more } = pieces.load('cli.cjs');
    for (const _ of [1, 2]) await more().then(() => console.log('half'), (error) => console.log(error.message))`;
  expect(await run(twice)).toBe('not today\nnot today');
});

test('a changed piece runs its new code, even if its length is the same', {
  tags: 'long',
}, async () => {
  await lay({ 'cli.cjs': SUM });
  await run(CALL);
  await lay({ 'cli.cjs': SUM.replace('a + b', 'a - b') });
  expect(await run(CALL)).toBe('-1');
});

test('cached code that is damaged anywhere is not used', { tags: 'long' }, async () => {
  await lay({ 'cli.cjs': SUM });
  await run(CALL);
  const file = await keptFile();
  const whole = await readFile(file);
  const damages = [
    Buffer.alloc(0),
    Buffer.from('not an index at all'),
    whole.subarray(0, whole.length - 40),
    Buffer.concat([Buffer.alloc(4, 0xff), whole.subarray(4)]),
    Buffer.concat([whole.subarray(0, 4), Buffer.alloc(32), whole.subarray(36)]),
    ...[0.3, 0.5, 0.7, 0.9].map((share) => {
      const bytes = Buffer.from(whole);
      const at = Math.floor(whole.length * share);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      return bytes;
    }),
  ];
  for (const bytes of damages) {
    await writeFile(file, bytes);
    expect(await run(CALL)).toBe('3');
  }
});

test('code stays valid when V8 settings change at run time, as the program changes them', {
  tags: 'long',
}, async () => {
  const heap = await readFile(join(root, 'src/cli/process/heap.ts'), 'utf8');
  const flags = [...heap.matchAll(/\['(--[\w-]+=\d+)', '(--[\w-]+=\d+)'\]/g)].map(([, ...pair]) => pair);
  expect(flags.length).toBeGreaterThan(1);
  await lay({ 'cli.cjs': SUM });
  const changed = `pieces.setFlags(${JSON.stringify(flags)});`;
  const taken = `${CALL}; console.log(taken)`;
  // Stored after the change, it is accepted before and after it.
  expect(await run(`${TAKEN} ${CALL}; ${changed} console.log(taken)`)).toBe('3\nfalse');
  expect(await run(`${TAKEN} ${taken}`)).toBe('3\ntrue');
  expect(await run(`${TAKEN} ${changed} ${taken}`)).toBe('3\ntrue');
  // The usual value is this Node's own default.
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const [, usual] of flags) expect(known).toContain(`default: ${usual}\n`);
});

test('code that V8 rejects is replaced by code that it accepts, even if that contains less', {
  tags: 'long',
}, async () => {
  await lay({ 'cli.cjs': SUM });
  // As another build of the same Node might have it.
  const other = "import v8 from 'node:v8'; v8.setFlagsFromString('--max-lazy');";
  await run(`${other} pieces.load('cli.cjs').never(); ${CALL}`);
  expect(await run(`${TAKEN} ${CALL}; console.log(taken)`)).toBe('3\nfalse');
  expect(await run(`${TAKEN} ${CALL}; console.log(taken)`)).toBe('3\ntrue');
});

test('without a cache folder nothing is stored, and everything works', { tags: 'long' }, async () => {
  await lay({ 'cli.cjs': SUM });
  expect(await run(CALL, null)).toBe('3');
  expect(await readdir(data)).toEqual([]);
  expect(await run(CALL, join(folder, 'not there'))).toBe('3');
  expect(await run(CALL, folder)).toBe('3');
  expect((await readdir(folder)).toSorted()).toEqual(['cli.cjs', 'run.mjs']);
});

test('nothing is looked up or stored before a large enough source: --version needs no key', {
  tags: 'long',
}, async () => {
  const more = 'export const more = () => import("./chunk-A.cjs");';
  await lay({ 'cli.cjs': more, 'chunk-A.cjs': `export const long = "${'x'.repeat(5000)}";` });
  const options = '{ worthKeeping: 1, small: 4000 }';
  await run("pieces.load('cli.cjs')", data, options);
  expect(await readdir(data)).toEqual([]);
  await run("await pieces.load('cli.cjs').more()", data, options);
  const kept = await readFile(await keptFile(), 'latin1');
  expect([kept.includes('chunk-A.cjs'), kept.includes('"cli.cjs"')]).toEqual([true, false]);
});

test("Node's own cache still omits functions that run after their module has loaded", {
  tags: 'long',
}, async () => {
  const file = join(folder, 'module.mjs');
  const body = Array.from({ length: 200 }, (_, at) => `a += ${at} * a;`).join('');
  const sizeOf = async (call: string): Promise<number> => {
    await writeFile(file, `function work(a) { ${body} return a; } export const use = () => work(1);`);
    const own = await mkdtemp(join(data, 'node-'));
    const env = { ...process.env, NODE_COMPILE_CACHE: own };
    const script = `const { use } = await import(${JSON.stringify(file)}); ${call}`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env });
    const kept = await readdir(own, { recursive: true, withFileTypes: true });
    const sizes = kept.filter((one) => one.isFile()).map((one) => stat(join(one.parentPath, one.name)));
    return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  };
  const loaded = await sizeOf('');
  expect(loaded).toBeGreaterThan(0);
  // The function takes several thousand bytes; a few of them differ each time.
  expect(await sizeOf('use();')).toBeLessThan(loaded + 1000);
});
