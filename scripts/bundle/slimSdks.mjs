// Bundles the SDKs of the model APIs without what this program does not use. Their clients create an object for each
// endpoint of the API, and use classes of `fetch`, whose HTTP client Node loads with them: together ten times of what
// remains.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const modules = /node_modules[/\\](?:openai|@anthropic-ai[/\\]sdk)[/\\].*\.mjs$/;
/** The endpoints in use. */
const used =
  /[/\\](?:chat[/\\](?:chat|completions[/\\]completions)|chat-completions[/\\]streaming|responses[/\\]responses|messages[/\\]messages)\.mjs$/;
/** Other endpoints, helpers around them, and ways to connect and authenticate that have no setting here. */
const unused =
  /[/\\](?:resources|lib|helpers)[/\\]|[/\\]internal[/\\](?:bedrock|ws)\b|x509-(?:transport-capability|token-exchange)\.mjs$/;
const ofFetch = /\b(?:Headers|FormData|Response)\b/;

/** An esbuild plugin. `root`: the folder of the program. */
export function slimSdks(root) {
  const headers = JSON.stringify(join(root, 'src/model/http/lightHeaders.ts'));
  const classes = `import { LightHeaders as Headers } from ${headers};\nclass FormData {}\nclass Response {}\n`;
  return {
    name: 'slim SDKs',
    setup({ onLoad }) {
      onLoad({ filter: modules }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (unused.test(path) && !used.test(path) && !/[/\\]index\.mjs$/.test(path))
          return { contents: placeholdersFor(source, path), loader: 'js' };
        return ofFetch.test(source) ? { contents: classes + source, loader: 'js' } : undefined;
      });
    },
  };
}

/** A module with the same names, each of them an empty class: it can be created and carry static properties. */
function placeholdersFor(source, path) {
  if (/^export \* from/m.test(source)) throw new Error(`${path} passes on another module: look at slimSdks`);
  const declared = source.matchAll(/^export (?:async )?(?:class|function\*?|const|let|var) (\w+)/gm);
  const listed = [...source.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names]) => names.split(','));
  const names = new Set([
    ...[...declared].map(([, name]) => name),
    ...listed
      .map((name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1),
      )
      .filter((name) => name !== ''),
  ]);
  const exported = [...names].map((name) => (name === 'default' ? 'Unused as default' : `Unused as ${name}`));
  return `class Unused {}\nexport { ${exported.join(', ')} };\n`;
}
