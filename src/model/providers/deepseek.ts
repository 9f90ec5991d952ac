import { type ProviderModels, publishedTables } from './types.ts';

/** The hosted models reason by default and reject a history without their reasoning; prices vary by hour. */
export const deepseekModels: ProviderModels = {
  provider: 'DeepSeek',
  source: 'https://api-docs.deepseek.com/quick_start/pricing',
  comparedWith: publishedTables,
  asOf: '2026-09',
  cache: { kind: 'automatic' },
  families: [
    {
      match: /^deepseek-(?:v[4-9]|flash|chat|reasoner)/,
      window: 1_000_000,
      maxOutput: 384_000,
      returnsReasoning: true,
      reasoning: { field: 'reasoning_content' },
    },
    { match: /^deepseek-r1$/, window: 64_000, maxOutput: 16_000, vision: false },
    { match: /^deepseek-(?:v2|coder)/, window: 65_536, maxOutput: 8192 },
    { match: /^deepseek/, window: 128_000, maxOutput: 8192 },
  ],
};
