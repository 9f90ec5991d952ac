import { type ProviderModels, publishedTables } from './types.ts';

/** Other providers serve the open models at their own prices, so no price is given. */
export const zhipuModels: ProviderModels = {
  provider: 'Zhipu',
  source: 'https://docs.z.ai/guides/llm',
  comparedWith: publishedTables,
  asOf: '2026-09',
  cache: { kind: 'automatic' },
  families: [
    { match: /^glm-4\.5v/, window: 64_000, maxOutput: 16_384, vision: true },
    { match: /^glm-4\.6v/, window: 128_000, maxOutput: 32_768, vision: true },
    { match: /^glm-5\.3-flash/, window: 1_000_000, maxOutput: 131_072, vision: true },
    { match: /^glm-(?:5\.[2-9]|[6-9])/, window: 1_000_000, maxOutput: 131_072 },
    { match: /^glm-(?:4\.[6-9]|5)/, window: 200_000, maxOutput: 131_072 },
    { match: /^glm-4\.5/, window: 131_072, maxOutput: 98_304 },
    { match: /^glm/, window: 128_000, maxOutput: 4096 },
  ],
};
