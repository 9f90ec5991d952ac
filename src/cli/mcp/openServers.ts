/** The MCP servers of the program: loaded only where there are any, and the SDK only when one is needed. */
import type { McpServers } from '../../mcp/McpServers.ts';
import { environmentSend } from '../../model/http/environmentSend.ts';
import type { McpServerSource } from '../../protocol/mcp.ts';
import { withoutKeys } from '../../tools/shell/childEnvironment.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { createAuthStore } from './authStore.ts';
import { fetchOverSend } from './fetchOverSend.ts';

/** As other agents read it: milliseconds for a server to start. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Undefined without servers. */
export async function openServers(
  place: AppPaths,
  sources: readonly McpServerSource[],
): Promise<McpServers | undefined> {
  if (sources.length === 0) return undefined;
  const { McpServers } = await import('../../mcp/McpServers.ts');
  const given = Number(place.env.MCP_TIMEOUT);
  return new McpServers(sources, {
    version: place.version,
    root: place.root,
    variables: place.env,
    env: { ...withoutKeys(place.env), CLAWDCODE: '1' },
    fetch: fetchOverSend(environmentSend(place.env)),
    authStoreOf: (name, url) => createAuthStore(place.dataRoot, name, url),
    connectTimeoutMs: Number.isFinite(given) && given > 0 ? given : CONNECT_TIMEOUT_MS,
  });
}
