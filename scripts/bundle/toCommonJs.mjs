// Converts one piece of the bundle from esbuild's modules to CommonJS, which `bin/pieces.js` can run: for modules Node
// keeps only compiled code from before they ran.
import { isBuiltin } from 'node:module';
import { transform } from 'esbuild';

/**
 * `source`: a module bundled and minified by esbuild. Throws if it has a variable named `require`, which would be
 * confused with the one that esbuild's output uses. It must not use top-level await.
 */
export async function toCommonJs(source) {
  const { code } = await transform(withoutFacades(source), {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    // A script that is not loaded by Node itself does not support it.
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
      // Assigns the exports directly, so that access does not go through esbuild's two helper functions.
      .replace(/\bmodule\.exports=[\w$]+\(([\w$]+)\)/, 'module.exports=$1')
      // Esbuild leaves such characters in regular expressions. A single one doubles the memory that a source takes.
      .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  );
}

/**
 * Replaces imports of Node's own modules with `process.getBuiltinModule`. An `import` touches all exports of a module
 * and so loads what Node would load lazily (worker threads, web crypto, argument parsing …): about 10 ms at every
 * start.
 */
function withoutFacades(source) {
  return source.replace(
    // In the form of esbuild's minified output: program text inside a string looks different.
    /\bimport(?: ([\w$]+))?,?(?:\{([^{}]*)\}|\*as ([\w$]+))? ?from"([\w:/]+)";?/g,
    (statement, whole, names, namespace, path) => {
      if (!isBuiltin(path)) return statement;
      const module = `process.getBuiltinModule("${path}")`;
      const bound = [whole, namespace, names && `{${names.replaceAll(/\s+as\s+/g, ':')}}`].filter(Boolean);
      return bound.length === 0 ? '' : `const ${bound.map((name) => `${name}=${module}`).join(',')};`;
    },
  );
}
