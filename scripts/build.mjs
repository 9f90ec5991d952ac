// Bundles src/ into dist/: one entry for the command line, one for each thread (counting tokens, the catalogue
// of sessions, reading web pages), code-split so that nothing is parsed before it is needed. Everything is bundled except parts that carry their
// own binary.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licensesOf } from './licenses.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

await mkdir(dist, { recursive: true });
const { metafile } = await build({
  metafile: true,
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
  // Without the names of functions: keeping them is a call for each, 10 ms of every start. Nothing reads them.
  minify: true,
  legalComments: 'none',
  external: ['@vscode/ripgrep'],
  // Ink asks for it only when DEV=true; it is not a dependency of ours.
  // Turndown needs its own parser only for strings; it is given trees.
  alias: {
    'react-devtools-core': join(root, 'scripts/shims/empty.mjs'),
    '@mixmark-io/domino': join(root, 'scripts/shims/empty.mjs'),
    debug: join(root, 'scripts/shims/silentDebug.mjs'),
  },
  plugins: [shims()],
  define: { 'process.env.NODE_ENV': '"production"', 'Intl.Segmenter': 'LazySegmenter' },
  inject: [join(root, 'scripts/shims/lazySegmenter.mjs')],
  jsx: 'automatic',
  // CommonJS parts of the bundle call require().
  banner: {
    js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
const chunks = Object.keys(metafile.outputs).map((path) => basename(path));
for (const name of chunks) await withoutFacades(join(dist, name));
// The shell grammar is data that the permission rules need at run time.
await cp(require.resolve('web-tree-sitter/web-tree-sitter.wasm'), join(dist, 'web-tree-sitter.wasm'));
await cp(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm'), join(dist, 'tree-sitter-bash.wasm'));
// Nothing else brings their licences to whoever installs the package.
const licenses = licensesOf(metafile, ['tree-sitter-bash', 'yoga-layout'], root);
await writeFile(join(dist, 'third-party-licenses.txt'), licenses);
await removeOlder([
  ...chunks,
  'yoga.wasm',
  'web-tree-sitter.wasm',
  'tree-sitter-bash.wasm',
  'third-party-licenses.txt',
]);

/**
 * Removes what neither this build has made nor the one before it: a program that runs while it is built anew still
 * loads pieces of its own build, by names that hold a hash. `made`: names in `dist`.
 */
async function removeOlder(made) {
  const list = join(dist, 'build.json');
  const before = await readFile(list, 'utf8')
    .then(JSON.parse)
    // The first build, or one that was stopped while it wrote.
    .catch(() => []);
  const kept = new Set([...made, ...before, basename(list)]);
  for (const name of await readdir(dist))
    if (!kept.has(name)) await rm(join(dist, name), { recursive: true });
  await writeFile(list, JSON.stringify(made));
}

/**
 * Node's own modules by `process.getBuiltinModule` in place of `import`, which touches all that a module exports, and
 * so loads what Node would load lazily (worker threads, web crypto, argument parsing …): ~10 ms at every start.
 */
async function withoutFacades(file) {
  const source = await readFile(file, 'utf8');
  const bundled = source.replace(
    // As esbuild writes it when it minifies: text of a program inside a string looks different.
    /\bimport(?: ([\w$]+))?,?(?:\{([^{}]*)\}|\*as ([\w$]+))? ?from"([\w:/]+)";?/g,
    (statement, whole, names, namespace, path) => {
      if (!isBuiltin(path)) return statement;
      const module = `process.getBuiltinModule("${path}")`;
      const bound = [whole, namespace, names && `{${names.replaceAll(/\s+as\s+/g, ':')}}`].filter(Boolean);
      return bound.length === 0 ? '' : `const ${bound.map((name) => `${name}=${module}`).join(',')};`;
    },
  );
  await writeFile(file, bundled);
}

/** Goes around what two parts cost at every start; see the files in `shims/` for what and why. */
function shims() {
  const folder = join(root, 'scripts/shims');
  const yoga = dirname(dirname(dirname(require.resolve('yoga-layout'))));
  const own = { 'yoga-layout': 'yoga.mjs', 'string-width': 'stringWidth.mjs' };
  return {
    name: 'shims',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(yoga-layout|string-width)$/ }, ({ path }) => ({
        path: join(folder, own[path]),
      }));
      onResolve({ filter: /^yoga-layout\/dist\// }, ({ path }) => ({
        path: join(yoga, path.slice('yoga-layout/'.length)),
      }));
      onResolve({ filter: /^string-width\/index\.js$/ }, () => ({
        path: join(root, 'node_modules/string-width/index.js'),
      }));
      onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const [url, base64] = /data:application\/octet-stream;base64,([\w+/=]+)/.exec(source) ?? [];
        if (base64 === undefined)
          throw new Error(`${path} does not hold its code as before: look at shims/yoga.mjs`);
        await writeFile(join(dist, 'yoga.wasm'), Buffer.from(base64, 'base64'));
        return { contents: source.replace(url, ''), loader: 'js' };
      });
    },
  };
}
