/** What is used when neither the settings nor the server name an endpoint, a model or a context window. */
import type { ModelInfo } from './model.ts';

/** Where requests go when nothing says otherwise, and to which model. */
export const OFFICIAL_URL = 'https://api.openai.com/v1';

/** The model there, when nothing names one. */
export const OFFICIAL_MODEL = 'gpt-4.1';

/** Tokens. Hosted models rarely have a smaller window, and local servers rarely load a model with a larger one. */
const ASSUMED = { remote: 128_000, local: 32_000 } as const;

/** The context window of a model about which nothing is known, in tokens; `set` is `context.unknownWindow`. */
export function assumedWindow(set: number | null, provider: ModelInfo['provider']): number {
  return set ?? (provider === 'local' ? ASSUMED.local : ASSUMED.remote);
}
