/** Thinking budgets with servers of all three APIs, which check each request against the SDKs' types. */
import { expect, test } from 'vitest';
import { createModelClient } from '../../../src/model/createModelClient.ts';
import { rebuildBody } from '../../../src/model/wires/rebuildBody.ts';
import type { SentRequest } from '../../../src/protocol/models/model.ts';
import type { ReasoningOptions, Wire } from '../../../src/protocol/models/wires.ts';
import { wireServer } from '../../agent/wireServer.ts';
import { suiteRequest } from '../clientSuite.ts';
import { anthropicServer } from './anthropicServer.ts';
import { responsesServer } from './responsesServer.ts';

interface Served {
  readonly baseUrl: string;
  readonly bodies: () => readonly string[];
  readonly refused: readonly string[];
}

async function serve(wire: Wire): Promise<Served> {
  const answer = () => ({ text: 'Yes.' });
  if (wire === 'chat') {
    const server = await wireServer(answer);
    return { baseUrl: server.baseUrl, bodies: () => server.bodies, refused: [] };
  }
  const server = await (wire === 'responses' ? responsesServer(answer) : anthropicServer(answer));
  const bodies = (): readonly string[] => server.received.map(({ text }) => text);
  return { baseUrl: server.baseUrl, bodies, refused: server.refused };
}

test.each<readonly [Wire, string, ReasoningOptions, object]>([
  ['chat', 'o3', { thinkingBudget: 9000 }, { reasoning_effort: 'medium' }],
  ['chat', 'o3', { thinkingBudget: 0, effort: 'high' }, { reasoning_effort: 'low' }],
  ['responses', 'o3', { thinkingBudget: 9000 }, { reasoning: { effort: 'medium', summary: 'auto' } }],
  ['responses', 'o3', { thinkingDisplay: 'omitted', effort: 'low' }, { reasoning: { effort: 'low' } }],
  [
    'anthropic',
    'claude-haiku-4-5',
    { thinkingBudget: 3000, thinkingDisplay: 'omitted' },
    { thinking: { type: 'enabled', budget_tokens: 3000, display: 'omitted' } },
  ],
  ['anthropic', 'claude-opus-5', { thinkingBudget: 0 }, { thinking: { type: 'disabled' } }],
])('%s, %s: %j is sent, and can be rebuilt from the log', async (wire, model, options, expected) => {
  const server = await serve(wire);
  const client = createModelClient(wire, { apiKey: 'k', baseUrl: server.baseUrl });
  const request = { ...suiteRequest(), model };
  const sent: SentRequest[] = [];
  const asked = { ...request, ...options };
  let last: string | undefined;
  for await (const { type } of client.stream(asked, new AbortController().signal, (one) => sent.push(one)))
    last = type;
  expect(last).toBe('done');
  expect(server.refused).toEqual([]);
  const [body = ''] = server.bodies();
  expect(JSON.parse(body)).toMatchObject(expected);
  const logged = JSON.parse(JSON.stringify(sent[0])) as SentRequest;
  expect(rebuildBody(request, logged)).toBe(body);
});
