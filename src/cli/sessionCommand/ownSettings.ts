import { loadSettings } from '../../config/loadSettings.ts';
import type { Settings } from '../../config/schema.ts';
import { secretsOf } from '../../model/http/ownHeaders.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { countedOf, trustIn } from '../startup.ts';

/**
 * Loads the settings like a start in this folder, without flags. Problems in them are reported at a start, not here.
 */
export async function ownSettings(place: AppPaths): Promise<Settings> {
  const { dataRoot, home, root, env, managed } = place;
  const trust = countedOf(await trustIn(place));
  const { settings } = await loadSettings({ dataRoot, home, root, env, managed, ...trust, flags: {} });
  return settings;
}

/** Returns the user's own API key and the secrets in headers: they count as secrets no matter what they look like. */
export async function ownSecrets(place: AppPaths): Promise<readonly string[]> {
  const { apiKey, headers } = await ownSettings(place);
  return secretsOf(apiKey, headers);
}
