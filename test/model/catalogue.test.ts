import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { costUsd, isClosedModel, lookupModel, providers } from '../../src/model/catalogue.ts';

const unknownWindow = 48_000;

test.each<readonly [string, number, string]>([
  ['gpt-4o', 128_000, 'o200k_base'],
  ['openai/gpt-4o', 128_000, 'o200k_base'],
  ['openrouter/openai/gpt-4o-mini:free', 128_000, 'o200k_base'],
  ['gpt-4o-2024-11-20', 128_000, 'o200k_base'],
  ['GPT-4.1', 1_047_576, 'o200k_base'],
  ['gpt-4', 8192, 'cl100k_base'],
  ['gpt-4-0613', 8192, 'cl100k_base'],
  ['gpt-4-turbo-2024-04-09', 128_000, 'cl100k_base'],
  ['gpt-35-turbo', 16_385, 'cl100k_base'],
  ['gpt-5', 272_000, 'o200k_base'],
  ['gpt-5-2025-08-07', 272_000, 'o200k_base'],
  ['gpt-5-codex', 272_000, 'o200k_base'],
  ['gpt-5-chat-latest', 128_000, 'o200k_base'],
  ['gpt-5.5', 922_000, 'o200k_base'],
  ['gpt-6-sol', 922_000, 'o200k_base'],
  ['gpt-5.6-cyber', 272_000, 'o200k_base'],
  ['gpt-5.2-chat-latest', 128_000, 'o200k_base'],
  ['gpt-5.3-codex-spark', 96_000, 'o200k_base'],
  ['o1', 200_000, 'o200k_base'],
  ['o3-mini-2025-01-31', 200_000, 'o200k_base'],
  ['o4-mini', 200_000, 'o200k_base'],
  ['claude-3-5-sonnet-20241022', 200_000, 'unknown'],
  ['anthropic/claude-3.5-sonnet', 200_000, 'unknown'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000, 'unknown'],
  ['claude-sonnet-4-6', 1_000_000, 'unknown'],
  ['claude-opus-4-20250514', 200_000, 'unknown'],
  ['claude-opus-4-1', 200_000, 'unknown'],
  ['claude-mythos-5-1', 1_000_000, 'unknown'],
  ['models/gemini-2.5-pro', 1_048_576, 'unknown'],
  ['gemini-2.5-computer-use-preview-10-2025', 131_072, 'unknown'],
  ['google/gemma-4-31b-it', 262_144, 'unknown'],
  ['gemma-4-E4B-it', 131_072, 'unknown'],
  ['deepseek/deepseek-v4-pro', 1_000_000, 'unknown'],
  ['Qwen/Qwen3-Coder-480B-A35B-Instruct', 262_144, 'unknown'],
  ['Qwen/Qwen2.5-Coder-32B-Instruct', 32_768, 'unknown'],
  ['qwen3.8-max', 983_616, 'unknown'],
  ['z-ai/glm-4.6', 200_000, 'unknown'],
  ['glm-4.6v', 128_000, 'unknown'],
  ['glm-5.1', 200_000, 'unknown'],
  ['glm-5.3', 1_000_000, 'unknown'],
  ['moonshotai/kimi-k2-thinking', 262_144, 'unknown'],
  ['moonshotai/kimi-k3', 1_048_576, 'unknown'],
  ['MiniMax-M2.7', 196_608, 'unknown'],
  ['MiniMax-M3', 512_000, 'unknown'],
  ['mistral-large-latest', 128_000, 'unknown'],
  ['mistral-large-2512', 262_144, 'unknown'],
  ['devstral-small-2507', 128_000, 'unknown'],
  ['devstral-2512', 256_000, 'unknown'],
  ['codestral-latest', 256_000, 'unknown'],
  ['accounts/fireworks/models/llama-v3p1-70b-instruct', 131_072, 'unknown'],
  ['meta-llama/Llama-3.3-70B-Instruct', 131_072, 'unknown'],
  ['meta-llama/Meta-Llama-3-8B', 8192, 'unknown'],
  ['x-ai/grok-4', 256_000, 'unknown'],
  ['grok-4-1-fast', 2_000_000, 'unknown'],
  ['grok-4.20-0309-reasoning', 1_000_000, 'unknown'],
  ['grok-4.7', 500_000, 'unknown'],
])('%s is known', (id, windowTokens, tokenizer) => {
  expect(lookupModel(id, { unknownWindow })).toMatchObject({
    id,
    windowTokens,
    tokenizer,
    source: 'catalogue',
  });
});

test.each(['my-model', '', 'gpt', 'not-gpt-4o', 'o12'])('%j is unknown, and is reported as such', (id) => {
  expect(lookupModel(id, { unknownWindow })).toEqual({
    id,
    windowTokens: unknownWindow,
    maxOutputTokens: 8192,
    source: 'assumed',
    tokenizer: 'unknown',
  });
});

test('a local server may have loaded a known model with a smaller window', () => {
  expect(lookupModel('llama3.1:8b-instruct-q4_K_M', { unknownWindow })).toMatchObject({
    windowTokens: unknownWindow,
    source: 'assumed',
  });
  expect(lookupModel('qwen2.5-coder:latest', { unknownWindow })).toMatchObject({
    windowTokens: 32_768,
    source: 'assumed',
  });
});

describe('a window that the server once named in an overflow error', () => {
  const learnedWindow = 20_000;
  test.each([
    ['replaces an assumed one', 'my-model', {}, 20_000, 'learned'],
    ['replaces an assumed one even if it is larger', 'my-model', { unknownWindow: 8000 }, 20_000, 'learned'],
    ['replaces what a local server may have loaded', 'llama3.1:8b', {}, 20_000, 'learned'],
    ['replaces a larger one in the catalogue', 'gpt-4o', {}, 20_000, 'learned'],
    ['does not replace a smaller one in the catalogue', 'gpt-4', {}, 8192, 'catalogue'],
    ['is overridden by the server', 'my-model', { served: { windowTokens: 32_768 } }, 32_768, 'server'],
    ['is overridden by the settings', 'my-model', { windowTokens: 64_000 }, 64_000, 'setting'],
    [
      'is overridden by the user’s own facts',
      'my-model',
      { settings: { contextWindow: 9000 } },
      9000,
      'setting',
    ],
  ] as const)('%s', (_, id, more, windowTokens, source) => {
    expect(lookupModel(id, { unknownWindow, learnedWindow, ...more })).toMatchObject({
      windowTokens,
      source,
    });
  });
});

test('the setting takes precedence, and the reply never uses more than a quarter of a smaller window', () => {
  expect(lookupModel('gpt-4o', { windowTokens: 8000, unknownWindow })).toMatchObject({
    windowTokens: 8000,
    maxOutputTokens: 2000,
    source: 'setting',
    tokenizer: 'o200k_base',
  });
});

test('reasoning is sent back only to endpoints that require it', () => {
  expect(lookupModel('deepseek-v4-pro', { unknownWindow }).returnsReasoning).toBe(true);
  expect(lookupModel('deepseek-r1:14b', { unknownWindow }).returnsReasoning).toBeUndefined();
  expect(lookupModel('gpt-4o', { unknownWindow }).returnsReasoning).toBeUndefined();
});

test('cost counts cached input once, and is unknown without a price', () => {
  const gpt = lookupModel('gpt-4o', { unknownWindow });
  expect(costUsd(gpt, { inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 400_000 })).toBeCloseTo(
    0.6 * 2.5 + 0.4 * 1.25 + 1,
  );
  expect(costUsd(gpt, { inputTokens: 10, outputTokens: 0, cachedTokens: 99 })).toBeCloseTo(10 * 1.25e-6);
  expect(
    costUsd(lookupModel('my-model', { unknownWindow }), { inputTokens: 1, outputTokens: 1 }),
  ).toBeUndefined();
});

test('input written to the cache has its own price if the provider charges one', () => {
  const claude = lookupModel('claude-sonnet-4-5', { unknownWindow });
  const usage = { inputTokens: 1000, outputTokens: 0, cachedTokens: 600, cacheWriteTokens: 300 };
  expect(costUsd(claude, usage)).toBeCloseTo((100 * 3 + 600 * 0.3 + 300 * 3.75) / 1e6, 10);
  const gpt = lookupModel('gpt-4o', { unknownWindow });
  expect(costUsd(gpt, usage)).toBeCloseTo((400 * 2.5 + 600 * 1.25) / 1e6, 10);
});

test.each<readonly [string, readonly [number, number, number] | undefined]>([
  ['claude-opus-5-5', [4, 0.2, 20]],
  ['claude-fable-5', [10, 1, 50]],
  ['claude-fable-5-1', [10, 0.25, 50]],
  ['gemini-3.7-flash', [0.75, 0.075, 3.75]],
  ['gemini-3.5-flash-lite', [0.3, 0.03, 2.5]],
  ['gemini-2.5-flash', [0.3, 0.03, 2.5]],
  ['gemini-2.5-flash-preview-05-20', undefined],
  ['gemini-3.1-pro-preview', undefined],
  ['gpt-5.2-chat-latest', [1.75, 0.175, 14]],
  ['gpt-5.1-codex-mini', [0.25, 0.025, 2]],
  ['gpt-6-luna', undefined],
  ['o3-deep-research', [10, 2.5, 40]],
  ['o4-mini-deep-research', [2, 0.5, 8]],
  ['grok-3-mini-fast', [0.6, 0.15, 4]],
  ['grok-4.7', undefined],
])('a million tokens of %s cost %j: input, cached input, output', (id, price) => {
  const [input, cachedInput, output] = price ?? [];
  const expected = price === undefined ? undefined : { input, cachedInput, output };
  const { cacheWrite: _, ...found } = lookupModel(id, { unknownWindow }).price ?? {};
  expect(price === undefined ? undefined : found).toEqual(expected);
});

const tokens = z.int().min(1000);
const usd = z.number().min(0).max(1000);
const providerSchema = z.strictObject({
  provider: z.string().min(1),
  source: z.string().regex(/https:\/\/[\w.-]+\//),
  comparedWith: z.string().min(1).optional(),
  asOf: z.string().regex(/^20\d\d-(?:0[1-9]|1[0-2])$/),
  cache: z
    .strictObject({
      kind: z.enum(['automatic', 'explicit']),
      writePrice: z.number().min(1).max(3).optional(),
    })
    .optional(),
  closed: z.boolean().optional(),
  families: z.array(
    z.strictObject({
      match: z.instanceof(RegExp),
      window: tokens,
      maxOutput: tokens,
      tokenizer: z.enum(['o200k_base', 'cl100k_base']).optional(),
      price: z.tuple([usd, usd, usd]).optional(),
      returnsReasoning: z.boolean().optional(),
      reasoning: z
        .strictObject({
          field: z.enum(['reasoning_content', 'reasoning', 'thinking']).optional(),
          efforts: z.array(z.string()).min(2).optional(),
          thinking: z.enum(['adaptive', 'budget']).optional(),
        })
        .optional(),
      vision: z.boolean().optional(),
      tools: z.boolean().optional(),
      open: z.boolean().optional(),
    }),
  ),
});

test('every table has the promised form, with its source and date', () => {
  expect(z.array(providerSchema).min(10).parse(providers)).toHaveLength(providers.length);
  expect(new Set(providers.map(({ provider }) => provider)).size).toBe(providers.length);
});

test('every row is plausible', () => {
  for (const { match, window, maxOutput, price } of providers.flatMap(({ families }) => families)) {
    expect(match.source.startsWith('^'), `${match} is anchored`).toBe(true);
    expect(maxOutput, String(match)).toBeLessThan(window * 0.8);
    const [input, cached, output] = price ?? [1, 1, 1];
    expect(cached <= input && input <= output, `price of ${match}`).toBe(true);
  }
});

test.each([
  ['gpt-4o', true],
  ['gpt-3.5-turbo', false],
  ['claude-sonnet-4-6', true],
  ['qwen2.5-vl:7b', true],
  ['qwen2.5-coder:7b', undefined],
  ['glm-4.5v', true],
  ['qwen3.6-plus', true],
  ['qwen3-coder-plus', false],
  ['kimi-k2.6', true],
  ['kimi-k2-thinking', false],
  ['MiniMax-M2.5', false],
  ['mistral-medium-2508', true],
  ['grok-3', false],
  ['glm-4.5', undefined],
  ['deepseek-v3', undefined],
  ['accounts/fireworks/models/llama-v3p1-70b-instruct', false],
  ['llama3.2-vision:11b', true],
  ['llava:13b', true],
])('whether %s supports images: %s', (id, sees) => {
  expect(lookupModel(id, { unknownWindow }).seesImages).toBe(sees);
});

test('the server overrides the table, and the settings override both', () => {
  const served = { windowTokens: 8192, maxWindowTokens: 131_072, vision: false, tools: false };
  expect(lookupModel('gpt-4o', { unknownWindow, served })).toMatchObject({
    windowTokens: 8192,
    maxOutputTokens: 2048,
    source: 'server',
    seesImages: false,
    callsTools: false,
  });
  const own = { contextWindow: 4000, maxOutputTokens: 500, vision: true, tokenizer: 'cl100k_base' } as const;
  expect(lookupModel('gpt-4o', { unknownWindow, served, settings: own })).toMatchObject({
    windowTokens: 4000,
    maxOutputTokens: 500,
    source: 'setting',
    seesImages: true,
    tokenizer: 'cl100k_base',
  });
});

test('if a server reports only the training length of a model, it limits the assumed window', () => {
  const served = { maxWindowTokens: 8192 };
  expect(lookupModel('nobody/knows', { unknownWindow, served })).toMatchObject({
    windowTokens: 8192,
    source: 'assumed',
  });
  expect(lookupModel('gpt-4o', { unknownWindow, served })).toMatchObject({
    windowTokens: 8192,
    source: 'catalogue',
  });
});

test.each([
  ['gpt-4.1', true],
  ['openrouter/openai/gpt-4o-mini:free', true],
  ['o3-mini', true],
  ['claude-sonnet-4-6', true],
  ['gemini-2.5-pro', true],
  ['grok-4', true],
  ['gpt-oss-20b', false],
  ['gpt-oss:20b', false],
  ['gemma3:27b', false],
  ['llama3.2', false],
  ['qwen3-coder', false],
  ['mock-1', false],
])('whether %s is served by its provider alone: %s', (id, closed) => {
  expect(isClosedModel(id)).toBe(closed);
});

test.each<readonly [string, readonly string[] | undefined]>([
  ['gpt-5', ['minimal', 'low', 'medium', 'high']],
  ['gpt-5-codex', ['low', 'medium', 'high']],
  ['gpt-5.1', ['none', 'low', 'medium', 'high']],
  ['gpt-5.1-2025-11-13', ['none', 'low', 'medium', 'high']],
  ['gpt-5.1-codex-max', ['low', 'medium', 'high', 'xhigh']],
  ['gpt-5.2', ['none', 'low', 'medium', 'high', 'xhigh']],
  ['gpt-5.3-codex', ['low', 'medium', 'high', 'xhigh']],
  ['openai/gpt-5.4-mini', ['none', 'low', 'medium', 'high', 'xhigh']],
  ['gpt-5.5-2026-04-23', ['none', 'low', 'medium', 'high', 'xhigh']],
  ['gpt-5.5-pro', undefined],
  ['gpt-5.2-chat-latest', undefined],
  ['gpt-6-luna', undefined],
])('%s accepts the efforts %j', (id, efforts) => {
  expect(lookupModel(id, { unknownWindow }).efforts).toEqual(efforts);
});
