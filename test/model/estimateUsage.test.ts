import { expect, test } from 'vitest';
import { estimateUsage } from '../../src/model/estimateUsage.ts';
import type { ModelRequest, Reply } from '../../src/protocol/models/model.ts';

test('tokens of texts, calls, tools and images are estimated from their bytes', () => {
  const tools = [{ name: 'Read', description: 'x'.repeat(400), parameters: {} }];
  const calls = [{ id: 'c', name: 'Read', arguments: 'x'.repeat(80) }];
  const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const request: ModelRequest = {
    model: 'm',
    tools,
    messages: [
      { role: 'system', content: 'x'.repeat(4000) },
      { role: 'user', content: [{ type: 'text', text: '漢'.repeat(400) }, image] },
      { role: 'assistant', content: '', toolCalls: calls },
    ],
  };
  const reply: Reply = {
    message: {
      role: 'assistant',
      content: 'x'.repeat(40),
      toolCalls: [],
      reasoning: { field: 'r', text: 'xxxx' },
    },
    finishReason: 'stop',
  };
  const { inputTokens, outputTokens, isEstimated } = estimateUsage(request, reply);
  expect(inputTokens).toBe(1000 + 300 + 1500 + 21 + Math.ceil(JSON.stringify(tools).length / 4));
  expect({ outputTokens, isEstimated }).toEqual({ outputTokens: 11, isEstimated: true });
});
