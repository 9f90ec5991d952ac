/** Defaults for when neither the settings nor the server name an endpoint, a model or a context window. */
import type { ModelInfo } from './model.ts';

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
