import { editSettings, type SaveOutcome } from './editSettings.ts';
import { settingsFiles } from './loadSettings.ts';

/** What a person enters at the first start; absent fields stay as they are, null resets one. */
export interface Credentials {
  readonly apiKey?: string | null | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | null | undefined;
}

/** Keeps key, endpoint and model in the user's own config file, readable by its owner alone. */
export function saveCredentials(dataRoot: string, credentials: Credentials): Promise<SaveOutcome> {
  const { user } = settingsFiles({ dataRoot, root: dataRoot });
  const { baseUrl, apiKey, model } = credentials;
  const changes = Object.entries({ baseUrl, apiKey, model })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ path: [key], value }));
  return editSettings(user, 'user', () => changes);
}

/** Keeps one setting in the user's own config file; undefined takes it away. */
export function saveUserSetting(
  dataRoot: string,
  path: readonly string[],
  value: unknown,
): Promise<SaveOutcome> {
  const { user } = settingsFiles({ dataRoot, root: dataRoot });
  return editSettings(user, 'user', () => [{ path, value }]);
}
