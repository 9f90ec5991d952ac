/** The table behind catalogue.ts, where its sources and date are stated. More specific families come first. */
import type { ModelInfo } from '../protocol/model.ts';

export interface Family {
  /** Tested against the model's name in lower case, without vendor prefix. */
  readonly match: RegExp;
  /** Tokens of input and reply together; of input alone where the provider bounds that. */
  readonly window: number;
  readonly maxOutput: number;
  readonly tokenizer?: ModelInfo['tokenizer'];
  /** US dollars per million tokens: input, cached input, output. */
  readonly price?: readonly [number, number, number];
  readonly returnsReasoning?: boolean;
  readonly vision?: boolean;
  readonly tools?: boolean;
}

const K = 1024;
const o200k = 'o200k_base';
const cl100k = 'cl100k_base';

export const families: readonly Family[] = [
  // OpenAI. GPT-5: 400,000 in all, of which at most 272,000 are input; from 5.4 on 1,050,000 and 922,000.
  {
    match: /^gpt-5[\w.-]*-chat/,
    window: 128_000,
    maxOutput: 16_384,
    tokenizer: o200k,
    price: [1.25, 0.125, 10],
  },
  {
    match: /^gpt-5\.4-mini/,
    window: 272_000,
    maxOutput: 128_000,
    tokenizer: o200k,
    price: [0.75, 0.075, 4.5],
  },
  {
    match: /^gpt-5\.4-nano/,
    window: 272_000,
    maxOutput: 128_000,
    tokenizer: o200k,
    price: [0.2, 0.02, 1.25],
  },
  { match: /^gpt-5\.\d-(?:mini|nano)/, window: 272_000, maxOutput: 128_000, tokenizer: o200k },
  // Long prompts cost more from 5.4 on, so no price.
  { match: /^gpt-5\.[4-9]/, window: 922_000, maxOutput: 128_000, tokenizer: o200k },
  { match: /^gpt-5[\w.-]*-pro/, window: 272_000, maxOutput: 128_000, tokenizer: o200k },
  { match: /^gpt-5\.[23]/, window: 272_000, maxOutput: 128_000, tokenizer: o200k, price: [1.75, 0.175, 14] },
  { match: /^gpt-5-mini/, window: 272_000, maxOutput: 128_000, tokenizer: o200k, price: [0.25, 0.025, 2] },
  { match: /^gpt-5-nano/, window: 272_000, maxOutput: 128_000, tokenizer: o200k, price: [0.05, 0.005, 0.4] },
  { match: /^gpt-5\.1-codex-mini/, window: 272_000, maxOutput: 128_000, tokenizer: o200k },
  {
    match: /^gpt-5(?:\.1)?(?![\d.])/,
    window: 272_000,
    maxOutput: 128_000,
    tokenizer: o200k,
    price: [1.25, 0.125, 10],
  },
  { match: /^gpt-4\.1-mini/, window: 1_047_576, maxOutput: 32_768, tokenizer: o200k, price: [0.4, 0.1, 1.6] },
  {
    match: /^gpt-4\.1-nano/,
    window: 1_047_576,
    maxOutput: 32_768,
    tokenizer: o200k,
    price: [0.1, 0.025, 0.4],
  },
  { match: /^gpt-4\.1/, window: 1_047_576, maxOutput: 32_768, tokenizer: o200k, price: [2, 0.5, 8] },
  { match: /^gpt-4\.5/, window: 128_000, maxOutput: 16_384, tokenizer: o200k, price: [75, 37.5, 150] },
  { match: /^gpt-4o-mini/, window: 128_000, maxOutput: 16_384, tokenizer: o200k, price: [0.15, 0.075, 0.6] },
  { match: /^gpt-4o-2024-05-13/, window: 128_000, maxOutput: 4096, tokenizer: o200k, price: [5, 5, 15] },
  { match: /^gpt-4o/, window: 128_000, maxOutput: 16_384, tokenizer: o200k, price: [2.5, 1.25, 10] },
  { match: /^chatgpt-4o/, window: 128_000, maxOutput: 16_384, tokenizer: o200k, price: [5, 5, 15] },
  {
    match: /^gpt-4-(?:turbo|1106|0125|vision)/,
    window: 128_000,
    maxOutput: 4096,
    tokenizer: cl100k,
    price: [10, 10, 30],
  },
  { match: /^gpt-4-32k/, window: 32_768, maxOutput: 8192, tokenizer: cl100k, price: [60, 60, 120] },
  { match: /^gpt-4(?![\w.])/, window: 8192, maxOutput: 4096, tokenizer: cl100k, price: [30, 30, 60] },
  { match: /^gpt-3\.?5/, window: 16_385, maxOutput: 4096, tokenizer: cl100k, price: [0.5, 0.5, 1.5] },
  { match: /^gpt-oss/, window: 131_072, maxOutput: 32_768, tokenizer: o200k },
  { match: /^o1-mini/, window: 128_000, maxOutput: 65_536, tokenizer: o200k, price: [1.1, 0.55, 4.4] },
  { match: /^o1-preview/, window: 128_000, maxOutput: 32_768, tokenizer: o200k, price: [15, 7.5, 60] },
  { match: /^o1-pro/, window: 200_000, maxOutput: 100_000, tokenizer: o200k, price: [150, 150, 600] },
  { match: /^o1(?!\w)/, window: 200_000, maxOutput: 100_000, tokenizer: o200k, price: [15, 7.5, 60] },
  { match: /^o3-mini/, window: 200_000, maxOutput: 100_000, tokenizer: o200k, price: [1.1, 0.55, 4.4] },
  { match: /^o3-pro/, window: 200_000, maxOutput: 100_000, tokenizer: o200k, price: [20, 20, 80] },
  { match: /^o3(?!\w)/, window: 200_000, maxOutput: 100_000, tokenizer: o200k, price: [2, 0.5, 8] },
  { match: /^o4-mini/, window: 200_000, maxOutput: 100_000, tokenizer: o200k, price: [1.1, 0.275, 4.4] },

  // Anthropic. Ids with a dot (OpenRouter) and with a dash. 1M tokens from the 4.6 generation on.
  {
    match: /^claude-3[.-]5-haiku|^claude-haiku-3[.-]5/,
    window: 200_000,
    maxOutput: 8192,
    price: [0.8, 0.08, 4],
  },
  { match: /^claude-3-haiku/, window: 200_000, maxOutput: 4096, price: [0.25, 0.03, 1.25] },
  { match: /^claude-3-(?:opus|sonnet)/, window: 200_000, maxOutput: 4096 },
  { match: /^claude-3[.-]5-sonnet/, window: 200_000, maxOutput: 8192, price: [3, 0.3, 15] },
  { match: /^claude-3[.-]7-sonnet/, window: 200_000, maxOutput: 64_000, price: [3, 0.3, 15] },
  { match: /^claude-haiku-4[.-]5/, window: 200_000, maxOutput: 64_000, price: [1, 0.1, 5] },
  { match: /^claude-haiku-[5-9]/, window: 1_000_000, maxOutput: 128_000 },
  { match: /^claude-opus-4[.-][678](?!\d)/, window: 1_000_000, maxOutput: 128_000, price: [5, 0.5, 25] },
  { match: /^claude-opus-4[.-]5(?!\d)/, window: 200_000, maxOutput: 64_000, price: [5, 0.5, 25] },
  { match: /^claude-(?:opus-4|4-opus)/, window: 200_000, maxOutput: 32_000, price: [15, 1.5, 75] },
  { match: /^claude-opus-5[.-]5(?!\d)/, window: 1_000_000, maxOutput: 128_000, price: [4, 0.4, 20] },
  {
    match: /^claude-opus-5(?!\d|[.-][1-9](?!\d))/,
    window: 1_000_000,
    maxOutput: 128_000,
    price: [5, 0.5, 25],
  },
  { match: /^claude-sonnet-4[.-]6(?!\d)/, window: 1_000_000, maxOutput: 64_000, price: [3, 0.3, 15] },
  { match: /^claude-(?:sonnet-4|4-sonnet)/, window: 200_000, maxOutput: 64_000, price: [3, 0.3, 15] },
  { match: /^claude-sonnet-5/, window: 1_000_000, maxOutput: 128_000, price: [2, 0.2, 10] },
  { match: /^claude-fable/, window: 1_000_000, maxOutput: 128_000, price: [10, 1, 50] },
  { match: /^claude/, window: 200_000, maxOutput: 32_000 },

  // Google. The price of the Pro models depends on the length of the prompt.
  { match: /^gemini-1\.5-pro/, window: 2_097_152, maxOutput: 8192 },
  { match: /^gemini-(?:1\.5|2\.0)-flash/, window: 1_048_576, maxOutput: 8192 },
  { match: /^gemini-3\.5-flash-lite/, window: 1_048_576, maxOutput: 65_536, price: [0.3, 0.03, 2.5] },
  { match: /^gemini-3\.5-flash/, window: 1_048_576, maxOutput: 65_536, price: [1.5, 0.15, 9] },
  { match: /^gemini-3\.6-flash/, window: 1_048_576, maxOutput: 65_536, price: [1.5, 0.15, 7.5] },
  { match: /^gemini/, window: 1_048_576, maxOutput: 65_536 },
  { match: /^gemma-?(?:3|4)/, window: 131_072, maxOutput: 8192 },
  { match: /^gemma/, window: 8192, maxOutput: 4096 },

  // DeepSeek. Hosted models think by default and refuse a history without their reasoning; prices vary by hour.
  {
    match: /^deepseek-(?:v[4-9]|flash|chat|reasoner)/,
    window: 1_000_000,
    maxOutput: 384_000,
    returnsReasoning: true,
  },
  { match: /^deepseek-(?:v2|coder)/, window: 65_536, maxOutput: 8192 },
  { match: /^deepseek/, window: 128_000, maxOutput: 8192 },

  // Alibaba
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

  // Zhipu, Moonshot, MiniMax
  { match: /^glm-(?:4\.[6-9]|[5-9])/, window: 200_000, maxOutput: 131_072 },
  { match: /^glm-4\.5/, window: 131_072, maxOutput: 98_304 },
  { match: /^glm/, window: 128_000, maxOutput: 4096 },
  { match: /^kimi-k2-0711/, window: 131_072, maxOutput: 32_768 },
  {
    match: /^kimi-(?:k2-thinking|k2\.[5-9]|k[3-9])/,
    window: 262_144,
    maxOutput: 32_768,
    returnsReasoning: true,
  },
  { match: /^kimi/, window: 262_144, maxOutput: 32_768 },
  { match: /^moonshot-v1-8k/, window: 8 * K, maxOutput: 4096 },
  { match: /^moonshot-v1-32k/, window: 32 * K, maxOutput: 8192 },
  { match: /^moonshot-v1/, window: 128 * K, maxOutput: 8192 },
  { match: /^minimax-m/, window: 204_800, maxOutput: 131_072 },

  // Mistral
  {
    match: /^(?:codestral|devstral|mistral-(?:large-(?:3|25|26)|medium-3))/,
    window: 128_000,
    maxOutput: 32_768,
  },
  {
    match: /^(?:mistral-(?:large|medium|small|nemo)|ministral|magistral|pixtral|open-mistral-nemo)/,
    window: 128_000,
    maxOutput: 16_384,
  },
  { match: /^(?:open-)?mixtral-8x22b/, window: 65_536, maxOutput: 8192 },
  { match: /^(?:open-)?mi[sx]tral/, window: 32_768, maxOutput: 8192 },

  // Meta
  { match: /^(?:meta-)?llama-?4/, window: 131_072, maxOutput: 8192 },
  { match: /^(?:meta-)?llama-?v?3[.p-][1-3]/, window: 131_072, maxOutput: 8192 },
  { match: /^(?:meta-)?llama-?v?3/, window: 8192, maxOutput: 4096 },

  // xAI
  { match: /^grok-code/, window: 256_000, maxOutput: 32_768, price: [0.2, 0.02, 1.5] },
  { match: /^grok-4(?:[.-]\d)?-fast/, window: 2_000_000, maxOutput: 32_768 },
  { match: /^grok-3-mini/, window: 131_072, maxOutput: 16_384, price: [0.3, 0.075, 0.5] },
  { match: /^grok-3/, window: 131_072, maxOutput: 16_384, price: [3, 0.75, 15] },
  { match: /^grok-[4-9]/, window: 256_000, maxOutput: 32_768 },

  // Others
  { match: /^command-(?:r|a)/, window: 128_000, maxOutput: 4096 },
  { match: /^phi-?4-mini/, window: 131_072, maxOutput: 8192 },
  { match: /^phi-?4/, window: 16_384, maxOutput: 4096 },
];
