// Bundles src/ into dist/: one entry for the command line, one for each thread (counting tokens, the catalogue
// of sessions, reading web pages), code-split so that nothing is parsed before it is needed. Everything is bundled except parts that carry their
// own binary.
import { cp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: {
    cli: 'src/cli/main.ts',
    tokenWorker: 'src/context/tokens/exact/worker.ts',
    catalogueWorker: 'src/context/storage/catalogue/worker.ts',
    pageWorker: 'src/tools/web/pageWorker.ts',
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // Packages that offer a module entry are bundled by that: a UMD entry may hide its own imports.
  mainFields: ['module', 'main'],
  target: 'node22',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  external: ['@vscode/ripgrep'],
  // Ink asks for it only when DEV=true; it is not a dependency of ours.
  // Turndown needs its own parser only for strings; it is given trees.
  alias: {
    'react-devtools-core': join(root, 'scripts/empty-module.mjs'),
    '@mixmark-io/domino': join(root, 'scripts/empty-module.mjs'),
  },
  define: { 'process.env.NODE_ENV': '"production"' },
  jsx: 'automatic',
  // CommonJS parts of the bundle call require().
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
// The shell grammar is data that the permission rules need at run time.
await cp(require.resolve('web-tree-sitter/web-tree-sitter.wasm'), join(dist, 'web-tree-sitter.wasm'));
await cp(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm'), join(dist, 'tree-sitter-bash.wasm'));
