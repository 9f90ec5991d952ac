/** Where plugins are kept. */
import { join } from 'node:path';
import type { AppPaths } from '../process/appPaths.ts';

export type PluginPlace = Pick<AppPaths, 'dataRoot'>;

/** The folder of all installed plugins. */
export const pluginsFolder = ({ dataRoot }: PluginPlace): string => join(dataRoot, 'plugins');

/** The copy of an installed plugin. */
export function folderOf(place: PluginPlace, name: string): string {
  return join(pluginsFolder(place), name);
}

/** What a plugin's programs may write: outside of the copy, which must stay as it was approved. */
export function dataFolderOf({ dataRoot }: PluginPlace, name: string): string {
  return join(dataRoot, 'plugin-data', name);
}
