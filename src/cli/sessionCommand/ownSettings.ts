import { loadSettings } from '../../config/loadSettings.ts';
import type { Settings } from '../../config/schema.ts';
import { createEndpoints } from '../models/endpoints.ts';
import { storedSecrets } from '../models/storedKeys.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { savedTrust, trustIn } from '../startup.ts';

/**
 * Loads the settings like a start in this folder, without flags. Problems in them are reported at a start, not here.
 */
export async function ownSettings(place: AppPaths): Promise<Settings> {
  const { dataRoot, home, root, env, managed } = place;
  const trust = savedTrust(await trustIn(place));
  const { settings } = await loadSettings({ dataRoot, home, root, env, managed, ...trust, flags: {} });
  return settings;
}

/** Returns the user's own API keys and the secrets in headers: they count as secrets no matter what they look like. */
export async function ownSecrets(place: AppPaths): Promise<readonly string[]> {
  return secretsIn(await ownSettings(place), place);
}

/** The same, of these settings; without the keys that commands print. */
export function secretsIn(settings: Settings, place: AppPaths): readonly string[] {
  return [...createEndpoints({ ...place, settings }).secrets(), ...storedSecrets(place.dataRoot)];
}
