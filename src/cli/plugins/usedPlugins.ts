/** What the enabled plugins bring to a session. It changes while the program runs, when the user changes plugins. */
import { hooksThatRun } from '../../config/hooks.ts';
import type { LoadedSettings } from '../../config/types.ts';
import type { PluginFolder } from '../../extensions/findSkills.ts';
import { inFolders } from '../../extensions/readPlugin.ts';
import type { HookSource } from '../../protocol/extensions/hooks.ts';
import type { McpServerSource } from '../../protocol/extensions/mcp.ts';
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import {
  createApprovalCheck,
  dataFolderOf,
  folderOf,
  hookSources,
  listPlugins,
  type PluginLocation,
} from './pluginStore.ts';

export interface UsedPlugins {
  readonly folders: readonly PluginFolder[];
  readonly servers: readonly McpServerSource[];
  readonly agents: readonly AgentDefinition[];
  readonly hooks: readonly HookSource[];
  /** Plugins that are not used although they are enabled. */
  readonly notices: readonly string[];
}

export interface SessionPlugins {
  current(): UsedPlugins;
  /** Reads the installed plugins again. */
  refresh(): Promise<void>;
  /** Why a plugin must not be used now, although it was when it was last read. */
  problem(name: string): Promise<string | undefined>;
}

/** Nothing is installed. */
export const noPlugins: SessionPlugins = {
  current: () => ({ folders: [], servers: [], agents: [], hooks: [], notices: [] }),
  refresh: () => Promise.resolve(),
  problem: () => Promise.resolve(undefined),
};

/** `strictServers`: only servers of the command line are wanted. */
export async function openPlugins(
  place: PluginLocation,
  loaded: LoadedSettings,
  strictServers: boolean,
): Promise<SessionPlugins> {
  const read = (): Promise<UsedPlugins> => readPlugins(place, loaded, strictServers);
  let used = await read();
  return {
    current: () => used,
    async refresh() {
      used = await read();
    },
    problem: createApprovalCheck(place),
  };
}

async function readPlugins(
  place: PluginLocation,
  { servers: defined, settings }: LoadedSettings,
  strictServers: boolean,
): Promise<UsedPlugins> {
  const plugins = await listPlugins(place);
  const enabled = plugins.flatMap(({ name, state, contents }) =>
    state.type === 'enabled' && contents !== undefined ? [{ ...contents, name }] : [],
  );
  const taken = new Set(defined.map(({ name }) => name));
  const hooks = enabled.flatMap((one) => hookSources(place, one.name, one.hooks));
  return {
    folders: enabled.map(({ name }) => ({ name, folder: folderOf(place, name) })),
    servers: strictServers
      ? []
      : enabled.flatMap(({ name: plugin, servers }) =>
          servers
            .filter(({ name }) => !taken.has(name))
            .map(
              ({ name, definition }): McpServerSource => ({
                ...{ name, plugin, scope: 'user', source: `plugin ${plugin}` },
                definition: inFolders(definition, {
                  root: folderOf(place, plugin),
                  data: dataFolderOf(place, plugin),
                }),
              }),
            ),
        ),
    agents: enabled.flatMap(({ agents }) => agents),
    hooks: hooksThatRun(hooks, settings, true),
    notices: plugins.flatMap(({ name, state }) =>
      state.type === 'unusable' ? [`The plugin ${name} is not used. ${state.why}`] : [],
    ),
  };
}
