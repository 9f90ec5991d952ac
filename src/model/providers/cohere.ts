import type { ProviderModels } from './types.ts';

export const cohereModels: ProviderModels = {
  provider: 'Cohere',
  source: 'https://docs.cohere.com/docs/models',
  asOf: '2026-11',

  families: [{ match: /^command-(?:r|a)/, window: 128_000, maxOutput: 4096 }],
};
