import { type ProviderModels, publishedTables } from './types.ts';

/** From Grok 4 on the price depends on the prompt length. */
export const xaiModels: ProviderModels = {
  provider: 'xAI',
  source: 'https://docs.x.ai/docs/models',
  comparedWith: publishedTables,
  asOf: '2026-09',
  cache: { kind: 'automatic' },
  closed: true,
  families: [
    { match: /^grok-code/, window: 256_000, maxOutput: 10_000, price: [0.2, 0.02, 1.5], vision: false },
    { match: /^grok-build/, window: 256_000, maxOutput: 32_768, vision: true },
    { match: /^grok-4(?:[.-]1)?-fast/, window: 2_000_000, maxOutput: 30_000, vision: true },
    { match: /^grok-4[.-](?:20|3)/, window: 1_000_000, maxOutput: 30_000, vision: true },
    { match: /^grok-4[.-][5-9]/, window: 500_000, maxOutput: 32_768, vision: true },
    {
      match: /^grok-3-mini-fast/,
      window: 131_072,
      maxOutput: 8192,
      price: [0.6, 0.15, 4],
      vision: false,
      reasoning: { field: 'reasoning_content', efforts: ['low', 'high'] },
    },
    {
      match: /^grok-3-mini/,
      window: 131_072,
      maxOutput: 8192,
      price: [0.3, 0.075, 0.5],
      vision: false,
      reasoning: { field: 'reasoning_content', efforts: ['low', 'high'] },
    },
    { match: /^grok-3-fast/, window: 131_072, maxOutput: 8192, price: [5, 1.25, 25], vision: false },
    { match: /^grok-3/, window: 131_072, maxOutput: 8192, price: [3, 0.75, 15], vision: false },
    { match: /^grok-2-vision/, window: 8192, maxOutput: 4096, vision: true },
    { match: /^grok-2/, window: 131_072, maxOutput: 8192, price: [2, 2, 10], vision: false },
    { match: /^grok-[4-9]/, window: 256_000, maxOutput: 32_768, vision: true },
  ],
};
