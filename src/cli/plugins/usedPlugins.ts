/** What the enabled plugins bring to a session: folders of skills and commands, and MCP servers. */
import type { LoadedSettings } from '../../config/types.ts';
import type { McpServerSource } from '../../protocol/extensions/mcp.ts';
import { folderOf, listPlugins } from './pluginStore.ts';

export interface UsedPlugins {
  readonly folders: readonly { readonly name: string; readonly folder: string }[];
  readonly servers: readonly McpServerSource[];
  readonly notices: readonly string[];
}

/** `strictServers`: only servers of the command line are wanted. */
export async function usedPlugins(
  dataRoot: string,
  { servers: defined }: Pick<LoadedSettings, 'servers'>,
  strictServers: boolean,
): Promise<UsedPlugins> {
  const plugins = await listPlugins({ dataRoot });
  const enabled = plugins.filter(({ state }) => state.type === 'enabled');
  const taken = new Set(defined.map(({ name }) => name));
  return {
    folders: enabled.map(({ name }) => ({ name, folder: folderOf({ dataRoot }, name) })),
    servers: strictServers
      ? []
      : enabled.flatMap(({ name: plugin, contents }) =>
          (contents?.servers ?? [])
            .filter(({ name }) => !taken.has(name))
            .map((one): McpServerSource => ({ ...one, scope: 'user', source: `plugin ${plugin}` })),
        ),
    notices: plugins.flatMap(({ name, state }) =>
      state.type === 'unusable' ? [`The plugin ${name} is not used. ${state.why}`] : [],
    ),
  };
}
