import type { ProviderModels } from './types.ts';

/** The price of the Pro models depends on the length of the prompt. */
export const googleModels: ProviderModels = {
  provider: 'Google',
  source: 'https://ai.google.dev/gemini-api/docs/models and /pricing',
  asOf: '2026-11',
  cache: { kind: 'automatic' },
  closed: true,
  families: [
    { match: /^gemini-1\.5-pro/, window: 2_097_152, maxOutput: 8192, vision: true },
    { match: /^gemini-(?:1\.5|2\.0)-flash/, window: 1_048_576, maxOutput: 8192, vision: true },
    {
      match: /^gemini-3\.5-flash-lite/,
      window: 1_048_576,
      maxOutput: 65_536,
      price: [0.3, 0.03, 2.5],
      vision: true,
    },
    {
      match: /^gemini-3\.5-flash/,
      window: 1_048_576,
      maxOutput: 65_536,
      price: [1.5, 0.15, 9],
      vision: true,
    },
    {
      match: /^gemini-3\.6-flash/,
      window: 1_048_576,
      maxOutput: 65_536,
      price: [1.5, 0.15, 7.5],
      vision: true,
    },
    { match: /^gemini/, window: 1_048_576, maxOutput: 65_536, vision: true },
    { match: /^gemma-?(?:3|4)/, open: true, window: 131_072, maxOutput: 8192 },
    { match: /^gemma/, open: true, window: 8192, maxOutput: 4096, vision: false },
  ],
};
