import { type ProviderModels, publishedTables } from './types.ts';

/** The model behind `-latest` changes: its window is the one on which both tables agree. */
export const mistralModels: ProviderModels = {
  provider: 'Mistral',
  source: 'https://docs.mistral.ai/getting-started/models/models_overview/',
  comparedWith: publishedTables,
  asOf: '2026-09',
  families: [
    { match: /^codestral/, window: 256_000, maxOutput: 4096, vision: false },
    { match: /^(?:labs-)?devstral-(?:small|medium)-25(?!12)/, window: 128_000, maxOutput: 32_768 },
    { match: /^(?:labs-)?devstral-(?:small-)?(?:2512|latest)/, window: 256_000, maxOutput: 32_768 },
    { match: /^(?:labs-)?devstral/, window: 128_000, maxOutput: 32_768 },
    { match: /^mistral-large-(?:3|25(?=12)|26)/, window: 262_144, maxOutput: 32_768, vision: true },
    {
      match: /^mistral-(?:medium-(?:3\.[1-9]|2508|26)|small-(?:4|26))/,
      window: 256_000,
      maxOutput: 32_768,
      vision: true,
    },
    {
      match: /^mistral-(?:medium-(?:3|25)|small-(?:3\.[12]|250[36]))/,
      window: 128_000,
      maxOutput: 16_384,
      vision: true,
    },
    {
      match: /^(?:mistral-(?:large|medium|small|nemo)|ministral|magistral|pixtral|open-mistral-nemo)/,
      window: 128_000,
      maxOutput: 16_384,
    },
    { match: /^(?:open-)?mixtral-8x22b/, window: 64_000, maxOutput: 8192 },
    { match: /^(?:open-)?mi[sx]tral/, window: 32_000, maxOutput: 8192 },
  ],
};
