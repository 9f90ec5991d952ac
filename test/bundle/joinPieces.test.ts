/** Pieces that are always loaded together are one file, and run as if each were a file of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { groupPieces, joinPieces } from '../../scripts/bundle/joinPieces.mjs';
import { toCommonJs } from '../../scripts/bundle/toCommonJs.mjs';

const launcher = resolve(import.meta.dirname, '../../bin/pieces.js');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawdcode-joined-'));
});

afterEach(() => rm(folder, { recursive: true }));

const imports = (...paths: string[]) => paths.map((path) => ({ path, kind: 'import-statement' }));

test('groups pieces by the routes that load them at the start', () => {
  const outputs = {
    'dist/cli.cjs': {
      entryPoint: 'src/main.ts',
      imports: [
        ...imports('dist/chunk-AAAAAAAA.cjs', 'node:path'),
        { path: 'dist/print-BBBBBBBB.cjs', kind: 'dynamic-import' },
      ],
    },
    'dist/chunk-AAAAAAAA.cjs': { imports: [] },
    'dist/print-BBBBBBBB.cjs': {
      entryPoint: 'src/print.ts',
      imports: imports('dist/chunk-AAAAAAAA.cjs', 'dist/chunk-CCCCCCCC.cjs', 'dist/chunk-DDDDDDDD.cjs'),
    },
    'dist/chunk-CCCCCCCC.cjs': { imports: imports('dist/chunk-DDDDDDDD.cjs') },
    'dist/chunk-DDDDDDDD.cjs': { imports: [] },
    'dist/screen-EEEEEEEE.cjs': {
      entryPoint: 'src/screen.ts',
      imports: imports('dist/chunk-AAAAAAAA.cjs', 'dist/chunk-DDDDDDDD.cjs', 'dist/chunk-FFFFFFFF.cjs'),
    },
    'dist/chunk-FFFFFFFF.cjs': { imports: [] },
    'dist/rare-GGGGGGGG.cjs': { entryPoint: 'src/rare.ts', imports: [] },
  };
  const routes = [['src/main.ts'], ['src/print.ts'], ['src/screen.ts']];
  // Each of the others is alone in what loads it, is loaded only sometimes, or is named by the launcher.
  expect(groupPieces(outputs, routes)).toEqual([
    ['print-BBBBBBBB.cjs', 'chunk-CCCCCCCC.cjs'],
    ['screen-EEEEEEEE.cjs', 'chunk-FFFFFFFF.cjs'],
  ]);
  expect(() => groupPieces(outputs, [['src/gone.ts']])).toThrow('src/gone.ts is no entry');
});

test('joined pieces run once each, in the order in which they are needed', async () => {
  const sources = {
    'cli.cjs': `import { b } from "./chunk-B.cjs"; export { b };
      export const later = () => import("./chunk-C.cjs"); export const text = 'require("./chunk-B.cjs")';`,
    'chunk-A.cjs': `console.log('A runs'); export let count = 0; export const up = () => { count += 1; };`,
    'chunk-B.cjs': `import { count, up } from "./chunk-A.cjs"; console.log('B runs'); up();
      export const b = () => count; export const place = import.meta.dirname;`,
    'chunk-C.cjs': `import { up, count } from "./chunk-A.cjs"; import { place } from "./chunk-B.cjs";
      console.log('C runs'); up(); export default count; export { place };`,
  };
  const pieces = new Map<string, string>();
  for (const [name, source] of Object.entries(sources)) pieces.set(name, await toCommonJs(source));
  const files = joinPieces(pieces, [['chunk-A.cjs', 'chunk-B.cjs', 'chunk-C.cjs']]);
  expect([...files.keys()]).toEqual(['cli.cjs', expect.stringMatching(/^joined-[0-9A-F]{8}\.cjs$/)]);
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  await writeFile(
    join(folder, 'run.mjs'),
    `import { openPieces } from ${JSON.stringify(launcher)};
     const { b, later } = openPieces(${JSON.stringify(folder)}).load('cli.cjs');
     console.log(b()); const { default: count, place } = await later(); await later();
     console.log(count, b(), place);`,
  );
  const printed = execFileSync(process.execPath, [join(folder, 'run.mjs')], { encoding: 'utf8' });
  expect(printed.trim().split('\n')).toEqual(['A runs', 'B runs', '1', 'C runs', `2 2 ${folder}`]);
});
