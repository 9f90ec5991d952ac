import { loadSettings } from '../../config/loadSettings.ts';
import type { Settings } from '../../config/schema.ts';
import { secretsOf } from '../../model/http/ownHeaders.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { countedOf, trustIn } from '../startup.ts';

/** The settings as a start here would have them, flags apart. What is wrong with them is told there. */
export async function ownSettings(place: AppPaths): Promise<Settings> {
  const { dataRoot, home, root, env, managed } = place;
  const trust = countedOf(await trustIn(place));
  const { settings } = await loadSettings({ dataRoot, home, root, env, managed, ...trust, flags: {} });
  return settings;
}

/** The user's own key is a secret whatever it looks like, and so is what else the endpoint is sent. */
export async function ownSecrets(place: AppPaths): Promise<readonly string[]> {
  const { apiKey, headers } = await ownSettings(place);
  return secretsOf(apiKey, headers);
}
