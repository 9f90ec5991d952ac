import type { ProviderModels } from './types.ts';

export const mistralModels: ProviderModels = {
  provider: 'Mistral',
  source: 'https://docs.mistral.ai/getting-started/models/models_overview/',
  asOf: '2026-11',

  families: [
    {
      match: /^(?:codestral|devstral|mistral-(?:large-(?:3|25|26)|medium-3))/,
      window: 128_000,
      maxOutput: 32_768,
    },
    {
      match: /^(?:mistral-(?:large|medium|small|nemo)|ministral|magistral|pixtral|open-mistral-nemo)/,
      window: 128_000,
      maxOutput: 16_384,
    },
    { match: /^(?:open-)?mixtral-8x22b/, window: 65_536, maxOutput: 8192 },
    { match: /^(?:open-)?mi[sx]tral/, window: 32_768, maxOutput: 8192 },
  ],
};
