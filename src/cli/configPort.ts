/** The settings for `/config`: read again from the files, and saved in them. */
import type { ConfigPort } from '../commands/types.ts';
import { changeSetting } from '../config/change/changeSetting.ts';
import { listSettings } from '../config/change/settingsList.ts';
import type { LoadedSettings } from '../config/types.ts';
import type { CliOptions } from './options.ts';
import type { AppPaths } from './process/appPaths.ts';
import { ownEnvironment } from './process/lookUp.ts';
import { inWorkspace, readSettings, trustIn } from './startup.ts';

/** `running`: the settings that this process uses. */
export function createConfigPort(place: AppPaths, options: CliOptions, running: LoadedSettings): ConfigPort {
  return {
    list: async () => listSettings(await readSettings(place, options, await trustIn(place)), running),
    save: (edit) => changeSetting({ ...place, env: ownEnvironment(inWorkspace(place, running)) }, edit),
  };
}
