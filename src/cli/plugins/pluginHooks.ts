/** The hooks of plugins: read like those of settings, and run only while the plugin is approved as it is. */
import { readHooks } from '../../config/hooks.ts';
import type { HookReader } from '../../extensions/readPlugin.ts';
import type { HookSource } from '../../protocol/extensions/hooks.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { dataFolderOf, folderOf, type PluginPlace } from './pluginFolders.ts';

/** Longest hook, as JSON: an approval shows each in full. */
const MAX_HOOK = 2000;

/** Reads hooks as a plugin has them; what could not be shown in full is not used. */
export const readPluginHooks: HookReader = (value) => {
  const { hooks, problems } = readHooks(value, 'user', 'Its hooks');
  const isShort = ({ hook }: HookSource): boolean => JSON.stringify(hook).length <= MAX_HOOK;
  return {
    hooks: hooks.filter(isShort).map(({ hook }) => hook),
    problems: [
      ...problems.map(({ message }) => visibleLine(message, 500)),
      ...hooks
        .filter((one) => !isShort(one))
        .map(({ hook }) => `A hook for ${hook.event} is longer than ${MAX_HOOK} characters and not used.`),
    ],
  };
};

/** The hooks of an enabled plugin as sources of a session's hooks. */
export function hookSources(
  place: PluginPlace,
  name: string,
  hooks: readonly HookSource['hook'][],
): HookSource[] {
  const plugin = { name, folder: folderOf(place, name), data: dataFolderOf(place, name) };
  return hooks.map((hook) => ({ hook, scope: 'user', source: `plugin ${name}`, plugin }));
}
