import { afterEach, expect, test } from 'vitest';
import { probeModel } from '../../../src/model/servers/probeModel.ts';
import type { WireAnswer } from '../../agent/wireServer.ts';
import { type Answer, event, plain, say, sse, startSseServer, stop, usage } from '../sseServer.ts';
import { anthropicServer } from '../wires/anthropicServer.ts';
import { responsesServer } from '../wires/responsesServer.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

async function probe(...answers: Answer[]) {
  return probeFor(5000, ...answers);
}

async function probeFor(ms: number, ...answers: Answer[]) {
  const server = await startSseServer(answers);
  closing.push(server.close);
  const { baseUrl } = server;
  const signal = AbortSignal.timeout(ms);
  return {
    server,
    found: await probeModel({ baseUrl, apiKey: undefined, wire: 'chat', model: 'm', signal }),
  };
}

const call = (index: number, city: string): string =>
  event({
    delta: {
      tool_calls: [
        { index, id: `c${index}`, function: { name: 'get_weather', arguments: JSON.stringify({ city }) } },
      ],
    },
  });

test('a model with every ability', async () => {
  const { found, server } = await probe(
    sse([event({ delta: { reasoning_content: 'hm' } }), say('ready'), stop(), usage(5, 1)]),
    sse([call(0, 'Oslo'), call(1, 'Rome'), stop('tool_calls')]),
  );
  expect(found).toEqual({
    answers: true,
    firstTokenMs: expect.any(Number),
    streamingUsage: true,
    reasoningField: 'reasoning_content',
    toolCalls: 'native',
    parallelCalls: true,
  });
  expect(server.requests).toHaveLength(2);
});

const written = '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>';

test.each<readonly [string, Answer[], object]>([
  [
    'calls as text',
    [sse([say(written), stop()])],
    { toolCalls: 'text', parallelCalls: false, streamingUsage: false },
  ],
  ['no calls', [sse([say('It is sunny.'), stop()])], { toolCalls: 'none' }],
  [
    'an endpoint without tools',
    [plain(400, '{"error":{"message":"m does not support tools"}}'), sse([say(written), stop()])],
    { toolCalls: 'text' },
  ],
  [
    'a rejection of the second request',
    [plain(400, '{"error":{"message":"no"}}')],
    { error: expect.objectContaining({ kind: 'bad_request' }) },
  ],
])('%s', async (_name, answers, expected) => {
  const { found } = await probe(sse([say('ready'), stop()]), ...answers);
  expect(found).toMatchObject({ answers: true, ...expected });
});

test('a missing model', async () => {
  const { found } = await probe(plain(404, '{"error":{"message":"model \\"m\\" not found"}}'));
  expect(found).toEqual({ answers: false, error: expect.objectContaining({ kind: 'model_not_found' }) });
});

test('a model that does not stop is cut off, and its tool calls are still tested', async () => {
  const { found } = await probe(
    sse([say('ready or not '.repeat(20)), say('here I come '.repeat(20))], 'hang'),
    sse([call(0, 'Oslo'), stop('tool_calls')]),
  );
  expect(found).toEqual({
    answers: true,
    firstTokenMs: expect.any(Number),
    toolCalls: 'native',
    parallelCalls: false,
  });
});

test('a model that times out during its reply is slow, but works', async () => {
  const { found } = await probeFor(400, sse([say('rea')], 'hang'));
  expect(found).toEqual({ answers: true, firstTokenMs: expect.any(Number) });
});

test.each(['responses', 'anthropic'] as const)('a model on the %s wire', async (wire) => {
  const cities = ['Oslo', 'Rome'].map((city) => ({ name: 'get_weather', input: { city } }));
  const answer = ({ tools }: { readonly tools?: unknown }): WireAnswer =>
    tools === undefined ? { text: 'ready' } : { calls: cities };
  const { baseUrl } = wire === 'responses' ? await responsesServer(answer) : await anthropicServer(answer);
  const signal = AbortSignal.timeout(5000);
  expect(await probeModel({ baseUrl, apiKey: 'k', model: 'm', wire, signal })).toMatchObject({
    answers: true,
    toolCalls: 'native',
    parallelCalls: true,
    streamingUsage: true,
  });
});
