import { type ProviderModels, publishedTables } from './types.ts';

export const cohereModels: ProviderModels = {
  provider: 'Cohere',
  source: 'https://docs.cohere.com/docs/models',
  comparedWith: publishedTables,
  asOf: '2026-09',

  families: [
    { match: /^command-a-plus/, window: 192_000, maxOutput: 64_000, vision: true },
    { match: /^command-(?:r|a)/, window: 128_000, maxOutput: 4000 },
  ],
};
