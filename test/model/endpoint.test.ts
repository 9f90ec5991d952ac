import { expect, test } from 'vitest';
import { endpointFacts, wireOf } from '../../src/model/endpoint.ts';

test.each([
  ['https://api.openai.com/v1', { provider: 'openai' }],
  ['https://my-company.openai.azure.com/openai/v1', { provider: 'openai' }],
  ['https://api.anthropic.com/v1', { provider: 'anthropic' }],
  ['https://generativelanguage.googleapis.com/v1beta/openai', { provider: 'google' }],
  ['https://openrouter.ai/api/v1', { provider: 'other' }],
  ['https://openai.com.evil.example/v1', { provider: 'other' }],
  ['http://localhost:11434/v1', { provider: 'local', hasOneSlot: true }],
  ['http://127.0.0.1:1234/v1', { provider: 'local', hasOneSlot: true }],
  ['http://[::1]:8080/v1', { provider: 'local', hasOneSlot: true }],
  ['http://192.168.1.20:8000/v1', { provider: 'local', hasOneSlot: true }],
  ['http://172.20.0.3/v1', { provider: 'local', hasOneSlot: true }],
  ['http://172.40.0.3/v1', { provider: 'other' }],
  ['http://gpu-box/v1', { provider: 'local', hasOneSlot: true }],
  ['http://gpu.local/v1', { provider: 'local', hasOneSlot: true }],
  ['not an address', { provider: 'other' }],
])('the address %s is %o', (baseUrl, facts) => {
  expect(endpointFacts(baseUrl)).toEqual(facts);
});

test.each([
  [null, 'https://api.anthropic.com/v1', 'anthropic'],
  [null, 'https://api.anthropic.com', 'anthropic'],
  [null, 'https://anthropic.com.evil.example/v1', 'chat'],
  [null, 'https://api.openai.com/v1', 'chat'],
  [null, 'http://127.0.0.1:8080/v1', 'chat'],
  ['chat', 'https://api.anthropic.com/v1', 'chat'],
  ['responses', 'http://127.0.0.1:8080/v1', 'responses'],
] as const)('with wire %s, %s is used through %s', (wire, baseUrl, used) => {
  expect(wireOf(wire, baseUrl)).toBe(used);
});
