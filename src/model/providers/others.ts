/** Providers with few model families. */
import { type ProviderModels, publishedTables } from './types.ts';

const alibabaModels: ProviderModels = {
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

const cohereModels: ProviderModels = {
  provider: 'Cohere',
  source: 'https://docs.cohere.com/docs/models',
  comparedWith: publishedTables,
  asOf: '2026-09',

  families: [
    { match: /^command-a-plus/, window: 192_000, maxOutput: 64_000, vision: true },
    { match: /^command-(?:r|a)/, window: 128_000, maxOutput: 4000 },
  ],
};

/** The hosted models reason by default and reject a history without their reasoning; prices vary by hour. */
const deepseekModels: ProviderModels = {
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

const metaModels: ProviderModels = {
  provider: 'Meta',
  source: 'model cards of Llama: https://huggingface.co/meta-llama',
  comparedWith: publishedTables,
  asOf: '2026-09',

  families: [
    { match: /^(?:meta-)?llama-?4/, window: 131_072, maxOutput: 8192, vision: true },
    { match: /^(?:meta-)?llama-?v?3[.p-][1-3]/, window: 131_072, maxOutput: 8192, vision: false },
    { match: /^(?:meta-)?llama-?v?3/, window: 8192, maxOutput: 4096, vision: false },
  ],
};

const microsoftModels: ProviderModels = {
  provider: 'Microsoft',
  source: 'model cards of Phi: https://huggingface.co/microsoft',
  asOf: '2026-11',

  families: [
    { match: /^phi-?4-mini/, window: 131_072, maxOutput: 8192 },
    { match: /^phi-?4/, window: 16_384, maxOutput: 4096 },
  ],
};

const minimaxModels: ProviderModels = {
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

/** The model behind a `-latest` alias changes, so its window is one on which both tables agree. */
const mistralModels: ProviderModels = {
  provider: 'Mistral',
  source: 'https://docs.mistral.ai/getting-started/models/models_overview/',
  comparedWith: publishedTables,
  asOf: '2026-09',
  families: [
    { match: /^codestral/, window: 256_000, maxOutput: 4096, vision: false },
    { match: /^(?:labs-)?devstral-(?:small|medium)-25(?!12)/, window: 128_000, maxOutput: 32_768 },
    { match: /^(?:labs-)?devstral-(?:small-)?(?:2512|latest)/, window: 256_000, maxOutput: 32_768 },
    { match: /^(?:labs-)?devstral/, window: 128_000, maxOutput: 32_768 },
    { match: /^mistral-large-(?:3|25(?=12)|26)/, window: 262_144, maxOutput: 32_768, vision: true },
    {
      match: /^mistral-(?:medium-(?:3\.[1-9]|2508|26)|small-(?:4|26))/,
      window: 256_000,
      maxOutput: 32_768,
      vision: true,
    },
    {
      match: /^mistral-(?:medium-(?:3|25)|small-(?:3\.[12]|250[36]))/,
      window: 128_000,
      maxOutput: 16_384,
      vision: true,
    },
    {
      match: /^(?:mistral-(?:large|medium|small|nemo)|ministral|magistral|pixtral|open-mistral-nemo)/,
      window: 128_000,
      maxOutput: 16_384,
    },
    { match: /^(?:open-)?mixtral-8x22b/, window: 64_000, maxOutput: 8192 },
    { match: /^(?:open-)?mi[sx]tral/, window: 32_000, maxOutput: 8192 },
  ],
};

const K = 1024;

const moonshotModels: ProviderModels = {
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

/** From Grok 4 on the price depends on the prompt length. */
const xaiModels: ProviderModels = {
  provider: 'xAI',
  source: 'https://docs.x.ai/docs/models',
  comparedWith: publishedTables,
  asOf: '2026-09',
  cache: { kind: 'automatic' },
  closed: true,
  families: [
    { match: /^grok-code/, window: 256_000, maxOutput: 10_000, price: [0.2, 0.02, 1.5], vision: false },
    { match: /^grok-build/, window: 256_000, maxOutput: 32_768, vision: true },
    { match: /^grok-4(?:[.-]1)?-fast/, window: 2_000_000, maxOutput: 30_000, vision: true },
    { match: /^grok-4[.-](?:20|3)/, window: 1_000_000, maxOutput: 30_000, vision: true },
    { match: /^grok-4[.-][5-9]/, window: 500_000, maxOutput: 32_768, vision: true },
    {
      match: /^grok-3-mini-fast/,
      window: 131_072,
      maxOutput: 8192,
      price: [0.6, 0.15, 4],
      vision: false,
      reasoning: { field: 'reasoning_content', efforts: ['low', 'high'] },
    },
    {
      match: /^grok-3-mini/,
      window: 131_072,
      maxOutput: 8192,
      price: [0.3, 0.075, 0.5],
      vision: false,
      reasoning: { field: 'reasoning_content', efforts: ['low', 'high'] },
    },
    { match: /^grok-3-fast/, window: 131_072, maxOutput: 8192, price: [5, 1.25, 25], vision: false },
    { match: /^grok-3/, window: 131_072, maxOutput: 8192, price: [3, 0.75, 15], vision: false },
    { match: /^grok-2-vision/, window: 8192, maxOutput: 4096, vision: true },
    { match: /^grok-2/, window: 131_072, maxOutput: 8192, price: [2, 2, 10], vision: false },
    { match: /^grok-[4-9]/, window: 256_000, maxOutput: 32_768, vision: true },
  ],
};

/** Other providers serve the open models at their own prices, so no price is given. */
const zhipuModels: ProviderModels = {
  provider: 'Zhipu',
  source: 'https://docs.z.ai/guides/llm',
  comparedWith: publishedTables,
  asOf: '2026-09',
  cache: { kind: 'automatic' },
  families: [
    { match: /^glm-4\.5v/, window: 64_000, maxOutput: 16_384, vision: true },
    { match: /^glm-4\.6v/, window: 128_000, maxOutput: 32_768, vision: true },
    { match: /^glm-5\.3-flash/, window: 1_000_000, maxOutput: 131_072, vision: true },
    { match: /^glm-(?:5\.[2-9]|[6-9])/, window: 1_000_000, maxOutput: 131_072 },
    { match: /^glm-(?:4\.[6-9]|5)/, window: 200_000, maxOutput: 131_072 },
    { match: /^glm-4\.5/, window: 131_072, maxOutput: 98_304 },
    { match: /^glm/, window: 128_000, maxOutput: 4096 },
  ],
};

/** In the order in which a name is looked up. */
export const otherModels: readonly ProviderModels[] = [
  deepseekModels,
  alibabaModels,
  zhipuModels,
  moonshotModels,
  minimaxModels,
  mistralModels,
  metaModels,
  xaiModels,
  cohereModels,
  microsoftModels,
];
