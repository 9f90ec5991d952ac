import { type ProviderModels, publishedTables } from './types.ts';

const K = 1024;

export const moonshotModels: ProviderModels = {
  provider: 'Moonshot',
  source: 'https://platform.moonshot.ai/docs',
  comparedWith: publishedTables,
  asOf: '2026-09',
  cache: { kind: 'automatic' },
  families: [
    { match: /^kimi-k2-0711/, window: 131_072, maxOutput: 16_384, vision: false },
    {
      match: /^kimi-k2-thinking/,
      window: 262_144,
      maxOutput: 32_768,
      vision: false,
      returnsReasoning: true,
      reasoning: { field: 'reasoning_content' },
    },
    {
      match: /^kimi-k2\.[5-9]/,
      window: 262_144,
      maxOutput: 32_768,
      vision: true,
      returnsReasoning: true,
      reasoning: { field: 'reasoning_content' },
    },
    {
      match: /^kimi-k[3-9]/,
      window: 1_048_576,
      maxOutput: 131_072,
      vision: true,
      returnsReasoning: true,
      reasoning: { field: 'reasoning_content' },
    },
    { match: /^kimi/, window: 262_144, maxOutput: 32_768 },
    { match: /^moonshot-v1-8k/, window: 8 * K, maxOutput: 4096 },
    { match: /^moonshot-v1-32k/, window: 32 * K, maxOutput: 8192 },
    { match: /^moonshot-v1/, window: 128 * K, maxOutput: 8192 },
  ],
};
