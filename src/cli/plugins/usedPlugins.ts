/** What the enabled plugins add to a session; changes whenever the user changes plugins. */
import { hooksThatRun } from '../../config/hooks.ts';
import type { LoadedSettings } from '../../config/types.ts';
import type { PluginFolder } from '../../extensions/findSkills.ts';
import { inFolders, readPlugin } from '../../extensions/readPlugin.ts';
import type { HookSource } from '../../protocol/extensions/hooks.ts';
import type { McpServerSource } from '../../protocol/extensions/mcp.ts';
import type { PluginContents } from '../../protocol/extensions/plugins.ts';
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import {
  createApprovalCheck,
  dataFolderOf,
  folderOf,
  hookSources,
  listPlugins,
  type PluginLocation,
  readPluginHooks,
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

interface PluginFlags {
  /** Only servers of the command line are wanted. */
  readonly strictServers: boolean;
  /** Folders of plugins for this run, which need no approval. Absolute. */
  readonly folders: readonly { readonly folder: string; readonly hasServers: boolean }[];
}

export async function openPlugins(
  place: PluginLocation,
  loaded: LoadedSettings,
  flags: PluginFlags,
): Promise<SessionPlugins> {
  const check = createApprovalCheck(place);
  let given = await givenPlugins(flags.folders);
  let used = await readPlugins(place, loaded, flags, given);
  return {
    current: () => used,
    async refresh() {
      given = await givenPlugins(flags.folders);
      used = await readPlugins(place, loaded, flags, given);
    },
    // Naming a plugin on the command line approves it.
    problem: async (name) => (given.plugins.some((one) => one.name === name) ? undefined : check(name)),
  };
}

type UsedPlugin = PluginContents & { readonly folder: string; readonly hasServers: boolean };

/** Reads the plugins of the command line. */
async function givenPlugins(
  folders: PluginFlags['folders'],
): Promise<{ readonly plugins: readonly UsedPlugin[]; readonly notices: readonly string[] }> {
  const read = await Promise.all(
    folders.map(async ({ folder, hasServers }) => {
      const contents = await readPlugin(folder, readPluginHooks);
      return typeof contents === 'string'
        ? `The plugin in ${visibleLine(folder, 200)} is not used. ${contents}`
        : { ...contents, folder, hasServers };
    }),
  );
  return {
    plugins: read.filter((one) => typeof one !== 'string'),
    notices: read.filter((one) => typeof one === 'string'),
  };
}

async function readPlugins(
  place: PluginLocation,
  { servers: defined, settings }: LoadedSettings,
  { strictServers }: PluginFlags,
  given: Awaited<ReturnType<typeof givenPlugins>>,
): Promise<UsedPlugins> {
  const plugins = await listPlugins(place);
  const names = new Set(given.plugins.map(({ name }) => name));
  const installed = plugins.flatMap(({ name, state, contents }): UsedPlugin[] =>
    state.type === 'enabled' && contents !== undefined && !names.has(name)
      ? [{ ...contents, name, folder: folderOf(place, name), hasServers: !strictServers }]
      : [],
  );
  const enabled = [...given.plugins, ...installed];
  const taken = new Set(defined.map(({ name }) => name));
  const hooks = enabled.flatMap((one) => hookSources(place, one, one.hooks));
  return {
    folders: enabled.map(({ name, folder }) => ({ name, folder })),
    servers: enabled
      .filter(({ hasServers }) => hasServers)
      .flatMap(({ name: plugin, servers, folder: root }) =>
        servers
          .filter(({ name }) => !taken.has(name))
          .map(
            ({ name, definition }): McpServerSource => ({
              ...{ name, plugin, scope: 'user', source: `plugin ${plugin}` },
              definition: inFolders(definition, { root, data: dataFolderOf(place, plugin) }),
            }),
          ),
      ),
    agents: enabled.flatMap(({ agents }) => agents),
    hooks: hooksThatRun(hooks, settings, true),
    notices: [
      ...given.notices,
      ...plugins.flatMap(({ name, state }) =>
        state.type === 'unusable' ? [`The plugin ${name} is not used. ${state.why}`] : [],
      ),
    ],
  };
}
