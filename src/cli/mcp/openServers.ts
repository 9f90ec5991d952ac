/** The MCP servers of the program: their code is loaded only if any are configured, and the SDK on first use. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { serverHash } from '../../config/mcpServers.ts';
import { openJsonFile } from '../../disk/jsonFile.ts';
import type { McpDeps } from '../../mcp/McpServer.ts';
import type { McpServers } from '../../mcp/McpServers.ts';
import type { ProtocolMemory } from '../../mcp/protocolVersion.ts';
import type { McpServerSource } from '../../protocol/extensions/mcp.ts';
import { projectVariables } from '../../protocol/settingsPrograms.ts';
import { environmentApart, withoutKeys } from '../../tools/shell/childEnvironment.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { programPath } from '../process/lookUp.ts';
import { openBrowser } from '../process/openBrowser.ts';
import { createAuthStore } from './authStore.ts';
import { createListMemories } from './listMemory.ts';
import { serverNetwork } from './serverNetwork.ts';

/** Milliseconds for a server to start; the variable MCP_TIMEOUT, known from other agents, overrides it. */
const CONNECT_TIMEOUT_MS = 30_000;

/** The servers of the program; they change when the user changes plugins. */
export interface LiveServers {
  /** Undefined without servers. */
  current(): McpServers | undefined;
  /** Uses these servers from now on. */
  replace(sources: readonly McpServerSource[]): Promise<void>;
}

interface ServerPorts extends Pick<McpDeps, 'canAskUser' | 'openHostChannel' | 'pluginProblem' | 'programs'> {
  /** Variables that servers do not inherit; their settings may name them. */
  readonly secretEnv: readonly string[];
}

export async function openServers(
  place: AppPaths,
  sources: readonly McpServerSource[],
  ports: ServerPorts,
): Promise<LiveServers> {
  let servers: McpServers | undefined;
  const replace: LiveServers['replace'] = async (now) => {
    if (servers !== undefined) return servers.replace(now);
    if (now.length > 0) servers = await createServers(place, now, ports);
  };
  await replace(sources);
  return { current: () => servers, replace };
}

async function createServers(
  place: AppPaths,
  sources: readonly McpServerSource[],
  { secretEnv, ...ports }: ServerPorts,
): Promise<McpServers> {
  const { McpServers } = await import('../../mcp/McpServers.ts');
  const given = Number(place.env.MCP_TIMEOUT);
  const folder = join(place.dataRoot, 'servers');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = { ...withoutKeys(place.env, secretEnv), CLAWDCODE: '1' };
  return new McpServers(sources, {
    version: place.version,
    root: place.root,
    variables: { ...place.env, ...projectVariables(place.root) },
    env: { ...own, ...projectVariables(place.root) },
    apart: { folder, path: programPath(place), env: environmentApart(own, place.root, folder) },
    fetchFor: (server) => serverNetwork(place.env, server).fetch,
    authStoreOf: (name, url) => createAuthStore(place.dataRoot, name, url),
    protocolMemoryOf: createProtocolMemories(place.dataRoot),
    listMemoryOf: createListMemories(place),
    ...ports,
    openUrl: (url) => openBrowser(url, place),
    connectTimeoutMs: Number.isFinite(given) && given > 0 ? given : CONNECT_TIMEOUT_MS,
  });
}

// The servers that speak only the newer MCP protocol: `mcp-protocols.json` in the data folder. Each is identified by
// the hash of its definition, so that a changed one is queried again.

/** The oldest are forgotten; that costs a second start. */
const MAX_REMEMBERED = 200;

const fileSchema = z.object({ modern: z.array(z.string().length(64)).max(MAX_REMEMBERED) });

/** Returns the caches of servers. Write errors are ignored. */
export function createProtocolMemories(
  dataRoot: string,
): (source: Pick<McpServerSource, 'name' | 'definition'>) => ProtocolMemory {
  const file = openJsonFile<z.output<typeof fileSchema>>({
    file: join(dataRoot, 'mcp-protocols.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { modern: [] },
  });
  return (source) => {
    const hash = serverHash(source);
    return {
      isModern: async () => file.read().modern.includes(hash),
      remember: (isModern) =>
        file
          .change(({ modern }) => {
            const others = modern.filter((one) => one !== hash);
            return { modern: (isModern ? [...others, hash] : others).slice(-MAX_REMEMBERED) };
          })
          .catch(() => undefined),
    };
  };
}
