import { OFFICIAL_URL } from '../protocol/models/modelNames.ts';
import { editSettings, type SaveOutcome } from './change/editSettings.ts';
import { settingsFiles } from './settingsFiles.ts';
import type { Values } from './types.ts';

/** The user's input on first start; absent fields stay as they are, null resets one. */
interface Credentials {
  readonly apiKey?: string | null | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | null | undefined;
}

/**
 * Saves key, endpoint and model in the user's own config file, readable only by the user. Removes headers that were
 * meant for another endpoint, so that a new one does not get them, and reports it as `tookHeaders`.
 */
export async function saveCredentials(
  dataRoot: string,
  credentials: Credentials,
): Promise<SaveOutcome & { readonly tookHeaders?: boolean }> {
  const { user } = settingsFiles({ dataRoot, root: dataRoot });
  const { baseUrl, apiKey, model } = credentials;
  let tookHeaders = false;
  const changes = Object.entries({ baseUrl, apiKey, model })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ path: [key], value }));
  const saved = await editSettings(user, 'user', (values) => {
    tookHeaders = baseUrl !== undefined && hasHeadersOfOthers(values, baseUrl);
    return tookHeaders ? [...changes, { path: ['headers'], value: undefined }] : changes;
  });
  return tookHeaders ? { ...saved, tookHeaders } : saved;
}

function hasHeadersOfOthers({ headers = {}, baseUrl = OFFICIAL_URL }: Values, next: string): boolean {
  if (Object.keys(headers as object).length === 0) return false;
  return !URL.canParse(next) || new URL(String(baseUrl)).origin !== new URL(next).origin;
}

/** Saves one setting in the user's own config file; undefined removes it. */
export function saveUserSetting(
  dataRoot: string,
  path: readonly string[],
  value: unknown,
): Promise<SaveOutcome> {
  const { user } = settingsFiles({ dataRoot, root: dataRoot });
  return editSettings(user, 'user', () => [{ path, value }]);
}
