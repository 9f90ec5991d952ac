// Bundles src/ into dist/: one entry for the command line, one for each thread (counting tokens, the session catalogue,
// deciding about commands, reading web pages) and those of the package for other programs, code-split so that nothing
// is parsed before it is needed.
// Bundles everything except parts with their own binary. With --if-needed does nothing if dist is newer than all its
// sources.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { OWN_PACKAGES } from '../src/cli/process/ownPackages.ts';
import { isUpToDate } from './bundle/isUpToDate.mjs';
import { groupPieces, joinPieces } from './bundle/joinPieces.mjs';
import { slimSdks } from './bundle/slimSdks.mjs';
import { toCommonJs } from './bundle/toCommonJs.mjs';
import { licensesOf } from './licenses.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

if (process.argv.includes('--if-needed')) {
  const sources = ['src', 'scripts', 'package.json', 'package-lock.json'].map((name) => join(root, name));
  if (await isUpToDate(join(dist, 'build.json'), sources)) process.exit();
}
await mkdir(dist, { recursive: true });
const common = {
  metafile: true,
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // Prefers the module entry of a package: a UMD entry may hide its own imports.
  mainFields: ['module', 'main'],
  target: 'node22',
  // Function names are not kept: keeping them is a call for each, 10 ms at every start, and nothing reads them.
  minify: true,
  legalComments: 'none',
  // Programs of their own, and native code.
  external: [...OWN_PACKAGES],
  // Ink imports react-devtools-core only if DEV=true; it is not our dependency. Turndown needs domino only to parse
  // strings; we pass trees.
  alias: {
    'react-devtools-core': join(root, 'scripts/shims/empty.mjs'),
    '@mixmark-io/domino': join(root, 'scripts/shims/empty.mjs'),
    '@modelcontextprotocol/client/_shims': join(root, 'scripts/shims/mcpClient.mjs'),
    // As a CommonJS module, an import() would give it without its names.
    yaml: join(root, 'node_modules/yaml/browser/index.js'),
    debug: join(root, 'scripts/shims/silentDebug.mjs'),
    // Undici loads it for proxies with Negotiate.
    kerberos: join(root, 'scripts/shims/missingModule.mjs'),
    // Linkedom uses them if they are there.
    cssstyle: join(root, 'scripts/shims/missingModule.mjs'),
    canvas: join(root, 'scripts/shims/missingModule.mjs'),
  },
  plugins: [shims(), slimSdks(root)],
  define: { 'process.env.NODE_ENV': '"production"', 'Intl.Segmenter': 'LazySegmenter' },
  inject: [join(root, 'scripts/shims/lazySegmenter.mjs')],
  jsx: 'automatic',
  logLevel: 'warning',
};
const program = await build({
  ...common,
  entryPoints: { cli: 'src/cli/main.ts' },
  outExtension: { '.js': '.cjs' },
  write: false,
});
const pieces = await Promise.all(
  program.outputFiles.map(async ({ path, text }) => [basename(path), await toCommonJs(text)]),
);
/** What each way to start loads at once; a part that is loaded only sometimes needs no route of its own. */
const routes = [
  ['src/cli/main.ts'],
  ['src/cli/program.ts'],
  ['src/cli/terminal/firstFrame.ts'],
  ['src/cli/interactive.ts'],
  ['src/cli/boot.ts'],
  ['src/cli/headless/headless.ts', 'src/cli/headless/headlessProcess.ts', 'src/cli/process/environment.ts'],
];
const files = joinPieces(new Map(pieces), groupPieces(program.metafile.outputs, routes));
for (const [name, text] of files) await writeFile(join(dist, name), text);
const modules = await build({
  ...common,
  entryPoints: {
    tokenWorker: 'src/context/tokens/exact/worker.ts',
    catalogueWorker: 'src/context/storage/catalogue/worker.ts',
    permissionWorker: 'src/cli/permissionThread/worker.ts',
    pageWorker: 'src/tools/web/pageWorker.ts',
    sdk: 'src/cli/sdk/main.ts',
    context: 'src/cli/sdk/context.ts',
  },
  // CommonJS parts of the bundle call require().
  banner: {
    js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
  },
});
for (const { metafile } of [program, modules]) assertOnlyOwn(metafile);
const chunks = [...files.keys(), ...Object.keys(modules.metafile.outputs).map((path) => basename(path))];
// The permission rules need the shell grammar at run time.
await cp(require.resolve('web-tree-sitter/web-tree-sitter.wasm'), join(dist, 'web-tree-sitter.wasm'));
await cp(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm'), join(dist, 'tree-sitter-bash.wasm'));
// Nothing else provides these licenses to users of the package.
const licenses = licensesOf(
  { inputs: { ...program.metafile.inputs, ...modules.metafile.inputs } },
  ['tree-sitter-bash', 'yoga-layout'],
  root,
);
await writeFile(join(dist, 'third-party-licenses.txt'), licenses);
await removeOlder([
  ...chunks,
  ...(await writeTypes()),
  'yoga.wasm',
  'web-tree-sitter.wasm',
  'tree-sitter-bash.wasm',
  'third-party-licenses.txt',
]);

/** Throws if a piece loads a package at run time that is not protected from commands; see ownPackages.ts. */
function assertOnlyOwn({ outputs }) {
  for (const [piece, { imports }] of Object.entries(outputs))
    for (const { path, external } of imports)
      if (external && !isBuiltin(path) && !OWN_PACKAGES.includes(path))
        throw new Error(
          `${piece} loads ${path}: bundle it, replace it with a shim, or add it to OWN_PACKAGES`,
        );
}

/**
 * Writes the types of the package's entries. Their sources hold nothing else, so they are declarations as they stand.
 * Returns the names of the files.
 */
async function writeTypes() {
  const from = join(root, 'src/sdk/api');
  const sources = await readdir(from);
  const names = sources.map((name) => name.replace(/\.ts$/, '.d.ts'));
  for (const [index, name] of sources.entries()) {
    const text = await readFile(join(from, name), 'utf8');
    await writeFile(join(dist, names[index]), text.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
  }
  return names;
}

/**
 * Removes files that belong neither to this build nor to the previous one: a running program still loads pieces of its
 * own build, whose names contain a hash. `made`: names in `dist`.
 */
async function removeOlder(made) {
  const list = join(dist, 'build.json');
  const before = await readFile(list, 'utf8')
    .then(JSON.parse)
    // The first build, or the last one was interrupted while writing.
    .catch(() => []);
  const kept = new Set([...made, ...before, basename(list)]);
  for (const name of await readdir(dist))
    if (!kept.has(name)) await rm(join(dist, name), { recursive: true });
  await writeFile(list, JSON.stringify(made));
}

/** Works around the start-up cost of some packages; see the files in `shims/` for details. */
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
      onLoad({ filter: /ink[/\\]build[/\\]reconciler\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const contents = source
          .replace("await import('./devtools.js')", '')
          .replace('await loadPackageJson()', '{}');
        if (/^\s+(const \w+ = )?await\b(?! import\('node:fs'\))/m.test(contents))
          throw new Error(`${path} waits while it is loaded for something new: look at the shims`);
        return { contents, loader: 'js' };
      });
      onLoad({ filter: /web-tree-sitter[/\\]web-tree-sitter\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        // The bundle has its own import(): this one would be mistaken for it.
        const contents = source
          .replace('const { createRequire } = await import("module");', '')
          .replace('var require = createRequire(import.meta.url);', '');
        if (contents === source) throw new Error(`${path} is not as it was: look at the shims`);
        return { contents, loader: 'js' };
      });
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
