import type { ProviderModels } from './types.ts';

export const xaiModels: ProviderModels = {
  provider: 'xAI',
  source: 'https://docs.x.ai/docs/models',
  asOf: '2026-11',
  cache: { kind: 'automatic' },
  closed: true,
  families: [
    { match: /^grok-code/, window: 256_000, maxOutput: 32_768, price: [0.2, 0.02, 1.5] },
    { match: /^grok-4(?:[.-]\d)?-fast/, window: 2_000_000, maxOutput: 32_768, vision: true },
    {
      match: /^grok-3-mini/,
      window: 131_072,
      maxOutput: 16_384,
      price: [0.3, 0.075, 0.5],
      reasoning: { field: 'reasoning_content', efforts: ['low', 'high'] },
    },
    { match: /^grok-3/, window: 131_072, maxOutput: 16_384, price: [3, 0.75, 15] },
    { match: /^grok-[4-9]/, window: 256_000, maxOutput: 32_768, vision: true },
  ],
};
