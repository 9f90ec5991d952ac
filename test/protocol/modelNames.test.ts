import { expect, test } from 'vitest';
import { modelName, parseModelName } from '../../src/protocol/models/modelNames.ts';

const isProvider = (part: string): boolean => part === 'work' || part === 'openai';

test.each([
  ['gpt-5', { provider: undefined, id: 'gpt-5' }],
  ['work/gpt-5', { provider: 'work', id: 'gpt-5' }],
  ['work/qwen/qwen3', { provider: 'work', id: 'qwen/qwen3' }],
  ['home/gpt-5', { provider: undefined, id: 'home/gpt-5' }],
  ['openai/gpt-5', { provider: 'openai', id: 'gpt-5' }],
  ['default/openai/gpt-5', { provider: undefined, id: 'openai/gpt-5' }],
  ['work/', { provider: undefined, id: 'work/' }],
  ['/x', { provider: undefined, id: '/x' }],
])('the name %s', (name, parts) => {
  expect(parseModelName(name, isProvider)).toEqual(parts);
});

test.each([
  { provider: undefined, id: 'gpt-5' },
  { provider: undefined, id: 'openai/gpt-5' },
  { provider: undefined, id: 'default/x' },
  { provider: 'work', id: 'openai/gpt-5' },
])('a full name is split into its parts: %o', (parts) => {
  expect(parseModelName(modelName(parts, isProvider), isProvider)).toEqual(parts);
});
