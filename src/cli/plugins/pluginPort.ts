/** Lets commands of a session change the installed plugins. */
import type { PluginPort } from '../../commands/types.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { AppPaths } from '../process/appPaths.ts';

/** `refresh`: applies changes of plugins to the session. */
export function createPluginPort(place: AppPaths, refresh: () => Promise<void>): PluginPort {
  const store = () => import('./pluginStore.ts');
  return {
    list: async () => (await store()).listPlugins(place),
    async stage(source) {
      const { stagePlugin, installPlugin, discardPlugin } = await store();
      const staged = await stagePlugin(place, source);
      // It may quote a server.
      if (typeof staged === 'string') return { problem: visibleLine(staged, 1000) };
      return {
        contents: staged.contents,
        async install() {
          await installPlugin(place, staged);
          await refresh();
        },
        discard: () => discardPlugin(staged),
      };
    },
    async enable(plugin) {
      await (await store()).enablePlugin(place, plugin);
      await refresh();
    },
    async disable(name) {
      await (await store()).disablePlugin(place, name);
      await refresh();
    },
    async remove(name) {
      await (await store()).removePlugin(place, name);
      await refresh();
    },
  };
}
