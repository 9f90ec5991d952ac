import { expect, test } from 'vitest';
import { withNearestModels } from '../../../src/cli/models/nearestModels.ts';
import { modelAdvice } from '../../../src/commands/model.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../src/protocol/model.ts';

test.each([
  { typed: 'gpt-4.2', ids: ['gpt-4.1', 'o3'], advice: ' Did you mean "gpt-4.1"?' },
  { typed: 'qwen3', ids: ['llama3:8b', 'qwen3:8b'], advice: ' Did you mean "qwen3:8b"?' },
  { typed: 'GPT-4.1', ids: ['openai/gpt-4.1', 'openai/gpt-4'], advice: ' Did you mean "openai/gpt-4.1"?' },
  { typed: 'claude', ids: ['a1', 'b2'], advice: ' It has a1, b2.' },
  {
    typed: 'nothing-like-it',
    ids: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    advice: ' It has a, b, c, d, e and 2 more.',
  },
  { typed: 'x', ids: [], advice: '' },
])('$typed among $ids:$advice', ({ typed, ids, advice }) => {
  expect(modelAdvice(typed, ids)).toBe(advice);
});

const request = { model: 'mock-1', messages: [], tools: [] } as unknown as ModelRequest;
const failing = (kind: 'model_not_found' | 'auth'): ModelClient => ({
  async *stream() {
    yield { type: 'failed', error: { kind, retryable: false, message: 'No.' } };
  },
});

async function eventsOf(client: ModelClient): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of client.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

test('an unknown model is answered with the nearest names; the list is asked for then only', async () => {
  let asked = 0;
  const list = async () => {
    asked += 1;
    return { ids: ['mock-2'] };
  };
  expect(await eventsOf(withNearestModels(failing('model_not_found'), list))).toMatchObject([
    { type: 'failed', error: { message: 'No. Did you mean "mock-2"?' } },
  ]);
  expect(await eventsOf(withNearestModels(failing('auth'), list))).toMatchObject([
    { error: { message: 'No.' } },
  ]);
  expect(asked).toBe(1);
});
