import type { LoadedSettings } from '../../config/types.ts';
import { createEndpoints } from '../models/endpoints.ts';
import type { AppPaths } from '../process/appPaths.ts';

/** If the model belongs to a named provider, that provider is what is checked, with its own key. */
export async function withModelsEndpoint(
  loaded: LoadedSettings,
  place: AppPaths,
  model = loaded.settings.model,
): Promise<LoadedSettings> {
  const { settings, misread: _, ...rest } = loaded;
  const { endpoint, id } = createEndpoints({ ...place, settings }).find(model ?? '');
  const { name, baseUrl, wire, headers, key } = endpoint;
  if (name === undefined) return loaded;
  const answer = await key.get();
  const apiKey = 'key' in answer ? (answer.key ?? null) : null;
  const source = `providers.${name}`;
  return {
    ...rest,
    settings: { ...settings, baseUrl, wire, headers, apiKey, model: id },
    sources: { ...rest.sources, baseUrl: source, apiKey: key.source ?? source },
  };
}
