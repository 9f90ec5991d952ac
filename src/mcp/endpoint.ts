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
 * Returns the endpoint of a definition. `mistake` says why there is none, ready to show and without values of
 * variables. `start`: the folder in which the program starts if the definition names none.
 */
export function endpointOf(
  definition: McpServerDefinition,
  env: Variables,
  root: string,
  start = root,
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
          cwd: definition.cwd === undefined ? start : resolve(root, fill(definition.cwd)),
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
