import { type ProviderModels, publishedTables } from './types.ts';

export const metaModels: ProviderModels = {
  provider: 'Meta',
  source: 'model cards of Llama: https://huggingface.co/meta-llama',
  comparedWith: publishedTables,
  asOf: '2026-09',

  families: [
    { match: /^(?:meta-)?llama-?4/, window: 131_072, maxOutput: 8192, vision: true },
    { match: /^(?:meta-)?llama-?v?3[.p-][1-3]/, window: 131_072, maxOutput: 8192, vision: false },
    { match: /^(?:meta-)?llama-?v?3/, window: 8192, maxOutput: 4096, vision: false },
  ],
};
