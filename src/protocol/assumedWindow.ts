import type { ModelInfo } from './model.ts';

/** Tokens. Hosted models rarely have a smaller window, and local servers rarely load a model with a larger one. */
const ASSUMED = { remote: 128_000, local: 32_000 } as const;

/** The context window of a model about which nothing is known, in tokens; `set` is `context.unknownWindow`. */
export function assumedWindow(set: number | null, provider: ModelInfo['provider']): number {
  return set ?? (provider === 'local' ? ASSUMED.local : ASSUMED.remote);
}
