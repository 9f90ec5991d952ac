import type { ProviderModels } from './types.ts';

export const minimaxModels: ProviderModels = {
  provider: 'MiniMax',
  source: 'https://platform.minimax.io/docs',
  asOf: '2026-11',

  families: [{ match: /^minimax-m/, window: 204_800, maxOutput: 131_072 }],
};
