/** Turns a server's definition into an endpoint: expands variables and reports mistakes. Pure. */
import { resolve } from 'node:path';
import { type McpServerDefinition, mcpTransport } from '../protocol/extensions/mcp.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** How to reach a server. */
export type Endpoint =
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** The variables of the definition, added to the user's environment. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly type: 'http' | 'sse'; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

/**
 * Returns the endpoint of a definition. `mistake` says why there is none: ready to show, and without values of
 * variables. `apart`: for a server that the project does not define, the folder in which programs start that load code
 * from the current folder.
 */
export function endpointOf(
  definition: McpServerDefinition,
  env: Variables,
  root: string,
  apart?: string,
): { readonly endpoint: Endpoint } | { readonly mistake: string } {
  const missing = new Set<string>();
  const fill = (text: string): string => expand(text, env, missing);
  const fillAll = (values: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
  const type = mcpTransport(definition);
  const endpoint =
    type === 'stdio'
      ? {
          type,
          command: fill(definition.command ?? ''),
          args: (definition.args ?? []).map(fill),
          env: fillAll(definition.env),
          cwd: folderOf(definition, root, fill, apart),
        }
      : { type, url: webAddress(fill(definition.url ?? '')), headers: fillAll(definition.headers) };
  if (missing.size > 0) {
    const names = [...missing].join(', ');
    return {
      mistake: `The variable ${names} is not set. Set it, or write a default: \${${[...missing][0]}:-default}.`,
    };
  }
  if (endpoint.type === 'stdio') return { endpoint };
  const { url } = endpoint;
  if (url === undefined)
    return { mistake: 'The url is not an address that begins with http:// or https://.' };
  return { endpoint: { ...endpoint, url } };
}

function folderOf(
  { command = '', args = [], cwd }: McpServerDefinition,
  root: string,
  fill: (text: string) => string,
  apart: string | undefined,
): string {
  if (cwd === undefined && apart !== undefined && loadsFromFolder(fill(command), args.map(fill)))
    return apart;
  return resolve(root, fill(cwd ?? '.'));
}

/**
 * Programs that run packages, modules or settings that they find in the current folder: npmjs.com/package/npx,
 * bun.sh/docs/runtime/bunfig (`preload`), yarnpkg.com/configuration/yarnrc (`yarnPath`). `uvx` ignores them:
 * docs.astral.sh/uv/concepts/configuration-files.
 */
const loaders =
  /^(?:npx|npm|pnpm|pnpx|yarn|yarnpkg|corepack|bunx?|deno|tsx|ts-node|uv|poetry|pipenv|hatch|pdm|bundler?|dotnet|dnx|cargo|mvn|gradle|nix|nix-shell|make|just|task|rake|mise|asdf|direnv)$/;
const python = /^(?:python|pypy)[\d.]*$|^py$/;
const wrappers = /^(?:env|command|exec|nice|nohup|cmd|(?:ba|da|z|k|fi)?sh)$/;

/** True if what a program runs may depend on the folder in which it starts. */
function loadsFromFolder(command: string, args: readonly string[]): boolean {
  const name = programOf(command);
  if (loaders.test(name)) return true;
  if (python.test(name)) return args.some((word) => /^-[A-Za-z]*[mc]/.test(word));
  if (!wrappers.test(name)) return false;
  const words = args.join(' ').split(/[\s;&|()'"`=]+/);
  return words.some((word) => loaders.test(programOf(word)) || python.test(programOf(word)));
}

const programOf = (word: string): string =>
  word
    .replace(/^.*[/\\]/, '')
    .replace(/\.(?:cmd|exe|bat|ps1)$/i, '')
    .toLowerCase();

/** Expands `${NAME}` and `${NAME:-default}`; leaves everything else unchanged. */
function expand(text: string, env: Variables, missing: Set<string>): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise?: string) => {
      const value = env[name];
      if (value !== undefined && (value !== '' || otherwise === undefined)) return value;
      if (otherwise === undefined) missing.add(name);
      return otherwise ?? '';
    },
  );
}

function webAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}
