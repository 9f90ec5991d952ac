// One piece of the bundle as esbuild splits it (modules) to one that `bin/pieces.js` can run (CommonJS): Node keeps
// compiled code of modules without what ran in them.
import { isBuiltin } from 'node:module';
import { transform } from 'esbuild';

/**
 * `source`: a module as esbuild bundles and minifies it. Nothing may wait at its top level, and it may have no `require`
 * of its own, which esbuild would take for the one that it writes: throws then.
 */
export async function toCommonJs(source) {
  const { code } = await transform(withoutFacades(source), {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    // A script that is not loaded by Node itself has none.
    supported: { 'dynamic-import': false },
    minify: true,
    legalComments: 'none',
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__url' },
  });
  const [own] = /\b(?:var|let|const|function|class)\s+require\b|[,\s]require=/.exec(code) ?? [];
  if (own !== undefined) throw new Error(`a piece of the bundle has a variable named require: ${own}`);
  const usesUrl = /\b__url\b/.test(code);
  return (
    `${usesUrl ? "const __url=require('node:url').pathToFileURL(__filename).href;" : ''}${code}`
      // What the piece gives is read where it is used; as esbuild writes it, through two functions each time.
      .replace(/\bmodule\.exports=[\w$]+\(([\w$]+)\)/, 'module.exports=$1')
  );
}

/**
 * Node's own modules by `process.getBuiltinModule` in place of `import`, which touches all that a module exports, and
 * so loads what Node would load lazily (worker threads, web crypto, argument parsing …): ~10 ms at every start.
 */
function withoutFacades(source) {
  return source.replace(
    // As esbuild writes it when it minifies: text of a program inside a string looks different.
    /\bimport(?: ([\w$]+))?,?(?:\{([^{}]*)\}|\*as ([\w$]+))? ?from"([\w:/]+)";?/g,
    (statement, whole, names, namespace, path) => {
      if (!isBuiltin(path)) return statement;
      const module = `process.getBuiltinModule("${path}")`;
      const bound = [whole, namespace, names && `{${names.replaceAll(/\s+as\s+/g, ':')}}`].filter(Boolean);
      return bound.length === 0 ? '' : `const ${bound.map((name) => `${name}=${module}`).join(',')};`;
    },
  );
}
