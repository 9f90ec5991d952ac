import { type ProviderModels, publishedTables } from './types.ts';

export const minimaxModels: ProviderModels = {
  provider: 'MiniMax',
  source: 'https://platform.minimax.io/docs',
  comparedWith: publishedTables,
  asOf: '2026-09',
  families: [
    { match: /^minimax-m(?:2|1(?!\d))/, window: 196_608, maxOutput: 131_072, vision: false },
    { match: /^minimax-m[3-9]/, window: 512_000, maxOutput: 128_000, vision: true },
    { match: /^minimax-m/, window: 196_608, maxOutput: 131_072 },
  ],
};
