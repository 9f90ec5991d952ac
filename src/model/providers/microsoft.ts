import type { ProviderModels } from './types.ts';

export const microsoftModels: ProviderModels = {
  provider: 'Microsoft',
  source: 'model cards of Phi: https://huggingface.co/microsoft',
  asOf: '2026-11',

  families: [
    { match: /^phi-?4-mini/, window: 131_072, maxOutput: 8192 },
    { match: /^phi-?4/, window: 16_384, maxOutput: 4096 },
  ],
};
