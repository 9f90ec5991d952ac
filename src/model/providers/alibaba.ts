import type { ProviderModels } from './types.ts';

export const alibabaModels: ProviderModels = {
  provider: 'Alibaba',
  source: 'https://www.alibabacloud.com/help/en/model-studio/models and the model cards of Qwen',
  asOf: '2026-11',

  families: [
    {
      match: /^qwen(?:3(?:\.\d)?-coder-(?:plus|flash)|3\.\d-(?:plus|flash))/,
      window: 1_000_000,
      maxOutput: 65_536,
    },
    { match: /^qwen3(?:\.\d)?-(?:coder|max|next)/, window: 262_144, maxOutput: 32_768 },
    { match: /^qwen3[^/]*-2507/, window: 262_144, maxOutput: 32_768 },
    { match: /^qwen3\.\d/, window: 262_144, maxOutput: 32_768 },
    { match: /^qwen-?(?:max|plus|turbo)/, window: 131_072, maxOutput: 8192 },
    { match: /^qw(?:en|q)/, window: 32_768, maxOutput: 8192 },
  ],
};
