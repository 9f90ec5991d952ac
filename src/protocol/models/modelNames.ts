import type { ModelInfo } from './model.ts';

/** How models are named: `id` at the default endpoint, `provider/id` at a named one. Pure. */

/** The default endpoint in full names: `default/openai/gpt-5` if there is also a provider called `openai`. */
export const DEFAULT_PROVIDER = 'default';

export const providerNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

interface ModelName {
  /** Undefined at the default endpoint. */
  readonly provider: string | undefined;
  /** As the endpoint names it. */
  readonly id: string;
}

/**
 * Splits the name of a model. Ids of the default endpoint may contain slashes, too: only the name of a provider makes
 * the first part one.
 */
export function parseModelName(name: string, isProvider: (part: string) => boolean): ModelName {
  const slash = name.indexOf('/');
  const [first, rest] = [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)];
  if (first === '' || rest === '') return { provider: undefined, id: name };
  if (isProvider(first)) return { provider: first, id: rest };
  return { provider: undefined, id: first === DEFAULT_PROVIDER ? rest : name };
}

/** The name that `parseModelName` splits again into the same parts. */
export function modelName({ provider, id }: ModelName, isProvider: (part: string) => boolean): string {
  if (provider !== undefined) return `${provider}/${id}`;
  const first = id.slice(0, Math.max(0, id.indexOf('/')));
  return isProvider(first) || first === DEFAULT_PROVIDER ? `${DEFAULT_PROVIDER}/${id}` : id;
}

// Defaults for when neither the settings nor the server name an endpoint, a model or a context window.

/** The default endpoint. */
export const OFFICIAL_URL = 'https://api.openai.com/v1';

/** The default model at that endpoint. */
export const OFFICIAL_MODEL = 'gpt-4.1';

/** Tokens. Hosted models rarely have a smaller context window; local servers rarely load a model with a larger one. */
const ASSUMED = { remote: 128_000, local: 32_000 } as const;

/** Returns the context window, in tokens, to assume for an unknown model; `set` is `context.unknownWindow`. */
export function assumedWindow(set: number | null, provider: ModelInfo['provider']): number {
  return set ?? (provider === 'local' ? ASSUMED.local : ASSUMED.remote);
}
