import { expect, test } from 'vitest';
import { removalPolicyFor, strategyForModel } from '../../../src/context/strategies/strategyForModel.ts';
import type { StrategyName } from '../../../src/context/strategies/types.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';

const rows = {
  gpt: strategyForModel('gpt-4'),
  o: strategyForModel('o1'),
  claude: strategyForModel('claude-3-5-sonnet'),
  gemini: strategyForModel('gemini-1.5-pro'),
  local: strategyForModel('qwen3', { provider: 'ollama' }),
  other: strategyForModel('deepseek-chat'),
};

test.each<[row: keyof typeof rows, strategy: StrategyName]>([
  ['gpt', 'hybrid'],
  ['o', 'middle-removal'],
  ['claude', 'oldest-removal'],
  ['gemini', 'middle-removal'],
  ['local', 'hybrid'],
  ['other', 'hybrid'],
])('%s: %s', (row, strategy) => {
  expect(rows[row].strategy).toBe(strategy);
});

test('the amounts follow the table', () => {
  expect(rows.o.preserveStart).toBeGreaterThan(rows.gpt.preserveStart);
  expect(rows.o.preserveEnd).toBeGreaterThan(rows.gpt.preserveEnd);
  expect(rows.claude.preserveEnd).toBeGreaterThan(rows.gpt.preserveEnd);
  expect(rows.gemini.targetShare).toBeGreaterThan(rows.gpt.targetShare);
  expect(rows.local.targetShare).toBeLessThan(rows.gpt.targetShare);
  expect(rows.local.preserveEnd).toBeLessThan(rows.gpt.preserveEnd);
});

test.each<[id: string, baseUrl: string | undefined, row: keyof typeof rows]>([
  ['gpt-4o-mini', undefined, 'gpt'],
  ['openai/gpt-4.1', 'https://openrouter.ai/api/v1', 'gpt'],
  ['gpt-4o', 'http://localhost:4000', 'gpt'],
  ['my-deployment', 'https://mine.openai.azure.com/v1', 'gpt'],
  ['o1-preview', undefined, 'o'],
  ['openai/o3', undefined, 'o'],
  ['o4-mini', 'https://api.openai.com/v1', 'o'],
  ['Claude-Opus-4', undefined, 'claude'],
  ['us.anthropic.claude-sonnet-4-v1:0', undefined, 'claude'],
  ['some-alias', 'https://api.anthropic.com/v1', 'claude'],
  ['google/gemini-2.5-pro', undefined, 'gemini'],
  ['alias', 'https://generativelanguage.googleapis.com/v1beta/openai', 'gemini'],
  ['qwen2.5-coder', 'http://localhost:11434/v1', 'local'],
  ['gpt-oss-20b', 'http://127.0.0.1:1234/v1', 'local'],
  ['llama', 'http://[::1]:8080/v1', 'local'],
  ['llama', 'http://192.168.1.20:8000/v1', 'local'],
  ['llama', 'http://172.20.0.2:8000/v1', 'local'],
  ['llama', 'http://workstation:8000/v1', 'local'],
  ['llama', 'http://mac.local:8080/v1', 'local'],
  ['llama', 'http://llm.example.com:11434/v1', 'local'],
  ['llama', 'http://172.32.0.2:8000/v1', 'other'],
  ['llama', 'http://10.example.com/v1', 'other'],
  ['llama', 'https://localhost.example.com/v1', 'other'],
  ['proto1', undefined, 'other'],
  ['yolo1-large', undefined, 'other'],
  ['', 'not an address', 'other'],
])('%j at %s is %s', (id, baseUrl, row) => {
  expect(strategyForModel(id, baseUrl === undefined ? {} : { baseUrl })).toBe(rows[row]);
});

test.each([
  ['LM Studio', 'local'],
  ['lm-studio', 'local'],
  ['llama.cpp', 'local'],
  ['vLLM', 'local'],
  ['Anthropic', 'claude'],
  ['google', 'gemini'],
  ['openai', 'gpt'],
  ['mistral', 'other'],
  ['', 'other'],
] as const)('the provider %s is %s', (provider, row) => {
  expect(strategyForModel('alias', { provider })).toBe(rows[row]);
});

test('the id decides before the provider, the provider before the address', () => {
  const baseUrl = 'http://localhost:4000';
  expect(strategyForModel('claude-3', { provider: 'google', baseUrl })).toBe(rows.claude);
  expect(strategyForModel('alias', { provider: 'google', baseUrl })).toBe(rows.gemini);
  expect(strategyForModel('alias', { provider: 'other', baseUrl })).toBe(rows.local);
});

const settings = (given: unknown) => contextSettingsSchema.parse(given);

test('auto uses the model’s row, and another row for another model', () => {
  const auto = settings({});
  expect(removalPolicyFor(auto, 'claude-3')).toMatchObject({
    strategy: 'oldest-removal',
    preserveEnd: rows.claude.preserveEnd,
    minMessages: rows.claude.minMessages,
    confidence: 0.6,
    source: 'model',
    reason: rows.claude.reason,
  });
  expect(removalPolicyFor(auto, 'gpt-4').strategy).toBe('hybrid');
});

test.each(['middle-removal', 'oldest-removal', 'hybrid'] as const)(
  '%s is used as set, with the model’s amounts',
  (strategy) => {
    expect(removalPolicyFor(settings({ strategy }), 'gemini-1.5')).toMatchObject({
      strategy,
      preserveStart: rows.gemini.preserveStart,
      source: 'setting',
    });
  },
);

test('explicit amounts take precedence, zero included', () => {
  const removal = { preserveStart: 0, preserveEnd: 3, minMessages: 7, confidence: 0.9 };
  expect(removalPolicyFor(settings({ removal }), 'claude-3')).toMatchObject(removal);
});

test('the target of removal is well below its trigger', () => {
  const low = removalPolicyFor(settings({ removal: { at: 0.5 } }), 'gemini-1.5');
  expect(low.targetShare).toBeCloseTo(0.425);
  expect(removalPolicyFor(settings({}), 'gemini-1.5').targetShare).toBe(rows.gemini.targetShare);
});
