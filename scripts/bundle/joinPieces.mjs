// Joins pieces of the bundle that are always loaded together into one file. Each file costs a look-up, a checksum and
// a compiled script of its own; esbuild splits so finely that the first request needed 170 of them.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/**
 * `outputs`: of esbuild's metafile. `routes`: lists of entry points (paths of sources) that load together, such as those
 * of `-p`. Pieces that exactly the same routes load at once, through static imports, form a group: a route that loads
 * one of them loads them all. Returns the groups of at least two, as lists of file names, in the order of `outputs`.
 * Entries without a hash in their names, which others load by name, stay files.
 */
export function groupPieces(outputs, routes) {
  const closures = routes.map((sources) => closureOf(outputs, sources));
  const groups = new Map();
  for (const path of Object.keys(outputs)) {
    const routesOf = closures.flatMap((closure, index) => (closure.has(path) ? [index] : []));
    if (routesOf.length === 0 || !/-[A-Z0-9]{8}\.cjs$/.test(path)) continue;
    const key = routesOf.join();
    groups.set(key, [...(groups.get(key) ?? []), basename(path)]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** Everything that the entries import statically. */
function closureOf(outputs, sources) {
  const found = new Set();
  const add = (path) => {
    if (outputs[path] === undefined || found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind !== 'dynamic-import') add(next);
  };
  for (const source of sources) {
    const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
    if (entry === undefined) throw new Error(`${source} is no entry of the bundle: look at the routes`);
    add(entry);
  }
  return found;
}

/**
 * `pieces`: the CommonJS source of each file, by name. A group becomes a file that exports its pieces as functions, as
 * `bin/pieces.js` runs them; `require("./chunk-A.cjs")` becomes `require("./joined-B.cjs/chunk-A.cjs")`. Returns the
 * files, by name.
 */
export function joinPieces(pieces, groups) {
  const fileOf = new Map();
  for (const names of groups) {
    // The names contain hashes of the contents.
    const hash = createHash('sha256').update(names.join()).digest('hex').slice(0, 8).toUpperCase();
    for (const name of names) fileOf.set(name, `joined-${hash}.cjs`);
  }
  const files = new Map();
  for (const [name, source] of pieces) {
    const linked = source.replace(/\brequire\("\.\/([\w-]+\.cjs)"\)/g, (call, asked) =>
      fileOf.has(asked) ? `require("./${fileOf.get(asked)}/${asked}")` : call,
    );
    const file = fileOf.get(name);
    if (file === undefined) files.set(name, linked);
    // The parentheses make V8 compile the function with the file instead of parsing it twice.
    else
      files.set(
        file,
        `${files.get(file) ?? ''}exports[${JSON.stringify(name)}]=(function(exports,require,module,__filename,__dirname){${linked}\n});\n`,
      );
  }
  return files;
}
