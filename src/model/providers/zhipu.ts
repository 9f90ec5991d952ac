import type { ProviderModels } from './types.ts';

export const zhipuModels: ProviderModels = {
  provider: 'Zhipu',
  source: 'https://docs.z.ai/guides/llm',
  asOf: '2026-11',
  cache: { kind: 'automatic' },
  families: [
    { match: /^glm-(?:4\.[6-9]|[5-9])/, window: 200_000, maxOutput: 131_072 },
    { match: /^glm-4\.5/, window: 131_072, maxOutput: 98_304 },
    { match: /^glm/, window: 128_000, maxOutput: 4096 },
  ],
};
