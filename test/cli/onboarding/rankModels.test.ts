import { expect, test } from 'vitest';
import { checkAccess } from '../../../src/cli/onboarding/checkAccess.ts';
import { withKnownFacts } from '../../../src/cli/onboarding/rankModels.ts';
import type { ServedModel } from '../../../src/protocol/models/server.ts';

test.each<[string, ServedModel, boolean, ServedModel]>([
  ['a name alone', { id: 'gpt-4.1' }, false, { id: 'gpt-4.1', windowTokens: 1_047_576, vision: true }],
  [
    'a model on this machine has its largest window',
    { id: 'qwen3-coder' },
    true,
    { id: 'qwen3-coder', maxWindowTokens: 262_144 },
  ],
  [
    'the server’s values take precedence',
    { id: 'gpt-4.1', windowTokens: 32_000, vision: false },
    false,
    { id: 'gpt-4.1', windowTokens: 32_000, vision: false },
  ],
  [
    'including the largest window that it reports',
    { id: 'gpt-4.1', maxWindowTokens: 50_000, vision: false },
    false,
    { id: 'gpt-4.1', maxWindowTokens: 50_000, vision: false },
  ],
  ['an unknown model', { id: 'house-model' }, false, { id: 'house-model' }],
])('%s', (_, served, isNear, expected) => {
  expect(withKnownFacts(served, isNear)).toEqual(expected);
});

test('the list after entering a key has the catalogue’s windows', async () => {
  const facts = { kind: 'other', baseUrl: 'https://llm.example/v1', models: [{ id: 'gpt-4.1' }] } as const;
  const ports = { ask: async () => ({ type: 'server', facts }) as const, tryModel: async () => undefined };
  const access = { baseUrl: 'https://llm.example/v1', apiKey: 'sk-1', model: '' };
  expect(await checkAccess(access, ports, new AbortController().signal)).toMatchObject({
    type: 'models',
    models: [{ id: 'gpt-4.1', windowTokens: 1_047_576 }],
  });
});
