/** MCP servers that the client requests; it started this program, so they need no approval. Pure. */
import type { McpServer } from '@agentclientprotocol/sdk';
import {
  type McpServerDefinition,
  type McpServerSource,
  mcpServerNamePattern,
  mcpServerSchema,
} from '../protocol/extensions/mcp.ts';
import { visibleLine } from '../protocol/text/visible.ts';

const MAX_SERVERS = 50;

interface ClientServers {
  readonly servers: readonly McpServerSource[];
  /** Servers that cannot be used and why, ready to show. */
  readonly problems: readonly string[];
}

export function readClientServers(given: readonly McpServer[]): ClientServers {
  const problems: string[] = [];
  const taken = new Set<string>();
  const servers = given.slice(0, MAX_SERVERS).flatMap((server): McpServerSource[] => {
    const parsed = mcpServerSchema.safeParse(definitionOf(server));
    const name = freeName(server.name, taken);
    if (!parsed.success || name === undefined) {
      const why = parsed.success ? 'it needs a name' : (parsed.error.issues[0]?.message ?? 'it is invalid');
      problems.push(`The MCP server ${JSON.stringify(visibleLine(server.name, 60))} is left out: ${why}.`);
      return [];
    }
    taken.add(name);
    return [{ name, definition: parsed.data, scope: 'flag', source: 'the editor' }];
  });
  if (given.length > MAX_SERVERS) problems.push(`Only the first ${MAX_SERVERS} MCP servers are used.`);
  return { servers, problems: problems.slice(0, 5) };
}

function definitionOf(server: McpServer): McpServerDefinition {
  if ('type' in server) {
    const { type, url, headers } = server;
    return { type, url, headers: pairs(headers) };
  }
  const { command, args, env } = server;
  return { command, args, env: pairs(env) };
}

const pairs = (given: readonly { readonly name: string; readonly value: string }[]): Record<string, string> =>
  Object.fromEntries(given.map(({ name, value }) => [name, value]));

/** Clients name servers in words; the names of tools and rules allow letters, digits, - and _. */
function freeName(given: string, taken: ReadonlySet<string>): string | undefined {
  const base = given
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .slice(0, 36)
    .replace(/^[_-]+|[_-]+$/g, '');
  for (let at = 1; at <= MAX_SERVERS; at++) {
    const name = at === 1 ? base : `${base}-${at}`;
    if (mcpServerNamePattern.test(name) && !taken.has(name)) return name;
  }
  return undefined;
}
