import { type ProviderModels, publishedTables } from './types.ts';

export const alibabaModels: ProviderModels = {
  provider: 'Alibaba',
  source: 'https://www.alibabacloud.com/help/en/model-studio/models and the model cards of Qwen',
  comparedWith: publishedTables,
  asOf: '2026-09',
  families: [
    { match: /^qwen3(?:\.\d)?-coder-(?:plus|flash)/, window: 1_000_000, maxOutput: 65_536, vision: false },
    { match: /^qwen3\.\d-(?:plus|flash)/, window: 1_000_000, maxOutput: 64_000, vision: true },
    { match: /^qwen3\.[89]-max/, window: 983_616, maxOutput: 131_072, vision: true },
    { match: /^qwen3\.7-max/, window: 1_000_000, maxOutput: 65_536, vision: false },
    { match: /^qwen3(?:\.\d)?-(?:coder|max|next)/, window: 262_144, maxOutput: 32_768, vision: false },
    { match: /^qwen3[^/]*-2507/, window: 262_144, maxOutput: 32_768 },
    { match: /^qwen3\.[56]/, window: 262_144, maxOutput: 32_768, vision: true },
    { match: /^qwen3\.\d/, window: 262_144, maxOutput: 32_768 },
    { match: /^qwen-?(?:plus|turbo)/, window: 131_072, maxOutput: 8192 },
    { match: /^qw(?:en|q)/, window: 32_768, maxOutput: 8192 },
  ],
};
