import type { ProviderModels } from './types.ts';

const K = 1024;

export const moonshotModels: ProviderModels = {
  provider: 'Moonshot',
  source: 'https://platform.moonshot.ai/docs',
  asOf: '2026-11',
  cache: { kind: 'automatic' },
  families: [
    { match: /^kimi-k2-0711/, window: 131_072, maxOutput: 32_768 },
    {
      match: /^kimi-(?:k2-thinking|k2\.[5-9]|k[3-9])/,
      window: 262_144,
      maxOutput: 32_768,
      returnsReasoning: true,
      reasoning: { field: 'reasoning_content' },
    },
    { match: /^kimi/, window: 262_144, maxOutput: 32_768 },
    { match: /^moonshot-v1-8k/, window: 8 * K, maxOutput: 4096 },
    { match: /^moonshot-v1-32k/, window: 32 * K, maxOutput: 8192 },
    { match: /^moonshot-v1/, window: 128 * K, maxOutput: 8192 },
  ],
};
